"""H3C Comware 7."""
