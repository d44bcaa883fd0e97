"""OS10: what its book does not say of changes; the engine of lines below lines does the rest."""

from __future__ import annotations

import re

from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.book import changes
from fabric.change.lines.grammar import Grammar, either
from rocefab_os10.platforms import tree

_ORDER = ("", "wred ", "trust ", "qos-map ", "interface vlan", "interface ", "router bgp ")
PORT = r"interface ethernet\d+/\d+/\d+"
_BOOK = changes("os10", "no")
GRAMMAR = Grammar(
    negation="no",
    owned=_BOOK.owned,
    kept=either(*_BOOK.kept),
    risks=_BOOK.risks,
    forms=_BOOK.forms,
    toggles=_BOOK.toggles,
    fixed=re.compile(PORT),
    first_removed=re.compile(r"router bgp \d+"),
    addition_order=_ORDER,
    removal_order=_ORDER[::-1],
)
adapters.add("os10")(LineAdapter(grammar=GRAMMAR, read=tree))
