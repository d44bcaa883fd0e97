"""GPU hosts."""
