"""What a repair does is looked at before it is advised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.intent.resolve import PolicyResolver
from fabric.qos.deadlock import prove
from fabric.qos.deadlock.repair import repairs, shared_asn
from fabric.topology.partition import cut_pairs
from tests.qos.deadlock.test_proof import CUT1, CUT2, TWO_AS, small
from tests.topology.fabrics import EXAMPLES, example

MOVED = (
    "  - {names: su1-rail0, ports: {Ethernet128: {peer: {device: spine02, port: Ethernet32}}}}\n",
    "  - {names: su1-rail1, ports: {Ethernet136: {peer: {device: spine01, port: Ethernet32}}}}\n",
)


def tried(*devices: str, **changes):
    built = small(*devices, **changes)
    return repairs(built, PolicyResolver(built.intent))


def test_one_as_that_takes_no_route_is_the_first_repair():
    (only,) = tried(CUT1, TWO_AS)
    assert (only.one_asn, only.cables_on, only.works) == (True, 0, True)
    assert only.critical_cables == 4  # two leaves are left with one spine in common


def test_one_as_that_partitions_is_not_advised():
    first, second = tried(CUT1, CUT2, TWO_AS)
    assert (first.one_asn, first.free, first.works) == (True, True, False)
    assert (first.cut, first.cut_pairs) == (("su1-rail0", "su1-rail1"), 1)
    assert (second.one_asn, second.cables_on, second.works) == (False, 2, True)
    assert second.critical_cables == 0


def test_moved_cables_leave_no_repair():
    (only,) = tried(*MOVED, TWO_AS)
    assert (only.cut, only.works) == (("su1-rail0", "su1-rail1"), False)


@pytest.mark.parametrize("devices", [(CUT1, TWO_AS), (CUT1, CUT2, TWO_AS)])
def test_a_repair_does_what_it_says(devices):
    built = small(*devices)
    best = repairs(built, PolicyResolver(built.intent))[-1]
    if best.one_asn:
        built = replace(built, switches=replace(built.switches, asn=shared_asn(built)))
    if best.cables_on:
        on = np.ones_like(built.uplinks.enabled)
        built = replace(built, uplinks=replace(built.uplinks, enabled=on))
    assert prove(built).free
    assert not cut_pairs(built).any()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_share_their_as_numbers_already(name):
    built = example(name)
    assert shared_asn(built).tolist() == built.switches.asn.tolist()
    assert not cut_pairs(built).any()
