"""A BGP session of the lab is up when each end has the AS number that the other one expects."""

from __future__ import annotations

import pytest

from fabric.lab.standin import BgpEnd
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import Selection
from fabric.workflow.plan import plan
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=3.0, poll_s=0.1)
FABRICS = {
    "SONiC and EOS": labs.INVENTORY,
    "NX-OS": labs.NXOS,
    "VRP8": labs.VRP8,
    "Comware 7": labs.COMWARE7,
    "Junos": labs.JUNOS,
    "Cumulus Linux": labs.CUMULUS,
    "Enterprise SONiC": labs.ESONIC,
}


@pytest.mark.parametrize(
    ("near", "far", "agrees"),
    [
        ((65101, 65100), (65100, 65101), True),
        ((65101, 0), (65100, 65101), True),
        ((65101, 65100), (65100, 0), True),
        ((65101, 65100), (65200, 65101), False),
        ((65101, 65100), (65100, 65102), False),
        ((65101, 0), (65100, 65102), False),
    ],
)
def test_as_numbers_of_both_ends(near, far, agrees):
    assert BgpEnd(*near).agrees(BgpEnd(*far)) is agrees
    assert BgpEnd(*far).agrees(BgpEnd(*near)) is agrees


@pytest.mark.parametrize("name", FABRICS)
def test_a_spine_with_another_as_number_has_no_session(tmp_path, monkeypatch, name):
    with labs.running_lab(tmp_path, monkeypatch, FABRICS[name]) as (lab, project, connections):
        state = tmp_path / "state"
        first = apply(labs.planned(project, connections), state, connections, OPTIONS, labs.silent)
        assert first.ok, first.reasons
        assert labs.unhealthy(project, connections) == []  # a session that was down is no loss
        for device in (labs.LEAF, labs.SPINE):
            design = project.devices[device].bgp
            for peer in design.neighbours:
                assert lab[device].bgp_end(peer.address) == BgpEnd(design.asn, peer.asn)
                assert lab[device].bgp_end("192.0.2.99") is None
        other = labs.changed(tmp_path / "inventory", "arp:", "bgp: {spine_asn: 65200}\narp:")
        only = Selection(only=labs.SPINE)
        planned = plan(other, connections, only, "rail", labs.silent)
        second = apply(planned, state, connections, OPTIONS, labs.silent)
        assert not second.ok
        assert "bgp 10.254.0.1: state is" in second.reasons[0]
        assert labs.unhealthy(project, connections) == []
