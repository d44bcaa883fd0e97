"""YAML files of the inventory: plain data, and the position of each key and value."""
