"""hier_config reads our text, and finds the same differences as we do.

Its ``future`` is not asked where a line and its negation replace each other (`switchport`): it
drops both. Values that a new line overwrites it negates first, and it would remove ports that the
other switch model lacks; we do neither. On VRP8 it negates whole lines and knows no defaults.

Two systems have no driver that fits. That of Comware 5 takes ``#`` for a section and the lines of
the system, which Comware indents by one, for what stands in it; none knows Enterprise SONiC, and
the generic one stops at the second ``!``.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hier_config import Platform, get_hconfig

from fabric.change.adapter import adapters
from fabric.systems.junos import adapters as junos
from fabric.systems.junos.platforms import ORDERED_PARTS
from fabric.systems.junos.platforms.text import line_text, read_set

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hier_config import HConfig

nxos, vrp8 = adapters["nxos"], adapters["vrp8"]
GOLDEN = Path(__file__).parents[1] / "golden"
SYSTEMS = {
    "eos": ("startup-config.eos", Platform.ARISTA_EOS),
    "nxos": ("running-config.nxos", Platform.CISCO_NXOS),
    "junos": ("junos.set", Platform.JUNIPER_JUNOS),
    "vrp8": ("running-config.vrp8", Platform.HUAWEI_VRP),
}
_TOGGLE = re.compile(r"\+ (no |undo )?(switchport|portswitch|shutdown)")
#: What VRP8 does when nothing is said: ports are up and for one VLAN, and family a discards while
#: it recovers.
_DEFAULT = re.compile(
    r"undo shutdown|(undo )?port link-type access"
    r"|dcb pfc deadlock recovery-behavior discard slot 1"
)
_VALUE = re.compile(r' ("[^"]*"|\S+)$')
_PORT = re.compile(r"no interface Ethernet\S+")


@cache
def texts(system: str) -> dict[str, str]:
    """Return the golden texts of a system by inventory and switch."""
    files = sorted((GOLDEN / system).rglob(SYSTEMS[system][0]))
    return {f"{file.parent.parent.name}/{file.parent.name}": file.read_text() for file in files}


@cache
def parsed(system: str, name: str) -> HConfig:
    """Return a golden text as hier_config reads it."""
    return get_hconfig(SYSTEMS[system][1], texts(system)[name])


ALL = [(system, name) for system in SYSTEMS for name in texts(system)]
PAIRS = [
    pytest.param(system, *pair, id=f"{system}-{pair[0]}-{pair[1]}")
    for system in SYSTEMS
    for pair in permutations(texts(system), 2)
]
OF = {name: [p for p in PAIRS if p.values[0] == name] for name in SYSTEMS}


@pytest.mark.parametrize(("system", "name"), ALL)
def test_every_line_is_read(system: str, name: str) -> None:
    """None is lost, doubled or taken as part of another; comments apart."""
    words = [line.strip() for line in texts(system)[name].splitlines()]
    lines = [line for line in words if line and not line.startswith(("!", "#", "exit"))]
    read = [child.text for child in parsed(system, name).all_children()]
    assert sorted(read) == sorted(lines)


@pytest.mark.parametrize(("system", "left", "right"), OF["eos"] + OF["nxos"] + OF["vrp8"])
def test_running_and_remediation_are_intended(system: str, left: str, right: str) -> None:
    """From every golden text to every other."""
    before, after = parsed(system, left), parsed(system, right)
    rest = before.future(before.config_to_get_to(after)).unified_diff(after)
    apart = [line.strip() for line in rest if line.lstrip().startswith(("+", "-"))]
    assert not [line for line in apart if not _TOGGLE.fullmatch(line)]


def paths(lines: Iterable[str], blanks: int = 2) -> set[tuple[str, ...]]:
    """Return every line of an indented text with the lines that it stands under."""
    stack: list[str] = []
    found = set()
    for line in lines:
        depth = (len(line) - len(line.lstrip())) // blanks
        stack = [*stack[:depth], line.strip()]
        found.add(tuple(stack))
    return found


@pytest.mark.parametrize(("system", "left", "right"), OF["nxos"])
def test_our_patches_miss_nothing_on_nxos(system: str, left: str, right: str) -> None:
    """What hier_config adds, we add; what it removes, we remove or write over."""
    remediation = parsed(system, left).config_to_get_to(parsed(system, right))
    theirs = paths(remediation.dump_simple())
    ours = paths(nxos.patch(*(nxos.read(texts(system)[name]) for name in (left, right))))
    missed = {path for path in theirs - ours if not _PORT.fullmatch(path[-1])}
    assert not {path for path in missed if not path[-1].startswith("no ")}
    for path in missed:
        command = path[-1].removeprefix("no ").rsplit(" ", 1)[0].split(" ")[0]
        over = {one for one in ours if one[:-1] == path[:-1] and one[-1].startswith(command)}
        assert over, path


@pytest.mark.parametrize(("system", "left", "right"), OF["vrp8"])
def test_our_patches_miss_nothing_on_vrp8(system: str, left: str, right: str) -> None:
    """What hier_config adds, we add, but for defaults; what it removes, we remove or write over."""
    remediation = parsed(system, left).config_to_get_to(parsed(system, right))
    theirs = paths(remediation.dump_simple())
    lines = vrp8.patch(*(vrp8.read(texts(system)[name]) for name in (left, right)))
    ours = paths(lines, blanks=1)
    heads = {path[:-1] for path in theirs}
    missed = {path for path in theirs - ours - heads if not _DEFAULT.fullmatch(path[-1])}
    assert not {path for path in missed if not path[-1].startswith("undo ")}
    for path in missed:
        gone = path[-1].removeprefix("undo ")
        above = {path[:-1], path[:-2]}  # a peer that goes takes its line of the family along
        here = {one[-1].removeprefix("undo ") for one in ours if one[:-1] in above}
        words = set(gone.split())
        short = {one for one in here if words >= set(one.split()) or one.startswith(f"{gone} ")}
        assert short or vrp8.grammar.key_of(gone) in map(vrp8.grammar.key_of, here), path


@pytest.mark.parametrize(("system", "left", "right"), OF["junos"])
def test_our_patches_add_the_same_on_junos(system: str, left: str, right: str) -> None:
    """Parts in which the order counts are written anew by us, and only these."""
    theirs = set(parsed(system, left).config_to_get_to(parsed(system, right)).dump_simple())
    both = (read_set(texts(system)[name]) for name in (left, right))
    ours = {line_text(line) for line in junos.patch(*both)}
    added = [{line for line in lines if line.startswith("set ")} for lines in (theirs, ours)]
    assert added[0] <= added[1]
    anew = "|".join(ORDERED_PARTS)
    assert not [line for line in added[1] - added[0] if not re.search(anew, line)]
    deleted = [line for line in ours if line.startswith("delete ")]
    gone = [line for line in theirs if line.startswith("delete ")]
    wanted = set(texts(system)[right].splitlines())
    for line in gone:
        short = _VALUE.sub("", line).replace("delete ", "set ", 1)
        over = any(text.startswith(short) for text in wanted)
        assert over or any(line.startswith(ours_line) for ours_line in deleted), line
