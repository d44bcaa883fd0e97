"""Fabrics as other programs have them: one description in the middle, forms around it."""
