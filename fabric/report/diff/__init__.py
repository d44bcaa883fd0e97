"""diff: what a change of the inventory does to the fabric, its devices and its figures."""
