"""Data files of the ASIC families."""
