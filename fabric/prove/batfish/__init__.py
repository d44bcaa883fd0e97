"""Proof by Batfish: a snapshot of the fabric, questions, and what the answers break."""
