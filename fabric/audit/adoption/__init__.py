"""Adoption: the fields of the lossless policy that running configurations come to."""
