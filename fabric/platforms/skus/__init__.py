"""One TOML file of data per switch model."""
