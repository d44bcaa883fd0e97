"""A part of a fabric as a picture: what belongs to it, and which cable is which line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.clos import clos
from fabric.topology.drawing import cable_states
from fabric.topology.drawing_layout import picture
from fabric.topology.drawing_part import Choice, limited, lines_of_cables, part
from fabric.topology.model import Fabric
from tests.topology.fabrics import example
from tests.topology.test_drawing import wide

EXAMPLES = ("demo", "rail-512", "three-tier", "dual-plane", "explicit", "rail-only")
#: Parts, by example: the choice, with hosts, leaves and further switches that belong to it.
CASES = {
    "a unit": ("rail-512", Choice(units={"su2"}), (32, 8, 8)),
    "two units": ("rail-512", Choice(units={"su1", "su2"}), (64, 16, 8)),
    "a rail": ("rail-512", Choice(rail=3), (64, 2, 8)),
    "a rail of a unit": ("rail-512", Choice(units={"su1"}, rail=3), (32, 1, 8)),
    "a pod": ("three-tier", Choice(pods={"east"}), (8, 2, 6)),
    "a plane": ("dual-plane", Choice(plane=1), (8, 2, 2)),
    "hosts": ("rail-512", Choice(hosts={"gpu001", "gpu064"}), (2, 16, 8)),
    "hosts and a rail": ("rail-512", Choice(hosts={"gpu001"}, rail=0), (1, 1, 8)),
    "nothing": ("rail-512", Choice(units={"none"}), (0, 0, 0)),
    "no such host": ("rail-512", Choice(hosts={"none"}), (0, 0, 0)),
}


@pytest.mark.parametrize("name", CASES)
def test_what_belongs_to_a_part(name: str) -> None:
    inventory, choice, counts = CASES[name]
    built = example(inventory)
    some = part(built, choice)
    leaves = some.switches & (built.switches.tier == 0)
    found = (some.hosts.sum(), leaves.sum(), (some.switches & ~leaves).sum())
    assert tuple(map(int, found)) == counts


@pytest.mark.parametrize("choice", [Choice(rail=3), Choice(units={"su1"}, rail=3)])
def test_a_rail_alone_has_its_colour(choice: Choice) -> None:
    built = example("rail-512")
    some = part(built, choice)
    shown = limited(built, some)
    drawn = picture(shown, clos(shown), some.states(cable_states(built, clos(built))))
    assert {line.rail for line in drawn.lines} == {3}


def _check(built: Fabric, choice: Choice) -> None:
    """Every device of a part is in one box, and every cable of it in the line between its boxes."""
    some = part(built, choice)
    if not some.switches.any():
        return
    shown = limited(built, some)
    states = some.states(cable_states(built, clos(built)))
    drawn = picture(shown, clos(shown), states)
    names = sorted(name for box in drawn.boxes for name in box.members)
    assert names == sorted([*shown.switches.names, *shown.hosts.names])
    of = {name: number for number, box in enumerate(drawn.boxes) for name in box.members}
    nic_line, cable_line = lines_of_cables(shown, drawn)
    counted = np.bincount(np.concatenate([nic_line, cable_line]), minlength=len(drawn.lines))
    assert counted.tolist() == [line.cables for line in drawn.lines]
    switches, up = shown.switches.names, shown.uplinks
    for row, number in enumerate(cable_line.tolist()):
        line = drawn.lines[number]
        assert line.upper == of[switches[int(up.upper[row])]]
        assert of[switches[int(up.lower[row])]] in line.lower


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_whole_is_drawn_as_before(name: str) -> None:
    built = example(name)
    shown = limited(built, part(built, Choice()))
    states = cable_states(built, clos(built))
    whole = picture(built, clos(built), states)
    cabled = part(built, Choice())
    if cabled.nics.all() and cabled.switches.all():
        assert picture(shown, clos(shown), cabled.states(states)) == whole


@pytest.mark.parametrize("name", EXAMPLES)
@given(data=st.data())
def test_any_part_is_whole(name: str, data: st.DataObject) -> None:
    built = example(name)
    units = [unit.name for unit in built.intent.fabric.units]
    choice = Choice(
        units=data.draw(st.none() | st.frozensets(st.sampled_from(units), min_size=1)),
        rail=data.draw(st.none() | st.integers(0, built.rails)),
        plane=data.draw(st.none() | st.integers(0, 1)),
        hosts=data.draw(st.none() | st.frozensets(st.sampled_from(built.hosts.names), max_size=9)),
    )
    _check(built, choice)


def test_a_unit_of_a_large_fabric() -> None:
    built = wide(1000, 2000, 8)
    _check(built, Choice())
    _check(built, Choice(units={"su3"}))
    whole = picture(built, clos(built), cable_states(built, clos(built)))
    assert len(whole.boxes) + len(whole.lines) < 500  # of 6,000 devices: a browser draws it at once
    shown = limited(built, part(built, Choice(units={"su3"})))
    assert shown.switches.names[:2] == ("leaf6", "leaf7")
