"""Books of lines: what is wrong is named by file and line, and no two rules take one line."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from fabric.book.book import books, read_book
from fabric.book.file import RISKS, BookError
from fabric.book.grammar import Grammar
from fabric.book.kinds import referred
from fabric.book.tables import printed, rows
from fabric.change.model import Risk
from fabric.render.engine import template_folder
from tests.cases import each

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.book.grammar import Element

HEAD = "[sources]\nguide = Acme guide\n\n[config]\n"
WRONG = {
    "an unknown kind": ("mtu = <metres>\n", 5, "unknown kind of argument 'metres'"),
    "an unknown word": ("mtu = <1-9>\n  price 7\n", 6, "'price 7' says nothing"),
    "an unknown source": ("mtu = <1-9>\n  source book\n", 6, "[sources] has no 'book'"),
    "ours without a source": ("mtu = <1-9>\n  ours ports: a.b\n", 5, "has no source"),
    "a rule twice": ("mtu = <1-9>\nmtu = <1-9>\n", 6, "is there twice"),
    "no rule above": ("  ours ports\n", 5, "there is no rule above"),
    "a table that is none": (
        "[tables]\nPORT <word>\nVLAN <@PORTS>\n",
        7,
        "there is no table 'PORTS'",
    ),
    "an absence without a source": (
        "[absent]\nmtu: mtu N\n  holds 9\n  means 9 bytes\n",
        6,
        "mtu: a value without a source is unknown",
    ),
    "an absence without a meaning": (
        "[absent]\nmtu: mtu N\nlag: lag N\n  means none\n",
        6,
        "mtu: what the absence means",
    ),
    "an absence of a strange value": (
        "[absent]\nmtu: mtu N\n  holds much\n",
        7,
        "'much' is no value: write yes, no or a number",
    ),
    "an absence with two values": (
        "[absent]\nmtu: a\n  holds 1\n  means a\n  holds 2\n  source guide\n",
        9,
        "`holds` stands twice below the line",
    ),
    "an absence twice": ("[absent]\nmtu: a\nmtu: b\n", 7, "mtu: the key is there twice"),
    "an unknown word of an absence": (
        "[absent]\nmtu: mtu N\n  price 7\n",
        7,
        "'price 7' says nothing that is known of a line that is absent",
    ),
    "nothing above": ("mtu = <1-9>\n  as above\n", 6, "'as above' says nothing"),
    "the same line in other words": (
        "mtu [ far ] <1-9>\nmtu <3-5>\n",
        6,
        "the rule of line 5 takes these lines",
    ),
    "a line that a choice takes": ("up|down x\ndown x\n", 6, "the rule of line 5 takes these"),
    "a meaning that is never reached": (
        "? up <text>\n  routing nothing\nup <1-9>\n  routing up\n",
        7,
        "the rule of line 5 takes these lines",
    ),
    "a meaning behind another one of a range": (
        "mtu <bytes:3-5>\n  routing small\nmtu <bytes:1-9>\n  routing any\n",
        7,
        "the rule of line 5 takes these lines",
    ),
    "a meaning behind another one of a trait": (
        "xgs: mtu\n  routing one\ntx: mtu\n  routing other\n",
        7,
        "the rule of line 5 takes these lines",
    ),
    "no mode behind its sign": ("port > \n", 5, "the name of a mode stands behind `>`"),
    "a sign without a mode": ("port >\n", 5, "'>' stands alone"),
    "an empty word": ("up||down\n", 5, "'up||down' has an empty word"),
    "a rule twice with a blank": ("mtu = <1-9>\n? mtu  = <1-9>\n", 6, "is there twice"),
    "an unknown risk": ("mtu\n  risk grave\n", 6, "the risk 'grave' is none of harmless, brief"),
    "a risk twice": ("mtu\n  risk harmless\n  risk restart\n", 7, "`risk` stands twice"),
    "a meaning twice": ("mtu\n  routing a | routing b\n", 6, "`routing` stands twice"),
    "an unknown mark": ("mtu\n\tstay\n", 6, "'stay' says nothing"),
    "ours by nothing": ("mtu\n  ours a if b: c\n", 6, "'b' narrows nothing: write NAME=PATTERN"),
    "ours by no pattern": ("mtu\n  ours a if b=[: c\n", 6, "'[' is no pattern: unterminated"),
    "ours by an unknown argument": (
        "mtu <far:1-9>\n  ours a if near=1: c\n  source guide\n",
        5,
        "no argument has the name 'near'",
    ),
    "ours in a mode of other rules": (
        "mtu <1-9>\n  ours a in port: c\n  source guide\n",
        5,
        "narrowed to the mode 'port', and the rule is in no such mode",
    ),
    "two arguments of a name": ("mtu <a:1-9> <a:1-9>\n", 5, "two arguments have one name"),
    "a mode that is none": ("port <1-9> > port\n", 5, "there is no mode 'port'"),
    "a mode that nothing opens": ("mtu\n[port]\nup\n", 6, "no rule opens the mode 'port'"),
    "a hidden line of no rule": ("mtu <1-9>\n[hidden config]\nmtu 10\n", 7, "no rule of config"),
    "hidden in no mode": ("[hidden]\nmtu 10\n", 5, "write [hidden MODE]"),
    "a kind of no pattern": ("[kinds]\nlane [a\n[config]\nup <lane>\n", 8, "'[a' is no pattern"),
    "a kind of two words": ("[kinds]\nlane a b\n", 6, "a kind is NAME PATTERN"),
    "a kind twice": ("[kinds]\nlane a\nlane b\n", 7, "'lane' is there twice"),
    "a source of nothing": ("[sources]\nbook\n", 6, "a source is KEY = WORDS"),
    "a removal of other words": ("mtu = <1-9> ! far\n", 5, "begins as the key does"),
    "a removal with an argument": ("mtu = <1-9> ! mtu <1-9>\n", 5, "an argument that the key has"),
    "a removal without one": ("mtu <1-9> = <1-9> ! mtu\n", 5, "the arguments of the key in their"),
    "a removal of no words": ("mtu !\n", 5, "a phrase, or `-`, stands behind `!`"),
    "a range of nothing": ("mtu = <9-1>\n", 5, "the range <9-1> has nothing"),
    "an open argument": ("mtu = <1-9\n", 5, "'<1-9' is not closed"),
    "an open bracket": ("mtu [ far\n", 5, "a '[' is not closed"),
    "a stray bracket": ("mtu far )\n", 5, "')' stands alone"),
    "two signs": ("mtu = <1-9> = <1-9>\n", 5, "the key ends once"),
    "no words": ("[ mtu ]\nup\n[ lag ]\n", 5, "a rule begins with a word"),
    "words behind the rest": ("mtu <text> far\n", 5, "<text> is the rest of the line"),
}
#: An argument of each kind whose pattern no one word fits by chance.
EXAMPLES = {
    r"\d+": "1",
    r"[\d.]+": "10.0.0.1",
    r"[\d.]+/\d+": "10.0.0.1/31",
    r"Vlan\d+": "Vlan7",
    r"\d+([,-]\d+)*": "7",
}


#: Words that fit no other kind, or several.
WORDS = (
    *("word", "Vrf17", "target:65000:50017"),
    *("Ethernet1/1", "Management1", "Loopback0", "Port-Channel1", "0x7f", "10gfull"),
    *("00:00:00:00:00:01", "2001:db8::1", "2001:db8::1/64", "1g", "ipv4"),
    *("100GE1/0/1", "Vlanif7", "LoopBack0", "2000", "255.255.255.0"),
    *("HundredGigE1/0/1", "Vlan-interface7"),
    *("et-0/0/1", "re0:mgmt-0", "irb.101", "011", "011010", "/24-/32", "swp1", "2x", "alpha_8"),
    *(
        "PortChannel1",
        "10.255.0.11:17",
        "65000:50017",
        "5m",
        "polling_interval",
        "CRC",
        "IN_PORT",
        "ecn_all",
        "ASIC",
        "ipv4_unicast",
    ),
    "net.ipv4.neigh.default.gc_thresh1",
    "net.ipv4.neigh.default.base_reachable_time_ms",
)
#: What rules of books are bound to.
TRAITS = ("dnx", "xgs", "tx", "uc", "q7", "a", "b")


@each("name", WRONG)
def test_a_mistake_has_a_line(tmp_path: Path, name: str) -> None:
    text, line, message = WRONG[name]
    file = tmp_path / "lines.book"
    file.write_text(HEAD + text)
    with pytest.raises(BookError, match=rf"lines\.book:{line}: .*{re.escape(message)}"):
        read_book(file, "acme")


def test_what_stands_below_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "lines.book"
    file.write_text(
        f"{HEAD}port <name:1-9> > port\n  ours ports if name=[12]: a.b c.d\n  ours\n"
        "  source guide (page 3)\n  source guide\n  risk harmless\n  negate first\n"
        "lane <name:1-9>\n  as above\n[port]\nup\n"
    )
    book = read_book(file, "acme")
    port, lane, up = (rule.known for rule in book.rules)
    assert [(one.template, one.fields, one.when) for one in port.ours] == [
        ("ports", ("a.b", "c.d"), (("name", "[12]"),)),
        ("", (), ()),
    ]
    assert (port.source, port.risk, port.marks) == (
        "Acme guide (page 3); Acme guide",
        "harmless",
        {"negate first"},
    )
    assert (lane.ours, lane.source, lane.marks) == (port.ours, port.source, port.marks)
    assert (up.ours, book.depths) == ([], {"config": 0, "port": 1})
    assert book.owned_at_the_top() == ("port [12]", r"port \d+", "lane [12]", r"lane \d+")


@each("words", permutations(("as above", "risk restart", "ours b: c.d", "routing up | stays")))
def test_own_words_count_before_those_above(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Wherever they stand, and also where the rule above says `as above` itself."""
    file = tmp_path / "lines.book"
    file.write_text(
        f"{HEAD}port\n  risk harmless | shared | ours a: a.b | source guide | routing down\n"
        f"lane\n  as above\nmtu\n  {' | '.join(words)}\n"
    )
    known = read_book(file, "acme").rules[-1].known
    assert ([ours.template for ours in known.ours], known.source) == (["b", "a"], "Acme guide")
    assert (known.risk, known.marks) == ("restart", {"shared", "stays"})
    assert known.means == {"routing": "up"}


def test_a_line_that_is_no_text_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "lines.book").write_bytes(b"[config]\nmtu\nm\xff\n")
    with pytest.raises(BookError, match=r"lines\.book:3: the line is not UTF-8"):
        read_book(tmp_path / "lines.book", "acme")


def test_an_owner_that_names_an_argument_owns_what_has_it(tmp_path: Path) -> None:
    file = tmp_path / "lines.book"
    file.write_text(
        f"{HEAD}lane = ( group <first:fast> | share <1-9> )\n"
        "  ours lanes if first=fast: a.b | ours lanes: c.d | source guide\n"
    )
    book = read_book(file, "acme")
    assert [[*rule.keys(ours)] for rule, ours in book.owned()] == [
        ["lane group fast"],
        ["lane", "lane"],
    ]
    assert book.owned_at_the_top() == ("lane group fast", "lane .*")


def test_an_owner_that_names_a_mode_owns_what_stands_there(tmp_path: Path) -> None:
    file = tmp_path / "lines.book"
    file.write_text(
        f"{HEAD}port <1-9> > port\nlane <1-9> > lane\n"
        "? port|lane all > port\n"
        "[port lane]\nmtu = <1-9>\n"
        "  ours lanes in lane: a.b | ours ports: c.d | source guide\n"
    )
    book = read_book(file, "acme")
    modes = {ours.template: book.modes_of(rule, ours) for rule, ours in book.owned()}
    assert modes == {"lanes": ("lane",), "ports": ("port",)}
    holders = [book.holders[mode] for mode in ("config", "port", "lane")]
    assert holders == [((),), ((r"port \d+",),), ((r"lane \d+",),)]


def test_an_argument_of_an_own_kind_has_a_name(tmp_path: Path) -> None:
    file = tmp_path / "lines.book"
    file.write_text("[kinds]\nlanes x\\d+\n[config]\nport <name:lanes>\nspare <lanes>\n")
    lines = [line for rule in read_book(file, "acme").rules for line in rule.lines()]
    assert lines == [r"(?:port) (?P<name>x\d+)", r"(?:spare) (?:x\d+)"]


@each("system", books())
def test_every_rule_takes_its_own_lines(system: str) -> None:
    """A line that an earlier rule takes would never reach its own."""
    book = books()[system]
    grammar = Grammar(book.tables()[0], frozenset(TRAITS))
    for rule in book.rules:
        is_taken = rule.known.is_shown and not rule.rule.removes_only
        for variant in rule.rule.variants if is_taken else ():
            line = [_example(element) for element in variant.elements]
            for mode in rule.known.modes:
                shown = [one for one in book.rules if one.known.is_shown]
                of_mode = [one for one in shown if mode in one.known.modes]
                assert of_mode[grammar[mode].match(line).rule.rank] is rule, (mode, line)


def _example(element: Element) -> str:
    if element.literals:
        return min(element.literals)
    if element.span:
        return str(element.span[1])
    for word in (*WORDS, *EXAMPLES.values(), "60", "1500", "1100", "576", "5000", "120"):
        if element.rest or (element.check and element.check(word)):
            return word
    raise AssertionError(element.pattern)


def test_a_beginning_has_the_letters_of_its_argument(tmp_path: Path) -> None:
    """Unless it may have others."""
    file = tmp_path / "lines.book"
    file.write_text(f"{HEAD}up|down <name:ethernet>\nport <port>\nmtu <1-9>\n")
    assert [[*rule.beginnings()] for rule in read_book(file, "acme").rules] == [
        ["down Ethernet", "up Ethernet"],
        ["port "],
        ["mtu "],
    ]


@each("system", books())
def test_risks_and_templates_exist(system: str) -> None:
    book = books()[system]
    assert [risk.word for risk in Risk] == [*RISKS]
    templates = {file.stem for file in (template_folder() / system).glob("*.j2")}
    for rule, ours in book.owned():
        mistake = book.mistake(rule, f"there is no template {ours.template}")
        assert ours.template in {"", *templates}, str(mistake)
    assert templates <= {ours.template for _, ours in book.owned()}


TABLES = """\
[sources]
guide = Acme guide

[tables]
LANE <word>
WIRE ( all | <@LANE> ) <name:word> > WIRE
  ours wires if name=x.*: a.b
  ours wires
  source guide
[WIRE]
speed = <-8-7>
  ours speeds if name=x1: c.d
  source guide
ends = <@LANE|@WIRE ...>
<0-9> = <word,...>
[other]
gap = <text>
  ours gaps | source guide
"""


def test_rows_and_fields_of_tables(tmp_path: Path) -> None:
    file = tmp_path / "lines.book"
    file.write_text(TABLES)
    book = read_book(file, "acme")
    lane, both, wire = rows(book)
    assert (lane.table, lane.fields, both.table, wire.table) == ("LANE", (), "WIRE", "WIRE")
    speed, ends, number = (wire.field(name) for name in ("speed", "ends", "3"))
    assert speed
    assert speed.values[0].check
    assert [speed.values[0].check(word) for word in ("-8", "7", "8", "--1")] == [
        "-8",
        "7",
        None,
        None,
    ]
    assert ends
    assert (referred(ends.values[0].kind), ends.values[0].many) == (
        ("LANE", "WIRE"),
        "...",
    )
    assert number
    assert (number.values[0].many, number.names) == (",", frozenset())


def test_paths_of_tables(tmp_path: Path) -> None:
    """A row, a table, a field, and a line of another file; what is narrowed comes first."""
    file = tmp_path / "lines.book"
    file.write_text(TABLES)
    patterns = [
        (ours.template, ours.fields, pattern)
        for _, ours, pattern in printed(read_book(file, "acme"))
    ]
    for path, templates in {
        "WIRE": ["wires"],
        "WIRE|all|x2": ["wires", "wires"],
        "WIRE|all|y": ["wires"],
        "WIRE|all|x1|speed": ["wires", "speeds", "wires"],
        "WIRES|all|y": [],
        "LANE|all": [],
        "gap 7": ["gaps"],
    }.items():
        taken = {(name, fields) for name, fields, pattern in patterns if re.match(pattern, path)}
        assert sorted(name for name, _ in taken) == sorted(templates), path
