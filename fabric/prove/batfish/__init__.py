"""Proof by Batfish: a snapshot of the fabric, the questions put to it, and what the answers break."""
