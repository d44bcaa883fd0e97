"""One module per rule; importing the package registers nothing by itself."""
