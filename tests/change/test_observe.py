"""observe: the state of a SONiC leaf, an EOS spine and a host, as the lab has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fabric.cli.app import app
from fabric.cli.exits import CommandExit, Exit
from fabric.core.errors import InputError
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import PfcCounters, QueueCounters, WatchdogState
from fabric.workflow.observe import FIELDS, Seen, Selection, observe
from tests.cases import each
from tests.change.labs import HOST, LEAF, SPINE, running_lab, silent

RUN = CliRunner()
EVERYTHING = Selection()


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    with running_lab(tmp_path_factory.mktemp("observe"), patch) as lab:
        yield lab
    patch.undo()


def _seen(ready, *wanted: str, selection: Selection = EVERYTHING) -> dict[str, Seen]:
    _, project, connections = ready
    return {s.device: s for s in observe(project, connections, selection, wanted, silent)}


def test_everything_that_the_platforms_can_read(ready) -> None:
    found = _seen(ready)
    assert set(found) == {LEAF, SPINE, HOST}
    assert {name: seen.error for name, seen in found.items()} == {LEAF: "", SPINE: "", HOST: ""}
    leaf, spine = found[LEAF].snapshot, found[SPINE].snapshot
    assert leaf is not None
    assert spine is not None
    assert len(leaf.interfaces or {}) == 32
    assert spine.facts is not None
    assert spine.facts.model == "7060X6-64PE"
    # a switch fresh from the box prints no WRED profile: that is unknown, not "none"
    assert found[LEAF].unknown == ("ecn_profiles",)
    assert leaf.ecn_profiles is None


def test_counters_of_the_leaf(ready) -> None:
    lab, _, _ = ready
    counters = lab[LEAF].counters
    counters.add("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", 1_234)
    counters.add("Ethernet0", "SAI_PORT_STAT_IF_IN_ERRORS", 5)
    counters.add("Ethernet0:queue 3", "SAI_QUEUE_STAT_DROPPED_PACKETS", 9)
    counters.add("Ethernet0:queue 3", "SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", 152_000)
    wanted = ("interfaces", "pfc_counters", "queues")
    snapshot = _seen(ready, *wanted, selection=Selection(only=LEAF))[LEAF].snapshot
    assert snapshot is not None
    assert snapshot.pfc_counters is not None
    received = (0, 0, 0, 1_234, 0, 0, 0, 0)
    assert snapshot.pfc_counters["Ethernet0"] == PfcCounters(received, (0,) * 8)
    assert snapshot.interfaces is not None
    assert snapshot.interfaces["Ethernet0"].counters["rx_errors"] == 5
    assert snapshot.interfaces["Ethernet0"].mtu_bytes == 9100
    assert snapshot.queues is not None
    assert snapshot.queues["Ethernet0", 3] == QueueCounters(0, 9, 152_000)
    assert snapshot.bgp is None


def test_a_reading_that_a_platform_lacks_is_said(ready) -> None:
    found = _seen(ready, "pfc_counters", "lldp")
    assert found[LEAF].unread == ()
    assert found[SPINE].unread == ("pfc_counters",)


@each(
    ("states", "words"),
    [
        ((None, None), "2 queues, storms of 2 not known"),
        ((True, False), "2 queues, 1 in a pause storm"),
        ((True, None), "2 queues, 0 in a pause storm, storms of 1 not known"),
    ],
)
def test_a_queue_without_a_known_state_is_in_no_storm(states, words) -> None:
    """NX-OS and VRP8 do not say whether a storm lasts."""
    dogs = {("Ethernet1/1", number): WatchdogState(state) for number, state in enumerate(states)}
    seen = Seen(LEAF, "nxos", Snapshot(LEAF, watchdog=dogs))
    assert seen.rows() == [(LEAF, "nxos", "watchdog", words)]


def test_rows_for_people_and_data_for_programs(ready) -> None:
    found = _seen(ready, "bgp", "queues", selection=Selection(only=LEAF))[LEAF]
    assert (LEAF, "sonic", "bgp", "0 of 0 sessions established") in found.rows()
    state = found.as_dict()["state"]
    assert set(state) == {"bgp", "queues"}
    assert state["queues"]["Ethernet0|3"]["dropped_packets"] is not None
    json.dumps(found.as_dict())


def test_an_unknown_field_is_refused_before_anything_is_read(ready) -> None:
    with pytest.raises(InputError) as caught:
        _seen(ready, "pfc_counter", "everything")
    first, second = caught.value.findings
    assert first.fix == "did you mean 'pfc_counters'?"
    assert second.message == "unknown field 'everything'"
    assert "bgp" in FIELDS


def test_command_line(ready) -> None:
    _, project, connections = ready
    words = ["observe", project.intent.folder, "--connections", str(connections)]
    text = RUN.invoke(app, [*words, "--field", "lldp", "--no-hosts"])
    assert text.exit_code == 0, text.output
    assert text.stdout.splitlines()[0].split() == ["device", "platform", "field", "seen"]
    answer = RUN.invoke(app, [*words, "--field", "lldp", "--format", "json"])
    assert [item["device"] for item in json.loads(answer.stdout)] == [LEAF, SPINE, HOST]


def test_a_device_that_cannot_be_reached(ready, tmp_path: Path) -> None:
    """The others are read; the exit code says that one was not."""
    _, project, connections = ready
    data = json.loads(connections.read_text())
    data["devices"][SPINE]["port"] = 9
    file = tmp_path / "connections.json"
    file.write_text(json.dumps(data))
    words = ["observe", project.intent.folder, "--connections", str(file), "--field", "lldp"]
    answer = RUN.invoke(app, words)
    assert isinstance(answer.exception, CommandExit)
    assert answer.exception.code is Exit.DEVICE
    assert f"{SPINE}" in answer.stdout
    assert "could not be read" in answer.stdout
    assert LEAF in answer.stdout
