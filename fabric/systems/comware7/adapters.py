"""H3C Comware 7: the grammar of its lines, and what is kept beside ours. Experimental.

Known (grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help): a line of a section with one
value takes the place of the one before; a change of the link mode resets the port but for its
`shutdown`; the AS number of a peer changes only with the peer itself; a WRED table that is in use
stays; a VLAN comes before what names it.
Assumed: what is undone in a section goes before what is set, later lines first.
"""

from __future__ import annotations

import re

from fabric.book.book import INDENT
from fabric.change.adapter import adapters
from fabric.change.lines import LineAdapter
from fabric.change.lines.book import changes, staying
from fabric.change.lines.grammar import Grammar, LayerChange, either
from fabric.change.scope import Scope, indented
from fabric.core.lines import LineTree
from fabric.systems.comware7.platforms import DEFAULTS, EXPERIMENTAL, PORT, SERVER
from fabric.systems.comware7.platforms.text import tree

_PORT = re.compile(PORT)
#: What rocefab does not render because no public source says enough of it: what a person has set
#: on a port is kept.
_KEPT_ON_PORTS = either(*staying("comware7", "undo", "port"))
_DEFAULT = either(*DEFAULTS)
#: Sections in the order in which they may name those before them.
_ORDER = (
    "",
    "ip vpn-instance ",
    "qos map-table ",
    "qos wred ",
    "vlan ",
    "route-policy ",
    "interface LoopBack",
    "interface Vlan-interface",
    "interface ",
    "bgp ",
)
_BOOK = changes("comware7", "undo")
GRAMMAR = Grammar(
    negation="undo",
    owned=_BOOK.owned,
    kept=either(*_BOOK.kept, PORT),
    risks=_BOOK.risks,
    toggles=re.compile(".*"),
    forms=_BOOK.forms,
    server=re.compile(SERVER),
    server_vrf=re.compile(" vpn-instance "),
    first_removed=either(r"bgp \d+", r"interface (?:LoopBack|Vlan-interface)\d+", SERVER),
    fixed=_PORT,
    addition_order=_ORDER,
    removal_order=_ORDER[::-1],
    backwards=True,
    removed_first=re.compile(r"peer \S+ as-number \S+"),
    peer=re.compile(r"(peer \S+) as-number \S+"),
    layer="port link-mode",
    layer_change=LayerChange.LOSES_ALL,
)


def compose(running: LineTree, intended: LineTree) -> LineTree:
    """Return the whole configuration that is intended.

    On our ports, what rocefab cannot render is kept. Lines that say what holds by default are
    wanted only where something else is printed.
    """
    whole = GRAMMAR.compose(running, intended)
    for line, section in intended.children.items():
        if _PORT.fullmatch(line):
            before = running.children.get(line, LineTree())
            whole.children[line] = _with_kept_lines(before, section)
    return _without_defaults(whole, running)


def _with_kept_lines(running: LineTree, intended: LineTree) -> LineTree:
    keys = set(map(GRAMMAR.key_of, intended.children))
    kept = {
        line: child
        for line, child in running.children.items()
        if _KEPT_ON_PORTS.fullmatch(line) and GRAMMAR.key_of(line) not in keys
    }
    return LineTree({**intended.children, **kept})


def _without_defaults(whole: LineTree, running: LineTree) -> LineTree:
    printed = set(map(GRAMMAR.key_of, running.children))
    return LineTree({
        line: _without_defaults(child, running.children.get(line, LineTree()))
        for line, child in whole.children.items()
        if not _DEFAULT.fullmatch(line) or GRAMMAR.key_of(line) in printed
    })


SCOPE = Scope(
    system="comware7",
    forms=indented(INDENT),
    alone=either(r"qos map-table (?:dot1p-lp|dscp-dot1p|dscp-lp)", r"qos wred queue table ROCE\S*"),
    others=re.compile(r".* sub"),
    process=re.compile(r"bgp \d+"),
    key=GRAMMAR.key_of,
)

adapters.add("comware7")(
    LineAdapter(
        grammar=GRAMMAR,
        read=tree,
        composer=compose,
        scope=SCOPE,
        diff_indent=" ",
        head=f"# {EXPERIMENTAL}\n",
    )
)
