"""One module per scheduler format."""
