"""Configurations made of lines: their grammar, their tree and the editor of it."""
