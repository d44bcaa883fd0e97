"""The hierarchy of a stanza like one before is the one that the grammar gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.render import render_device
from fabric.systems.junos.lab.hierarchy import tree_text
from fabric.systems.junos.platforms import stanzas
from fabric.systems.junos.platforms.grammar import StatementError
from fabric.systems.junos.platforms.stanzas import hierarchy_alike
from fabric.systems.junos.platforms.text import ConfigurationTextError, read_set
from tests.render.junos_designs import designs

BGP = "set protocols bgp group fabric"
PORT = "set interfaces et-0/0/0"
#: Lines of a stanza with slots, and values that the grammar takes.
STANZAS = {
    f"{BGP} neighbor {{0}} description {{1}}\n{BGP} neighbor {{2}} description {{3}}\n"
    f"{BGP} neighbor {{0}} peer-as {{4}}": (
        *("10.0.0.1", "gpu001", "fd00::1", '"gpu001 eth1"', "65001"),
    ),
    f"{PORT} description {{1}}\n{PORT} mtu {{4}}\n"
    f"{PORT} unit 0 family ethernet-switching vlan members {{3}}\n"
    f"{PORT} unit 0 family ethernet-switching vlan members RAIL7\n"
    f"{PORT} unit 0 family inet address {{0}}/31": (
        *("10.0.0.1", '"gpu001 eth1"', "fd00::1", "RAIL0", "9216"),
    ),
    "set system host-name {3}\nset system arp aging-timer {4}": (
        *("10.0.0.1", "gpu001", "fd00::1", "leaf1", "240"),
    ),
}
ADDRESSES = st.one_of(
    st.sampled_from(["10.0.0.1", "10.0.0.10", "10.0.0.300", "fd00::1", "fd00::a", "inet6", "lo0"]),
    st.ip_addresses().map(str),
)
NAMES = st.sampled_from([
    "gpu001",
    "RAIL0",
    "RAIL",
    '"gpu001 eth1"',
    '"a \\\\ b"',
    '"RAIL0"',
    "0",
    "10",
    "fec91",
    "~0~",
    "unit",
])
NUMBERS = st.integers(0, 5_000_000_000).map(str) | st.sampled_from(["9216", "240", "241", "x"])


def _plain(stanza: str) -> str | None:
    try:
        return tree_text(words for _, words in read_set(stanza))
    except (StatementError, ConfigurationTextError):
        return None


@pytest.mark.parametrize("stanza", STANZAS)
@given(st.data())
def test_it_is_what_the_grammar_gives(stanza: str, data: st.DataObject) -> None:
    """For values that fit and values that do not, that are equal, and that are words elsewhere."""
    hierarchy_alike.cache_clear()
    stanzas._form.cache_clear()
    first = stanza.format(*STANZAS[stanza])
    assert hierarchy_alike(first)
    assert hierarchy_alike(first) == _plain(first)
    kinds = (ADDRESSES, NAMES, ADDRESSES, NAMES, NUMBERS)
    values = [
        data.draw(st.just(value) | kind) for value, kind in zip(STANZAS[stanza], kinds, strict=True)
    ]
    text = stanza.format(*values)
    alike = hierarchy_alike(text)
    assert alike is None or alike == _plain(text)


@pytest.mark.parametrize("switch", ["su1-rail0", "su2-rail7", "spine05"])
def test_a_switch_needs_no_grammar_after_one_of_its_kind(switch: str) -> None:
    flat, tree = (artefact.text for artefact in render_device(designs("rail-512")[switch]))
    by_word: dict[str, list[str]] = {}
    for row in flat.splitlines():
        by_word.setdefault(row.split()[1], []).append(row)
    made = {word: hierarchy_alike("\n".join(rows)) for word, rows in by_word.items()}
    assert [word for word, text in made.items() if text is None] == []
    assert "".join(filter(None, made.values())) == tree


def test_a_line_twice_needs_the_grammar() -> None:
    assert hierarchy_alike("set system host-name a\nset system host-name a") is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"{PORT} description ~0~\n{PORT} mtu 9216", ""),
        (f"{PORT} description 1{{2", f"{PORT} description 1;2"),
        (
            f'{PORT} description "9216"\n{PORT} mtu 9216',
            f'{PORT} description "9216"\n{PORT} mtu 1500',
        ),
    ],
    ids=["the mark of a slot", "a value with signs", "a value in quotes"],
)
def test_what_looks_like_a_slot_needs_the_grammar(first: str, second: str) -> None:
    for text in filter(None, (first, second)):
        assert hierarchy_alike(text) in {None, _plain(text)}


@pytest.mark.parametrize("value", ["inet6", "et-0/0/0"])
def test_a_value_that_is_a_word_of_the_text_needs_the_grammar(value: str) -> None:
    form = stanzas._form(stanzas.Slotted.of(f"{PORT} description gpu001"))
    assert form.holds(["gpu002"])
    assert not form.holds([value])
