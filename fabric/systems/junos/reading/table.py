"""The statements that are read: what each does stands in the modules of their parts."""

from __future__ import annotations

from fabric.observe.configuration.book import BookReader

LINES = BookReader("junos", "routing", "no")
