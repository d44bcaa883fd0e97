"""The lines that the VRP8 stand-in knows: those of the book, and the limits of the families."""

from __future__ import annotations

from fabric.book.book import books

VIEWS, HIDDEN = books()["vrp8"].tables()
#: What the families do while a queue recovers, when nothing else is said.
RECOVERY = {"a": "discard", "b": "forwarding"}
#: Priorities that pause without a word.
BUILT_IN_PRIORITIES = {"default": {3}}
MOST_PRIORITIES = {"a": 3, "b": 4}
LAST_QUEUE = {"a": 5, "b": 7}
MARKING_BYTES = {"a": (128, 16_000_000), "b": (320, 34_078_720)}
HEADROOM_KBYTES = {"a": (1, 2048), "b": (16, 30_720)}
MOST_PFC_PROFILES = 2
MOST_DOMAINS = 8
#: What only a port of layer 2 or of layer 3 can have.
LAYER_2 = ("port ", "stp ", "trust dscp")
LAYER_3 = ("ip address ", "mtu ", "ipv6 ", "arp timeout ")
