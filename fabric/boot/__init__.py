"""From the box: what a device asks for, what it is answered, and the file that it starts from."""
