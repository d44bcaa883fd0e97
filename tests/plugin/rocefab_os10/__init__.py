"""OS10 as another distribution adds it: not Dell's real system; a test of the plug-in layout.

The words follow OS10 where that costs nothing. The rest is invented: a rollback timer, outputs that
begin with the number of their rows, a configuration that ends with ``end``.
"""
