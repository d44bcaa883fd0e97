"""NVIDIA Cumulus Linux."""
