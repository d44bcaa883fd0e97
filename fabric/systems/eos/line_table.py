"""What the lines of EOS say of routing: the table that modules add their functions to."""

from __future__ import annotations

from fabric.observe.configuration.book import BookReader

LINES = BookReader("eos", "routing", "no")
