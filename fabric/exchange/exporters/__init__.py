"""One module for each form that is written."""
