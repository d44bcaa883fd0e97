"""Huawei VRP8."""
