"""Waves: what changes at the same time never holds the whole of what carries the traffic."""

from __future__ import annotations

import pytest

from fabric.change.order import waves
from tests.cases import each
from tests.topology.fabrics import INVENTORY, example

EXAMPLES = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))
DEMO = {
    "rail": [["su1-rail0", "su2-rail0"], ["su1-rail1", "su2-rail1"]],
    "unit": [["su1-rail0", "su1-rail1"], ["su2-rail0", "su2-rail1"]],
    "device": [["su1-rail0"], ["su1-rail1"], ["su2-rail0"], ["su2-rail1"]],
}


@pytest.mark.parametrize("by", DEMO)
def test_spines_then_leaves_then_hosts(by):
    assert waves(example("demo"), by) == [
        *(["spine01"], ["spine02"]),
        *DEMO[by],
        *(["gpu001", "gpu002"], ["gpu003", "gpu004"]),
    ]


@each("by", DEMO)
@each("name", EXAMPLES)
def test_every_device_once_and_every_spine_alone(name, by):
    built = example(name)
    order = waves(built, by)
    names = [device for wave in order for device in wave]
    assert sorted(names) == sorted([*built.switches.names, *built.hosts.names])
    above = set(built.switches.names[built.switches.leaf_count :])
    assert [len(wave) for wave in order if above & set(wave)] == [1] * len(above)


@pytest.mark.parametrize("by", DEMO)
def test_two_leaves_of_one_rail_and_unit_never_change_together(by):
    built = example("dual-tor")
    switches = built.switches
    for wave in waves(built, by):
        served = [
            (int(switches.unit[row]), int(switches.rail[row]))
            for row, name in enumerate(switches.names[: switches.leaf_count])
            if name in wave
        ]
        assert len(served) == len(set(served))
