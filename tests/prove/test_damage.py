"""Damaged files of each system: unreadable, or proved to be what they are, and never a crash."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.configuration import Configured, readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.engine import Engine
from tests.cases import examples
from tests.prove.fabrics import example
from tests.prove.test_faults_by_system import KINDS, prove_with

FILES = {**KINDS, "eos": "startup-config", "sonic": "config_db"}
#: Lines about what is proved; the others are most of a file.
WORDS = re.compile(
    r"^.*(bgp|neigh|peer|addr|vlan|rout|network|mtu|asn|protocol|policy|prefix|irb).*$",
    re.MULTILINE | re.IGNORECASE,
)
PIECES = ("", "\n", " ", "9", ".", "/", "no ", "undo ", "set ", '"', "{", "}", "x", "99999", "::")


@pytest.mark.parametrize("system", FILES)
@examples(25)
@given(data=st.data())
def test_a_damaged_file_is_no_crash(system: str, data: st.DataObject) -> None:
    """Whatever is put in, taken out or replaced."""
    _, texts = example("mixed")
    text = texts[f"{system}-leaf"][FILES[system]]
    for _ in range(data.draw(st.integers(1, 4))):
        line = data.draw(st.sampled_from(list(WORDS.finditer(text))))
        start = data.draw(st.integers(line.start(), line.end()))
        stop = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[stop:]
    try:
        switch = readers[system]({FILES[system]: text})
    except UnreadableError:
        return
    assert prove_with(**{f"{system}-leaf": switch}).pairs <= 56


@pytest.mark.parametrize("name", ["demo", "mixed", "dual-plane"])
def test_switches_from_the_box_connect_nobody(name: str) -> None:
    """No switch has an address: every promise is broken, and said to be."""
    project, _ = example(name)
    empty = {
        switch: Configured(design.platform, "running-config")
        for switch, design in project.devices.items()
    }
    proof = Engine(project.fabric, project.devices, project.hosts, empty).prove()
    assert (proof.sessions, proof.routes, proof.nics) == (0, 0, 0)
    assert proof.lost_pairs == proof.pairs > 0
    assert {"BAT003", "BAT005", "BAT014"} <= {breach.rule for breach in proof.breaches}
