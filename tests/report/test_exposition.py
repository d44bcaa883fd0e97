"""The text format of Prometheus: a client library reads what was written."""

from __future__ import annotations

from datetime import UTC, datetime

from prometheus_client.parser import text_string_to_metric_families

from fabric.observe.snapshot import Snapshot
from fabric.observe.state import BgpPeer, InterfaceState, PfcCounters
from fabric.report.exposition import exposition
from fabric.report.observed import Seen

TIME = datetime(2026, 11, 24, 12, tzinfo=UTC)
HOSTILE = 'a"} 1\nrocefab_fake{x="\\'


def leaf(port: str = "Ethernet0") -> Seen:
    pauses = PfcCounters((0, 0, 0, 2**60 + 1, None, 0, 0, 0), (0,) * 8)
    ports = {port: InterfaceState(up=True, counters={"rx_drops": 3})}
    seen = Snapshot("leaf1", interfaces=ports, pfc_counters={port: pauses})
    return Seen("leaf1", "sonic", seen, unknown=("queues",), time=TIME)


def read(text: str) -> dict[tuple[str, ...], float]:
    """Return the figures as a client library reads them, by name and values of the labels."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_library_reads_every_figure() -> None:
    text = exposition([leaf(), Seen("spine1", "eos", error="cannot connect", time=TIME)])
    shown = read(text)
    assert shown["rocefab_device_read", "leaf1", "sonic"] == 1
    assert shown["rocefab_device_read", "spine1", "eos"] == 0
    assert shown["rocefab_device_read_timestamp_seconds", "leaf1"] == TIME.timestamp()
    assert shown["rocefab_reading_unknown", "leaf1", "queues"] == 1
    assert shown["rocefab_port_up", "leaf1", "Ethernet0"] == 1
    assert [key for key in shown if "spine1" in key] == [("rocefab_device_read", "spine1", "eos")]
    assert ("rocefab_pfc_pause_frames_total", "leaf1", "Ethernet0", "4", "received") not in shown
    line = 'priority="3",direction="received"} 1152921504606846977\n'
    assert line in text, "a counter is printed whole"


def test_each_family_has_one_block_with_help_and_type() -> None:
    text = exposition([leaf(), leaf("Ethernet8")])
    names = [line.split("{")[0] for line in text.splitlines() if not line.startswith("#")]
    blocks = [name for place, name in enumerate(names) if names[place - 1 : place] != [name]]
    assert len(blocks) == len(set(blocks))
    for name in blocks:
        kind = "counter" if name.endswith("_total") else "gauge"
        assert text.count(f"# TYPE {name} {kind}\n") == 1
        assert text.count(f"# HELP {name} ") == 1
    assert sorted(blocks) == blocks


def test_a_name_from_a_device_stays_a_label() -> None:
    seen = Snapshot("leaf1", bgp={HOSTILE: BgpPeer(established=False, state="Idle", asn=1)})
    shown = read(exposition([Seen("leaf1", "sonic", seen, time=TIME)]))
    assert shown["rocefab_bgp_session_up", "leaf1", HOSTILE] == 0
    assert "rocefab_fake" not in {name for name, *_ in shown}


def test_no_device() -> None:
    assert exposition([]) == ""
