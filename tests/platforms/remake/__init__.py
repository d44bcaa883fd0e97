"""The data files of switch models, made from what vendors and projects publish."""
