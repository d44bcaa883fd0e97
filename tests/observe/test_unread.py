"""What was not read has no number: not in a state, not in a record, and in no figure."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields, is_dataclass

import numpy as np

from fabric.observe import state
from fabric.observe.hostfacts.ip import IpAddresses
from fabric.observe.samples import samples
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState
from fabric.report.exposition import exposition
from fabric.report.observed import Seen, busy, is_watched
from fabric.report.readings import ReadingsDocument, ReadState, snapshot_of
from fabric.serve.live import Ends
from fabric.serve.timelines import Timelines
from fabric.topology.drawing import CableState, CableStates

STATES = [one for one in vars(state).values() if isinstance(one, type) and is_dataclass(one)]


def test_no_field_of_a_state_begins_with_a_number_or_a_verdict() -> None:
    for kind in (*STATES, Snapshot, IpAddresses):
        for field in fields(kind):
            assert field.default is MISSING or field.default in {None, "", ()}, (kind, field.name)
    for name, field in ReadState.model_fields.items():
        assert field.default is None, name


def test_a_record_without_a_field_has_no_number_for_it() -> None:
    text = json.dumps({
        "format": "rocefab-readings/1", "device": "leaf1", "platform": "sonic", "time": None,
        "error": "", "unknown": [], "unread": [], "state": {"route_count": 0}, "rates": None,
    })  # fmt: skip
    document = ReadingsDocument.model_validate_json(text)
    assert snapshot_of(document) == Snapshot("leaf1", route_count=0)
    told = document.model_dump()["state"]
    assert {name for name, value in told.items() if value is not None} == {"route_count"}
    empty = ReadingsDocument.model_validate_json(text.replace('"route_count": 0', ""))
    assert snapshot_of(empty) == Snapshot("leaf1")


def test_a_snapshot_of_nothing_has_no_figure() -> None:
    snapshot = Snapshot("leaf1", interfaces={"Ethernet0": InterfaceState()})
    assert [*samples(snapshot)] == []
    seen = Seen("leaf1", "sonic", snapshot)
    assert exposition([seen]).splitlines()[-1].startswith("rocefab_device_read{")
    assert (busy([seen]), is_watched([seen])) == ([], False)
    assert ("leaf1", "sonic", "interfaces", "1 port, 1 unknown") in seen.rows()


def test_cables_that_nobody_read() -> None:
    ends = Ends.unknown(3)
    assert np.isnan([ends.load, ends.pause_per_s, ends.error_per_s]).all()
    assert not (ends.link_read | ends.peer_read).any()
    totals = CableStates(np.zeros(3, dtype=np.int64), np.zeros(2, dtype=np.int64)).totals()
    assert {total.state: total.cables for total in totals} == {
        CableState.PLANNED: 5,
        CableState.OVERSUBSCRIBED: 0,
        CableState.DOWN: None,
        CableState.LOSSLESS: None,
        CableState.WRONG: None,
    }
    assert Timelines().rated("leaf1") == []
