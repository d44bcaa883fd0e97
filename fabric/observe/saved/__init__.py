"""Outputs of tools that were saved on hosts, one folder for each host."""
