"""HTTPS with JSON: the API of some switches."""
