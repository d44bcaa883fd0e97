"""One module per verb; each strings the steps of the rooms below together."""
