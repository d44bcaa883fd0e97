"""Tables, plots and models of what an inventory describes and what would change it."""
