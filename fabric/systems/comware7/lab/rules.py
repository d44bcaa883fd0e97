"""The lines that the Comware 7 stand-in accepts: those of the book, and what depends on a mode."""

from __future__ import annotations

from fabric.book.book import books

VIEWS, HIDDEN = books()["comware7"].tables()
#: What only a switched port has, and what only a routed one has.
BRIDGE_ONLY = ("port access", "port trunk", "port link-type", "stp edged-port")
ROUTE_ONLY = ("ip address", "ipv6 ", "mtu", "bfd ")
