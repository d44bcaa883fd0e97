"""Audit: running configurations judged without an inventory."""
