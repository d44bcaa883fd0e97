"""Reachability of every NIC: which pairs are probed, in which rounds, and what is good enough."""
