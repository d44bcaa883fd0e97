"""The only room that starts other programs: see ``run``, ``start``, and ``opened`` for git."""
