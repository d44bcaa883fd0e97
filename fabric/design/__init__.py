"""Vendor-neutral designs of switches and hosts; every decision is made by here."""
