"""The routes, one module for each group of them."""
