"""The two forms of a Junos configuration, and the grammar between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.catalogue import sku, sku_names
from fabric.systems.junos.platforms.grammar import (
    StatementError,
    levels,
    replaces,
    statements,
)
from fabric.systems.junos.platforms.hierarchy import read_tree
from fabric.systems.junos.platforms.text import (
    ConfigurationTextError,
    line_text,
    quoted,
    read_set,
)
from fabric.systems.junos.platforms.tree import tree_text
from tests.cases import each
from tests.reference import reference

#: Written for this test, in the manner of `show configuration`.
TREE = """\
## Last commit: today
system {
    host-name leaf1;
    login {
        user admin {
            uid 2000;
            class super-user;
            authentication {
                encrypted-password "$6$x"; ## SECRET-DATA
            }
        }
    }
}
/* two ports */
interfaces {
    et-0/0/0 {
        description "to gpu 1; \\"new\\"";
        unit 0 {
            family inet {
                address 10.0.0.1/31;
            }
        }
    }
    inactive: et-0/0/1 {
        mtu 9216;
    }
    et-0/0/2 {
        unit 0 {
            family inet;
        }
    }
}
class-of-service {
    drop-profiles {
        dp1 {
            interpolate {
                fill-level [ 55 90 ];
                drop-probability [ 0 100 ];
            }
        }
    }
    forwarding-classes {
        class CNP queue-num 3;
        class NO-LOSS queue-num 4 no-loss pfc-priority 3;
    }
}
"""
LINES = """\
set system host-name leaf1
set system login user admin uid 2000
set system login user admin class super-user
set system login user admin authentication encrypted-password $6$x
set interfaces et-0/0/0 description "to gpu 1; \\"new\\""
set interfaces et-0/0/0 unit 0 family inet address 10.0.0.1/31
set interfaces et-0/0/1 mtu 9216
deactivate interfaces et-0/0/1
set interfaces et-0/0/2 unit 0 family inet
set class-of-service drop-profiles dp1 interpolate fill-level 55
set class-of-service drop-profiles dp1 interpolate fill-level 90
set class-of-service drop-profiles dp1 interpolate drop-probability 0
set class-of-service drop-profiles dp1 interpolate drop-probability 100
set class-of-service forwarding-classes class CNP queue-num 3
set class-of-service forwarding-classes class NO-LOSS queue-num 4 no-loss pfc-priority 3
"""


def flat(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the single statements of a line."""
    return [tuple(w for step in found for w in step.words) for found in statements(words)]


def test_a_tree_is_its_lines() -> None:
    """With comments, quotes, several values and what is not active."""
    assert "".join(f"{line_text(line)}\n" for line in read_tree(TREE)) == LINES


def test_lines_are_a_tree_again() -> None:
    """With several statements on one line where the system writes them so."""
    words = [words for verb, words in read_set(LINES) if verb == "set"]
    text = tree_text(words)
    assert "        class NO-LOSS queue-num 4 no-loss pfc-priority 3;\n" in text
    assert "                fill-level [ 55 90 ];\n" in text
    assert [flat(words) for _, words in read_tree(text)] == [flat(item) for item in words]


def test_brackets_are_several_lines() -> None:
    """As `display set` prints them."""
    assert read_set("set a b [ 1 2 ]") == [("set", ("a", "b", "1")), ("set", ("a", "b", "2"))]


def test_single_statements() -> None:
    """One line, three statements."""
    words = read_set("set class-of-service forwarding-classes class A queue-num 4 no-loss")[0][1]
    head = ("class-of-service", "forwarding-classes", "class", "A")
    assert flat(words) == [(*head, "queue-num", "4"), (*head, "no-loss")]


def test_levels_of_a_statement() -> None:
    """Those at which something can be deleted."""
    words = ("protocols", "bgp", "group", "fabric", "neighbor", "10.0.0.1", "family", "inet")
    assert levels((*words, "unicast")) == [
        words[:1],
        words[:2],
        words[:4],
        words[:6],
        words,
        (*words, "unicast"),
    ]


def test_levels_of_what_is_not_known() -> None:
    """As far as it is known, and the whole."""
    words = ("interfaces", "et-0/0/5", "unit", "0", "family", "iso", "address", "49.0001")
    assert levels(words) == [words[:1], words[:2], words[:4], words]
    assert levels(("interfaces", "et-0/0/5", "mtu", "99999"))[-1][-1] == "99999"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("system host-name a", True),
        ("interfaces et-0/0/0 unit 0 family inet address 10.0.0.1/31", False),
        ("forwarding-options hash-key family inet layer-3", False),
        ("class-of-service drop-profiles a interpolate fill-level 3", False),
        ("class-of-service forwarding-classes class A queue-num 3", True),
        ("system unknown a", False),
    ],
)
def test_which_statement_takes_the_place_of_another(text: str, wanted: bool) -> None:
    """One value stands alone; entries, flags and lists stand beside each other."""
    assert replaces(tuple(text.split())) is wanted


WRONG = {
    "unknown": "system hostname x",
    "value": "system arp aging-timer 0",
    "missing": "system arp aging-timer",
    "not whole": "interfaces et-0/0/0",
    "behind": "system host-name a b",
    "port": "interfaces Ethernet1 mtu 9000",
    "address": "interfaces et-0/0/0 unit 0 family inet address 10.0.0.256/31",
    "no length": "interfaces et-0/0/0 unit 0 family inet address 10.0.0.1",
    "bits": "class-of-service congestion-notification-profile a input dscp code-point 011 pfc",
    "percent": "class-of-service shared-buffer ingress buffer-partition lossless percent 101",
    "partition": "class-of-service shared-buffer ingress buffer-partition multicast percent 1",
    "queue": "class-of-service forwarding-classes class A queue-num 8",
    "digits of others": "system arp aging-timer ٣",
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_statement(name: str) -> None:
    """Is refused, with the word that does not fit."""
    with pytest.raises(StatementError) as caught:
        statements(tuple(WRONG[name].split()))
    assert caught.value.word in WRONG[name].split()


@pytest.mark.parametrize(
    "text",
    ["a {", "a { b; } }", "a b", "{ a; }", 'a "b;', "a [ b;", "a ] b;", "a [ ];", ";", "a { b }"],
)
def test_broken_trees(text: str) -> None:
    """Are no configuration."""
    with pytest.raises(ConfigurationTextError):
        read_tree(text)


@pytest.mark.parametrize("text", ["set", "show x", 'set "a', "set a [ b", "set a ] b", "set a [ ]"])
def test_broken_lines(text: str) -> None:
    """Are no configuration."""
    with pytest.raises(ConfigurationTextError):
        read_set(text)


@given(word=st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1))
def test_any_word_comes_back(word: str) -> None:
    """From both forms, whatever it holds."""
    assert read_set(f"set a {quoted(word)}") == [("set", ("a", word))]
    assert read_tree(f"a {quoted(word)};") == [("set", ("a", word))]


@given(text=st.text(max_size=80))
def test_no_other_exception(text: str) -> None:
    """Whatever is read."""
    for read in (read_set, read_tree):
        try:
            read(text)
        except ConfigurationTextError:
            continue


@given(cut=st.integers(0, len(TREE.rstrip()) - 1))
def test_a_cut_tree_is_noticed(cut: int) -> None:
    """Unless it is cut where a part ends."""
    try:
        found = read_tree(TREE[:cut])
    except ConfigurationTextError:
        return
    assert found == read_tree(TREE)[: len(found)]


@each("name", sku_names())
def test_models(name: str) -> None:
    """Ports from 0; buffers that come to exactly 100 on both sides, lossless alike."""
    model = sku(name)
    if model.nos != "junos":
        return
    assert (model.port(1), model.port(model.port_count)) == (
        "et-0/0/0",
        f"et-0/0/{model.port_count - 1}",
    )
    percents = {key: int(value) for key, value in model.facts.items() if key.endswith("_percent")}
    ingress = [percents[f"ingress_{part}_percent"] for part in ("lossless", "headroom", "lossy")]
    egress = [percents[f"egress_{part}_percent"] for part in ("lossless", "lossy")]
    assert sum(ingress) == sum(egress) == 100
    assert ingress[0] == egress[0]
    assert set(model.speed_tokens) == set(model.speeds_gbps)


#: Parts of the vendor's configurations that this grammar must know whole.
KNOWN = ("class-of-service", "vlans")
VENDOR = ["leaf1_qfx5240-64od", "spine1_qfx5240-64od", "leaf1_qfx5130-32cd"]


@pytest.mark.parametrize(
    "name", ["leaf1_qfx5240-64od", "spine1_qfx5240-64od", "leaf1_qfx5130-32cd"]
)
def test_configurations_of_the_vendor(name: str) -> None:
    """All of it is read, the lossless part is known, and what is known comes back without loss."""
    path = reference("fixtures", "junos", "jvd", f"{name}.conf")
    lines = read_tree(path.read_text(encoding="utf-8"))
    assert len(lines) > 90
    known = []
    for _, words in lines:
        try:
            known += flat(words)
        except StatementError:
            assert words[0] not in KNOWN or "description" in words, words
    assert len(known) > 70
    again = [item for _, words in read_tree(tree_text(known)) for item in flat(words)]
    assert sorted(again) == sorted(set(known))
