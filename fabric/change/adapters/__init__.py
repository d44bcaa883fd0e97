"""One module per platform."""
