"""Probing: which NICs are looked at, by which paths, and what the answers say."""
