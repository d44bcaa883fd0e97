"""Exports that need more than the fabric: what accounts must be allowed."""
