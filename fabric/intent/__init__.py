"""The inventory: reading, validating and resolving what the user wants."""
