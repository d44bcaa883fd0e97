"""Juniper Junos."""
