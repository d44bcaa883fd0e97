"""Figures of recorded outputs: every number of a table is one figure with the right labels."""

from __future__ import annotations

import re
from pathlib import Path

from fabric.observe import families as of
from fabric.observe import snapshot_of
from fabric.observe.families import Family
from fabric.observe.parsers import parsers
from fabric.observe.samples import samples
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import BgpPeer, InterfaceState, NicCounters, SystemFacts, TableUse
from tests.cases import each

SAMPLES = Path(__file__).parent / "samples"
FAMILIES = [
    *(value for value in vars(of).values() if isinstance(value, Family)),
    *(family for family, _ in (*of.PORT_COUNTERS.values(), *of.NIC_COUNTERS.values())),
]
#: Subjects by platform, with the file that has their output.
FILES = {
    "sonic": {
        "interface_counters": "interfaces_counters.txt",
        "interface_bytes": "interfaces_bytes.txt",
        "fec_counters": "fec_counters.txt",
        "pfc_counters": "pfc_counters.txt",
        "watchdog_stats": "pfcwd_stats.txt",
        "queue_counters": "queue_counters.txt",
        "queue_watermarks": "queue_watermarks.txt",
        "group_drops": "group_drops.txt",
        "group_watermarks": "group_watermarks.txt",
        "group_shared_watermarks": "group_shared_watermarks.txt",
        "pool_watermarks": "pool_watermarks.txt",
        "headroom_pool_watermarks": "headroom_pool_watermarks.txt",
        "tables": "crm.txt",
    },
    "vrp8": {
        "marked": "marked.txt",
        "pfc_counters": "counters.txt",
        "queues": "queues.txt",
        "interfaces": "interfaces.txt",
    },
}


def recorded(platform: str) -> Snapshot:
    readings = {name: parsers[platform].readings[name] for name in FILES[platform]}
    texts = {
        name: (SAMPLES / platform / file).read_text() for name, file in FILES[platform].items()
    }
    seen = snapshot_of("leaf1", readings, texts)
    assert seen.unknown == ()
    return seen


def figures(seen: Snapshot) -> dict[tuple[str, ...], float]:
    return {(one.family.name, *one.labels): one.value for one in samples(seen)}


def test_sonic() -> None:
    seen = recorded("sonic")
    shown = figures(seen)
    group = ("rocefab_priority_group_headroom_watermark_bytes", "Ethernet0", "3")
    assert shown[group] == 19456
    assert seen.pfc_counters
    for port, counters in seen.pfc_counters.items():
        for way, counts in (("received", counters.received), ("sent", counters.sent)):
            keys = [("rocefab_pfc_pause_frames_total", port, str(n), way) for n in range(8)]
            assert [shown.get(key) for key in keys] == list(counts)
    assert seen.queues
    for (port, number), queue in seen.queues.items():
        key = ("rocefab_queue_dropped_packets_total", port, str(number))
        assert shown.get(key) == queue.dropped_packets
    assert shown["rocefab_port_bytes_total", "Ethernet0", "received"] == 9_412_004_411
    assert shown["rocefab_port_bytes_total", "Ethernet0", "sent"] == 88_120
    assert ("rocefab_port_bytes_total", "Ethernet8", "sent") not in shown, "N/A"
    assert seen.interfaces
    for port, state in seen.interfaces.items():
        for name, way in (("rx_drops", "received"), ("tx_drops", "sent")):
            key = ("rocefab_port_discarded_packets_total", port, way)
            assert shown.get(key) == state.counters.get(name)
    assert shown["rocefab_buffer_pool_watermark_bytes", "ingress_lossless_pool"] == 812160
    assert shown["rocefab_port_fec_uncorrected_codewords_total", "Ethernet0"] == 5
    assert ("rocefab_port_fec_uncorrected_codewords_total", "Ethernet8") not in shown, "N/A"
    assert [key for key in shown if key[0] == "rocefab_pfc_watchdog_storms_total"]


def test_a_system_that_marks_by_port() -> None:
    seen = recorded("vrp8")
    shown = figures(seen)
    assert seen.interfaces
    for port, state in seen.interfaces.items():
        key = ("rocefab_port_ecn_marked_packets_total", port)
        assert shown.get(key) == state.counters.get("out_ecn_marked_packets")
    assert any(key[0] == "rocefab_port_ecn_marked_packets_total" for key in shown)


def test_nics() -> None:
    driver = {"rx_prio3_pause": 7, "tx_prio0_pause_duration": 1_500_000, "rx_discards_phy": 2}
    driver |= {"rx_bytes_phy": 400, "tx_bytes_phy": 500}
    nic = NicCounters("mlx5_1", True, driver, {"np_cnp_sent": 4, "lifespan": 10})
    assert figures(Snapshot("gpu1", nics={"eth1": nic})) == {
        ("rocefab_port_up", "eth1"): True,
        ("rocefab_pfc_pause_frames_total", "eth1", "3", "received"): 7,
        ("rocefab_pfc_pause_seconds_total", "eth1", "0", "sent"): 1.5,
        ("rocefab_port_discarded_packets_total", "eth1", "received"): 2,
        ("rocefab_port_bytes_total", "eth1", "received"): 400,
        ("rocefab_port_bytes_total", "eth1", "sent"): 500,
        ("rocefab_nic_cnp_sent_total", "eth1"): 4,
    }


def test_nics_of_broadcom() -> None:
    nic = NicCounters("bnxt_re0", True, {}, {"seq_err_naks_rcvd": 3, "rnr_naks_rcvd": 0})
    assert figures(Snapshot("gpu1", nics={"eth1": nic})) == {
        ("rocefab_port_up", "eth1"): True,
        ("rocefab_nic_sequence_naks_total", "eth1"): 3,
        ("rocefab_nic_rnr_naks_total", "eth1"): 0,
    }


def test_state() -> None:
    seen = Snapshot(
        "leaf1",
        facts=SystemFacts("leaf1", uptime_s=9.5),
        interfaces={"e1": InterfaceState(up=False), "e2": InterfaceState()},
        bgp={
            "10.0.0.1": BgpPeer(established=True, state="Established", asn=1),
            "10.0.0.3": BgpPeer(True, "Established", 1, established_s=60.0, lost=2),
        },
        tables={"host_entries": TableUse(3)},
        lldp={"e1": ()},
    )
    assert figures(seen) == {
        ("rocefab_device_uptime_seconds",): 9.5,
        ("rocefab_port_up", "e1"): False,
        ("rocefab_bgp_session_up", "10.0.0.1"): True,
        ("rocefab_bgp_session_up", "10.0.0.3"): True,
        ("rocefab_bgp_session_established_seconds", "10.0.0.3"): 60.0,
        ("rocefab_bgp_session_lost_total", "10.0.0.3"): 2,
        ("rocefab_table_entries", "host_entries"): 3,
        ("rocefab_lldp_neighbours", "e1"): 0,
    }


def test_what_was_not_read_has_no_figure() -> None:
    assert figures(Snapshot("leaf1", unknown=("pfc_counters",))) == {}
    assert figures(Snapshot("gpu1", nics={"eth1": NicCounters("mlx5_1")})) == {}


@each("family", FAMILIES)
def test_names_keep_to_the_rules_of_prometheus(family: Family) -> None:
    assert re.fullmatch(r"rocefab(_[a-z0-9]+)+", family.name)
    assert all(re.fullmatch(r"[a-z_]+", label) for label in family.labels)
    assert {"device", "le", "quantile", "job", "instance"}.isdisjoint(family.labels)
    assert family.text.endswith(".")
    same = [other for other in FAMILIES if other.name == family.name]
    assert len(set(same)) == 1, "two families of one name"
