"""The language of books: how rules are written, and the grammars of every system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fabric.book.book import read_book
from fabric.book.file import BookError
from fabric.book.grammar import Grammar, InvalidInputError, Mode
from fabric.systems.comware7.lab import rules as comware7
from fabric.systems.eos.lab import rules as eos
from fabric.systems.esonic.lab import rules as esonic
from fabric.systems.nxos.lab import rules as nxos
from fabric.systems.vrp8.lab import rules as vrp8

if TYPE_CHECKING:
    from pathlib import Path

SYSTEMS = {
    "comware7": comware7.VIEWS,
    "eos": eos.MODES,
    "esonic": esonic.MODES,
    "nxos": nxos.MODES,
    "vrp8": vrp8.VIEWS,
}
WEIGHT = "qos queue <0-7> drr weight := <1-100>"
PEER = "peer <ip4> timer := keepalive <0-9> ! peer <ip4> timer keepalive"


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_mode_of_the_stand_in_is_opened(name: str) -> None:
    tables = SYSTEMS[name]
    texts = [rule for text in tables.values() for rule in text.splitlines()]
    opens = {rule.partition(" !")[0].rpartition(" > ")[2] for rule in texts if " > " in rule}
    assert opens | {"config"} == set(tables)


def taken(mode: Mode, line: str) -> list[str]:
    """Return a line as a mode shows it; nothing when it refuses it."""
    try:
        return [entry[1] for entry in mode.match(line.split()).entries()]
    except InvalidInputError:
        return []


@pytest.mark.parametrize(
    ("rule", "line", "key"),
    [
        (WEIGHT, "qos queue 3 drr weight 50", "qos queue 3 drr weight"),
        (WEIGHT, "qos queue 8 drr weight 50", None),
        (WEIGHT, "qos queue 3 drr weight 0", None),
        ("network <ip4> <mask>", "network 10.0.0.0 255.0.255.0", None),
        ("network <ip4> <mask>", "network 10.0.0.300 255.255.255.0", None),
        ("ssh <text>", "ssh user admin", "ssh user admin"),
        ("a: lldp enable", "lldp enable", None),
        ("interface <Vlanif1-4094>", "interface Vlanif7", "interface Vlanif7"),
        ("interface <Vlanif1-4094>", "interface Vlanif4095", None),
    ],
)
def test_arguments_have_ranges_and_keys_stand_before_the_value(
    rule: str, line: str, key: str | None
) -> None:
    mode = Grammar({"config": rule}, frozenset({"b"}))["config"]
    if key is None:
        with pytest.raises(InvalidInputError):
            mode.match(line.split())
    else:
        assert [entry[0] for entry in mode.match(line.split()).entries()] == [key]


def test_rules_read_options_and_choices() -> None:
    mode = Mode(["a [ b <0-3> ] ( c | d e ) = <text>", "-a x"])
    assert mode.match(["a", "b", "2", "d", "e", "f", "g"]).words == ("a", "b", "2", "d", "e", "f g")
    assert mode.match(["a", "c", "f"]).key_length == 2
    assert mode.match_removal(["a", "x"]) == (["a x"], True)
    assert mode.match_removal(["a", "c"]) == (["a c"], False)


@pytest.mark.parametrize(
    ("rule", "line", "key"),
    [
        ("mtu = <1-9>", "mtu", "mtu"),
        ("mtu = <1-9>", "mtu 5", "mtu"),
        ("mtu := <1-9>", "mtu", "mtu"),
        ("mtu := <1-9>", "mtu 5", None),
        ("mtu &= <1-9>", "mtu", None),
        ("mtu &= <1-9>", "mtu 5", "mtu"),
        (PEER, "peer 10.0.0.1 timer keepalive", "peer 10.0.0.1 timer"),
        (PEER, "peer 10.0.0.1 timer", None),
        ("aaa > aaa !-", "aaa", None),
    ],
)
def test_what_removes_a_line(rule: str, line: str, key: str | None) -> None:
    mode = Mode([rule])
    if key is None:
        with pytest.raises(InvalidInputError):
            mode.match_removal(line.split())
    else:
        assert mode.match_removal(line.split()) == ([key], False)


FILE = r"""# a comment
[kinds]
lanes \d+(,\d+)*

[config]
port > port
gateway > gateway

[port gateway]
[ ip ] mtu = <68-9214>

[port]
lanes = <lanes>

[hidden port gateway]
mtu 1500
"""


def test_signs_of_a_hierarchy_are_no_part_of_a_line() -> None:
    """Levels of several words, levels on one line, and values side by side."""
    mode = Mode(["class~<0-9>! points += <~[a-z~!]+>"])
    assert taken(mode, "class 3 points a~b!") == ["class 3 points a~b!"]
    assert mode.match("class 3 points a".split()).key_length == len("class 3 points a".split())


def test_a_file_gives_rules_to_its_modes_and_kinds_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "lines.book").write_text(FILE)
    tables, hidden = read_book(tmp_path / "lines.book", "acme").tables()
    grammar = Grammar(tables, frozenset())
    assert hidden == dict.fromkeys(("port", "gateway"), frozenset({"mtu 1500"}))
    assert taken(grammar["gateway"], "ip mtu 9000") == ["ip mtu 9000"]
    assert taken(grammar["gateway"], "lanes 1,2") == []
    assert taken(grammar["port"], "lanes 1,2") == ["lanes 1,2"]
    assert taken(grammar["port"], "lanes 1-2") == []


def test_a_rule_below_no_mode_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lines.book").write_text("# a comment\nmtu = <68-9214>\n")
    with pytest.raises(BookError, match=r"lines.book:2: a rule stands below the name"):
        read_book(tmp_path / "lines.book", "acme")
