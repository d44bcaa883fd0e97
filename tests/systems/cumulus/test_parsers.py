"""Cumulus Linux: own samples value by value, recorded ones, and damaged ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.observe.collect import merged
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    NeighbourEntry,
    Optic,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
    WatchdogState,
)
from fabric.systems.cumulus.parsers import CumulusParser, bgp_summary, counters, optics, roce
from fabric.systems.cumulus.parsers.interfaces import bfd, facts, interfaces, neighbours
from tests.reference import reference
from tests.systems.outputs import Outputs, optics_part

SAMPLES = Path(__file__).parents[2] / "observe" / "samples" / "cumulus"
KMIN, KMAX = round(146.48 * 1024), round(1.43 * 1024 * 1024)


def sample(name: str) -> str:
    return (SAMPLES / name).read_text(encoding="utf-8")


def recorded(name: str) -> str:
    """Return a recorded output without what the guide left out of it, or skip."""
    lines = reference("fixtures", "cumulus", name).read_text(encoding="utf-8").splitlines()
    return "".join(f"{line}\n" for line in lines if line.strip() != "...")


# -- own samples -----------------------------------------------------------------------------------


def test_it_is_registered() -> None:
    assert isinstance(parsers["cumulus"], CumulusParser)


def test_interfaces() -> None:
    """Front panel ports only; a port that is down has no speed."""
    assert interfaces(sample("interfaces.txt")) == {
        "swp1": InterfaceState(up=True, speed_gbps=400, mtu_bytes=9100),
        "swp2": InterfaceState(up=False, mtu_bytes=9216),
        "swp3s0": InterfaceState(up=True, speed_gbps=100, mtu_bytes=9216),
    }


def test_roce() -> None:
    """The recipe holds for every port."""
    ports = ("swp1", "swp2", "swp3s0")
    assert roce.pfc_priorities(sample("roce.txt")) == dict.fromkeys(ports, (3,))
    state = EcnState(kmin_bytes=KMIN, kmax_bytes=KMAX, pmax_percent=100)
    found = roce.ecn(sample("roce.txt"))
    assert found == {(port, number): state for port in ports for number in (0, 3)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("enable                           on", "enable                           off"),
        ("enable                           on", "state                            disabled"),
        ("rx-enabled        enabled\n  tx-enabled        enabled", "rx-enabled no\n"),
        ("  pfc-priority      3\n", ""),
    ],
)
def test_no_pfc(old: str, new: str) -> None:
    """RoCE off, or the lossy mode; with half of the lines it is not known."""
    text = sample("roce.txt")
    assert old in text
    if "rx-enabled" in old:
        with pytest.raises(UnreadableError):
            roce.pfc_priorities(text.replace(old, new))
    else:
        assert set(roce.pfc_priorities(text.replace(old, new)).values()) == {()}


def test_pfc_in_one_direction_is_not_known() -> None:
    """Neither on nor off would be true."""
    text = sample("roce.txt").replace("tx-enabled        enabled", "tx-enabled        disabled")
    with pytest.raises(UnreadableError, match="one direction"):
        roce.pfc_priorities(text)


def test_counters() -> None:
    """By port and number."""
    text = sample("counters.txt")
    rx, tx = [0] * 8, [0] * 8
    rx[3], tx[3] = 42, 17
    assert counters.pfc_counters(text) == dict.fromkeys(
        ("swp1", "swp3s0"), PfcCounters(tuple(rx), tuple(tx))
    )
    found = counters.queues(text)
    assert len(found) == 16
    assert found["swp1", 3] == QueueCounters(packets=954)
    assert found["swp1", 0] == QueueCounters(packets=12)
    assert counters.priority_groups(text)["swp3s0", 3] == QueueCounters(packets=977)


def test_bytes() -> None:
    """Of front panel ports, as the kernel has them; `nv show` rounds."""
    found = counters.link_bytes(sample("links.json"))
    none = dict.fromkeys(("rx_bytes", "rx_packets", "tx_bytes", "tx_packets"), 0)
    assert {port: state.counters for port, state in found.items()} == {
        "swp1": {
            "rx_bytes": 9_412_004_411,
            "rx_packets": 2_297_852,
            "tx_bytes": 88_120,
            "tx_packets": 954,
        },
        "swp3s0": none,
    }
    both = merged(interfaces(sample("interfaces.txt")), found)
    assert (both["swp1"].up, both["swp1"].counters["tx_bytes"]) == (True, 88_120)


def test_watchdog_and_marked() -> None:
    text = sample("watchdog.txt")
    found = counters.watchdog(text)
    assert found["swp1", 3] == WatchdogState(operational=False, storms_detected=2)
    assert found["swp1", 0] == WatchdogState(operational=True, storms_detected=0)
    marked = counters.marked(sample("marked.txt"))
    assert marked == {("swp1", 3): EcnState(marked_packets=693)}
    both = merged(roce.ecn(sample("roce.txt")), marked)
    assert both["swp1", 3] == EcnState(KMIN, KMAX, 100, 693)


def test_a_watchdog_that_is_switched_off_is_no_storm() -> None:
    """Its queues are neither watched nor stopped: judge took each of them for dead."""
    text = sample("watchdog.txt")
    first, off = text.index("enabled "), text.replace("enabled ", "disabled", 1)
    assert text[first:] != off[first:]
    ports = {port for port, _ in counters.watchdog(text)}
    assert ports - {port for port, _ in counters.watchdog(off)} == {"swp1"}


def test_neighbours() -> None:
    """What is not resolved is left out."""
    assert neighbours(sample("neighbours.txt")) == {
        "10.254.0.0": NeighbourEntry("02:00:00:00:00:01", "swp17"),
        "10.64.0.2": NeighbourEntry("02:00:00:00:00:02", "vlan101"),
        "fe80::1": NeighbourEntry("02:00:00:00:00:01", "swp17"),
    }
    assert neighbours("") == {}


def test_bfd_and_bgp() -> None:
    """By peer."""
    assert bfd(sample("bfd.txt")) == {"10.254.0.0": True, "10.254.0.2": False}
    assert bgp_summary(sample("bgp.json")) == {
        "10.254.0.0": BgpPeer(True, "Established", 65100, 162_660.0, 2),
        "swp18": BgpPeer(established=False, state="Active", asn=65100),
    }
    assert bgp_summary("{}\n") == {}


def test_facts() -> None:
    """As the driver asks for them."""
    assert facts(sample("facts.txt")) == SystemFacts(
        hostname="su1-rail0", model="SN5600", serial="MT000001", mac="52:54:00:aa:00:01"
    )


def test_optics_and_temperatures() -> None:
    """A port without light and a sensor that failed have no figure."""
    assert optics.optics(sample("optics.txt")) == {
        "swp1": Optic(42.56, (-0.64, None), (-0.46, 0.5)),
    }
    assert optics.temperatures(sample("temperatures.txt")) == {
        "Board-Sensor-near-CPU": Sensor(25, 80),
        "PSU1-Temp-Sensor": Sensor(26.5, 80),
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-0.64 dBm", "-0.64"),
        ("42.56 degrees C", "42.56 degrees"),
        ("ch-1-tx-power ", "ch-3-tx-power "),
        ("ch-2-", "ch-4-"),
    ],
)
def test_wrong_optics_are_unreadable(old: str, new: str) -> None:
    """Figures without their unit, and lanes that are missing."""
    with pytest.raises(UnreadableError):
        optics.optics(sample("optics.txt").replace(old, new))


def test_a_release_without_the_command_reads_no_optics() -> None:
    """Every port prints nothing on standard output."""
    with pytest.raises(UnreadableError, match=r"from 5\.11 on"):
        optics.optics("== swp1 ==\n== swp2 ==\n")


def test_running() -> None:
    """One line for each value, whatever way they were written; quotes do not matter."""
    config = sample("config.nv")
    found = CumulusParser().running("leaf01", {"config": config, "unsaved": "\n"})
    assert found.canonical.splitlines() == [
        "nv set bridge domain br_default vlan 101",
        "nv set bridge domain br_default vlan 102",
        "nv set interface eth0 ip address dhcp",
        "nv set interface eth0 type eth",
        "nv set interface swp1 description 'to gpu 1'",
        "nv set interface swp1 type swp",
        "nv set interface swp2 type swp",
        "nv set interface swp32 type swp",
        "nv set system aaa user cumulus hashed-password '*'",
        "nv set system hostname leaf01",
    ]
    assert found.saved is True
    again = {"config": found.canonical, "unsaved": "nv set system hostname x\n"}
    other = CumulusParser().running("leaf01", again)
    assert other.fingerprint == found.fingerprint
    assert other.saved is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "nv set system hostname a",
        "- set:\n    system: {}\n",
        "nv unset system hostname\n",
        "nv set\n",
        "Error: GET /nvue_v1/revision: Connection refused\n",
        "nv set interface swp9-1 type swp\n",
        "nv set system hostname a\n\x1b[7m--More--\n",
    ],
)
def test_no_configuration_is_unreadable(text: str) -> None:
    """Empty, cut, YAML, an error, a pager."""
    with pytest.raises(UnreadableError):
        CumulusParser().running("leaf01", {"config": text, "unsaved": ""})


# -- recorded ones ---------------------------------------------------------------------------------

#: Recorded outputs that nothing asks for, and why.
NOT_READ = {
    "lldpcli_show_neighbors.txt": "the driver asks lldpd for JSON",
    "vtysh_show_ip_bgp_summary.txt": "the driver asks FRR for JSON",
    "nv_show_vrf_default_router_bgp_neighbor.txt": "nothing counts its rows; FRR prints JSON",
    "nv_show_interface_neighbor.txt": "ip neighbor says the same in lines that stand alone",
    "nv_show_interface_link.txt": "one command for each port, for what nv show interface says",
    "nv_show_bridge_domain_br_default.txt": "the applied configuration says it",
    "nv_show_bridge_port-vlan.txt": "the applied configuration says it",
    "nv_show_qos_congestion-control_default-global.txt": "the applied configuration says it",
    "nv_show_qos_egress-queue-mapping_default-global.txt": "the applied configuration says it",
    "nv_show_qos_egress-scheduler_default-global.txt": "the applied configuration says it",
    "nv_show_qos_pfc_default-global.txt": "the applied configuration says it",
    "nv_show_qos_traffic-pool_default-lossy.txt": "the applied configuration says it",
    "nv_show_system_global_arp.txt": "the applied configuration says it",
    "nv_show_router_adaptive-routing.txt": "the snapshot has no such field",
    "nv_show_service_ntp_mgmt_server.txt": "the snapshot has no such field",
    "nv_show_interface_qos_roce_status.txt": "nv show qos roce says it for all ports at once",
}
READ = {
    "nv_show_qos_roce.lossless.txt",
    "nv_show_qos_roce.lossless-single-ipool.txt",
    "nv_show_interface.txt",
    "nv_show_interface_counters_qos.txt",
    "nv_show_interface_qos_pfc-watchdog.txt",
    "nv_show_interface_qos_roce_counters.txt",
    "ip_neighbor_show.txt",
    "ptmctl_b.txt",
}


def test_every_recorded_output_is_read_or_named() -> None:
    recorded("ptmctl_b.txt")
    assert {
        path.name for path in reference("fixtures", "cumulus").glob("*.txt")
    } == READ | NOT_READ.keys()
    assert not READ & NOT_READ.keys()


@pytest.mark.parametrize("mode", ["lossless", "lossless-single-ipool"])
def test_recorded_roce(mode: str) -> None:
    text = recorded("nv_show_interface.txt") + roce.DIVIDER
    text += recorded(f"nv_show_qos_roce.{mode}.txt")
    assert roce.pfc_priorities(text) == {"swp1": (3,)}
    state = EcnState(kmin_bytes=KMIN, kmax_bytes=KMAX, pmax_percent=100)
    assert roce.ecn(text) == {("swp1", 0): state, ("swp1", 3): state}


def test_recorded_ports_neighbours_and_bfd() -> None:
    assert interfaces(recorded("nv_show_interface.txt")) == {
        "swp1": InterfaceState(up=True, speed_gbps=1, mtu_bytes=9000)
    }
    assert neighbours(recorded("ip_neighbor_show.txt")) == {
        "192.168.200.251": NeighbourEntry("48:b0:2d:00:00:01", "eth0"),
        "10.5.5.51": NeighbourEntry("00:00:5e:00:53:51", "swp51"),
        "192.168.200.1": NeighbourEntry("48:b0:2d:b1:48:ef", "eth0"),
        "fe80::4ab0:2dff:fe00:1": NeighbourEntry("48:b0:2d:00:00:01", "eth0"),
    }
    assert bfd(recorded("ptmctl_b.txt")) == {
        "fe80::202:ff:fe00:1": True,
        "3101:abc:bcad::2": True,
    }


def test_recorded_counters() -> None:
    text = "== swp1 ==\n" + recorded("nv_show_interface_counters_qos.txt")
    assert counters.pfc_counters(text) == {"swp1": PfcCounters((0,) * 8, (0,) * 8)}
    assert set(counters.queues(text).values()) == {QueueCounters(packets=0)}
    assert len(counters.priority_groups(text)) == 8
    found = counters.watchdog("== swp1 ==\n" + recorded("nv_show_interface_qos_pfc-watchdog.txt"))
    assert [found["swp1", number].storms_detected for number in range(8)] == [
        0,
        3,
        2,
        0,
        0,
        0,
        0,
        3,
    ]
    marked = counters.marked("== swp1 ==\n" + recorded("nv_show_interface_qos_roce_counters.txt"))
    assert marked["swp1", 3].marked_packets == 693777677344


# -- damaged ones ----------------------------------------------------------------------------------


#: The file of each parser.
FILES: dict[Callable[[str], Any], str] = {
    interfaces: "interfaces.txt",
    roce.pfc_priorities: "roce.txt",
    roce.ecn: "roce.txt",
    counters.pfc_counters: "counters.txt",
    counters.queues: "counters.txt",
    counters.priority_groups: "counters.txt",
    counters.link_bytes: "links.json",
    counters.watchdog: "watchdog.txt",
    counters.marked: "marked.txt",
    optics.optics: "optics.txt",
    optics.temperatures: "temperatures.txt",
    neighbours: "neighbours.txt",
    bfd: "bfd.txt",
    bgp_summary: "bgp.json",
    facts: "facts.txt",
}


def _part(name: str, found: Any, whole: Any) -> bool:
    """Tell whether a reading says nothing that the whole does not say."""
    if isinstance(found, SystemFacts):
        return replace(found, model="", serial="", mac="") == replace(
            whole, model="", serial="", mac=""
        )
    if name == "optics":
        return optics_part(found, whole)
    if name in {"pfc_priorities", "ecn"}:  # lines that are optional in other modes
        return all(value in (whole.get(key), ()) for key, value in found.items())
    return bool(found.items() <= whole.items())


TEXTS = [parse.__name__ for parse, file in FILES.items() if file.endswith(".txt")]
OUTPUTS = Outputs(
    nos="cumulus",
    cases={parse.__name__: (parse, None) for parse in FILES},
    files={parse.__name__: file for parse, file in FILES.items()},
    only_damaged=True,
    marks=["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"],
    marked=TEXTS,
    lines=dict.fromkeys(TEXTS, 0) | {"facts": 1},  # the second line is no host name
    rubbish=[parse.__name__ for parse in FILES],
    pieces=["{", "}", "null", "[]", "²"],
    # Whole rows can be missing without a trace; the driver waits for a mark behind the output.
    uncounted=set(TEXTS) - {"marked"},
    part_of=_part,
)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        '{"ipv4Unicast": {}}',
        '{"ipv4Unicast": {"peers": {"10.0.0.1": {}}, "totalPeers": 1}}',
        '{"ipv4Unicast": {"peers": {}, "totalPeers": 1}}',
        '{"ipv4Unicast": {"peers": [], "totalPeers": 0}}',
        "% BGP instance not found",
    ],
)
def test_other_answers_of_frr_are_unreadable(text: str) -> None:
    """JSON of another shape, rows that are missing, error messages."""
    assert OUTPUTS.read("bgp_summary", text) is None
