"""Switch systems and hosts: one package for each, with all that rocefab knows about it."""
