"""Exports that need more than the fabric, or are about watching it."""
