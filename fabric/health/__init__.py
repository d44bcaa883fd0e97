"""Verdicts on a running fabric: what two readings of its devices say, the cause first."""
