"""Cisco NX-OS."""
