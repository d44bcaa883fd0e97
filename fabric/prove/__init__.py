"""Proof from the configuration files: sessions, routes and forwarding as the files say them."""
