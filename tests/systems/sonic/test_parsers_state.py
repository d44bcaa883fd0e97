"""SONiC's counters and tables: small samples, recorded outputs, damage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.collect import merged
from fabric.observe.parsers import UnreadableError
from fabric.observe.state import (
    EcnState,
    InterfaceState,
    MacEntry,
    NeighbourEntry,
    PfcCounters,
    PoolUse,
    QueueCounters,
    Sensor,
    TableUse,
    WatchdogState,
)
from fabric.systems.sonic import parsers as sonic
from fabric.systems.sonic.parsers import state as sonic_state
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import Outputs

NO_PAUSES = (0, 0, 0, None, 0, 0, 0, 0)
PARSERS: dict[str, Callable[[str], Any]] = {
    "interfaces_status": sonic_state.interface_status,
    "interfaces_counters": sonic_state.interface_counters,
    "interfaces_bytes": sonic_state.interface_bytes,
    "fec_counters": sonic_state.fec_counters,
    "platform_temperature": sonic_state.temperatures,
    "pfc_counters": sonic_state.pfc_counters,
    "pfcwd_stats": sonic_state.watchdog_stats,
    "ecnconfig": sonic_state.ecn_profiles,
    "queue_counters": sonic_state.queue_counters,
    "queue_watermarks": sonic_state.queue_watermarks,
    "group_watermarks": sonic_state.group_watermarks,
    "group_shared_watermarks": sonic_state.group_shared_watermarks,
    "pool_watermarks": sonic_state.pool_watermarks,
    "headroom_pool_watermarks": sonic_state.headroom_pool_watermarks,
    "group_drops": sonic_state.group_drops,
    "arp": sonic_state.neighbours,
    "mac": sonic_state.mac_table,
    "crm": sonic_state.table_use,
}
EXPECTED: dict[str, Any] = {
    "interfaces_status": {
        "Ethernet0": InterfaceState(True, True, 400.0, 9100, "rs"),
        "Ethernet8": InterfaceState(False, True, 400.0, 9100, None),
        "Ethernet16": InterfaceState(True, False, 0.1, 1500, None),
    },
    "interfaces_counters": {
        "Ethernet0": InterfaceState(
            counters={
                "rx_packets": 1_204_881,
                "rx_errors": 0,
                "rx_drops": 3,
                "rx_overruns": 0,
                "tx_packets": 988_120,
            }
        ),
        "Ethernet8": InterfaceState(
            counters={
                "rx_packets": 0,
                "rx_errors": 7,
                "rx_drops": 0,
                "tx_packets": 0,
                "tx_errors": 0,
                "tx_drops": 0,
                "tx_overruns": 0,
            }
        ),
    },
    "interfaces_bytes": {
        "Ethernet0": InterfaceState(counters={"rx_bytes": 9_412_004_411, "tx_bytes": 88_120}),
        "Ethernet8": InterfaceState(),
    },
    "fec_counters": {
        "Ethernet0": InterfaceState(
            counters={"fec_corrected": 2_481_337, "fec_uncorrected": 5, "fec_symbol_errors": 12}
        ),
        "Ethernet8": InterfaceState(),
    },
    "platform_temperature": {"ASIC": Sensor(52.5, 105.0), "CPU Core 0 Temp": Sensor(38.0, 87.0)},
    "pfc_counters": {
        "Ethernet0": PfcCounters((0, 0, 0, 4210, 0, 0, 0, 0), (0, 0, 0, 17, 0, 0, 0, 0)),
        "Ethernet8": PfcCounters(NO_PAUSES, NO_PAUSES),
    },
    "pfcwd_stats": {
        ("Ethernet0", 3): WatchdogState(True, 2, 2, 12),
        ("Ethernet8", 3): WatchdogState(False, 1, 0, 300),
    },
    "ecnconfig": {
        "AZURE_LOSSLESS": EcnState(150_000, 1_500_000, 100.0),
        "AZURE_LOSSY": EcnState(),
    },
    "queue_counters": {
        (port, queue): QueueCounters(packets, drops)
        for port in ("Ethernet0", "Ethernet8")
        for queue, packets, drops in ((0, 10, 0), (3, 5000, 12))
    },
    "queue_watermarks": {
        ("Ethernet0", queue): QueueCounters(watermark_bytes=152_000 if queue == 3 else 0)
        for queue in range(8)
    }
    | {
        ("Ethernet8", queue): QueueCounters(watermark_bytes=None if queue == 3 else 0)
        for queue in range(8)
    },
    "group_watermarks": {
        ("Ethernet0", group): QueueCounters(watermark_bytes=19_456 if group == 3 else 0)
        for group in range(8)
    },
    "group_shared_watermarks": {
        ("Ethernet0", group): QueueCounters(shared_watermark_bytes=812_160 if group == 3 else 0)
        for group in range(8)
    },
    "pool_watermarks": {
        "egress_lossless_pool": PoolUse(watermark_bytes=1_204_224),
        "ingress_lossless_pool": PoolUse(watermark_bytes=812_160),
        "ingress_lossy_pool": PoolUse(watermark_bytes=None),
    },
    "headroom_pool_watermarks": {
        "ingress_lossless_pool": PoolUse(headroom_watermark_bytes=19_456),
    },
    "group_drops": {
        ("Ethernet0", group): QueueCounters(dropped_packets=1 if group == 3 else 0)
        for group in range(8)
    },
    "arp": {
        "10.64.0.2": NeighbourEntry("0c:42:a1:00:00:02", "Ethernet0"),
        "10.254.0.1": NeighbourEntry("0c:42:a1:00:00:03", "Ethernet128"),
    },
    "mac": (
        MacEntry(101, "0c:42:a1:00:00:02", "Ethernet0"),
        MacEntry(101, "0c:42:a1:00:00:09", "Ethernet8"),
    ),
    "crm": {
        "host_entries": TableUse(8, 8176),
        "mac_entries": TableUse(0, 32_767),
        "route_entries": TableUse(58, 98_304),
    },
}
OUTPUTS = Outputs(
    nos="sonic",
    cases={name: (parse, EXPECTED[name]) for name, parse in PARSERS.items()},
    files={name: f"{name}.txt" for name in PARSERS},
    marks=["\x1b[7m", "--More--", "\x08\x08"],
    marked=PARSERS,
    pieces=[",", "N/A", ":"],
    uncounted=PARSERS.keys() - {"arp", "mac"},
    part_of=lambda _, result, whole: result.items() <= whole.items(),
    others=["", "\n", "Error: no such command\n", "Tabelle leer\n"],
)
#: Recorded output -> parser, and how many things it tells.
RECORDED = {
    "show_interfaces_status.txt": ("interfaces_status", 15),
    "show_interfaces_counters.txt": ("interfaces_counters", 3),
    "show_pfc_counters.txt": ("pfc_counters", 3),
    "pfcwd_show_stats.txt": ("pfcwd_stats", 3),
    "ecnconfig_l.txt": ("ecnconfig", 1),
    "ecnconfig_l_two_profiles.txt": ("ecnconfig", 2),
    "show_queue_counters.txt": ("queue_counters", 30),
    "show_queue_watermark_unicast.txt": ("queue_watermarks", 30),
    "show_pg_watermark_headroom.txt": ("group_watermarks", 24),
    "show_pg_watermark_shared.txt": ("group_shared_watermarks", 24),
    "show_buffer_pool_watermark.txt": ("pool_watermarks", 3),
    "show_headroom_pool_watermark.txt": ("headroom_pool_watermarks", 1),
    "show_pg_drop_counters.txt": ("group_drops", 24),
    "show_ndp.txt": ("arp", 3),
    "show_mac.txt": ("mac", 5),
    "crm_show_resources_all.txt": ("crm", 3),
}


#: Recorded outputs that no reading takes, and why.
UNREAD = {
    "show_arp.txt": "a sample of the manual, whose rows do not keep to its columns",
}


@pytest.mark.parametrize("name", RECORDED)
def test_recorded(name: str) -> None:
    parser, things = RECORDED[name]
    assert len(PARSERS[parser](recorded(f"sonic/{name}"))) == things


@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_is_unknown(name: str) -> None:
    with pytest.raises(UnreadableError):
        sonic_state.neighbours(recorded(f"sonic/{name}"))


def test_watchdog_without_queues() -> None:
    assert sonic_state.watchdog_stats(recorded("sonic/pfcwd_show_stats_empty.txt")) == {}


def test_two_readings_of_one_field_are_one() -> None:
    """Status and counters of a port, drops and watermarks of a queue."""
    status, counters = (EXPECTED[f"interfaces_{what}"] for what in ("status", "counters"))
    found = merged(status, counters)
    assert found["Ethernet0"].counters["rx_drops"] == 3
    assert found["Ethernet0"].mtu_bytes == 9100
    assert found["Ethernet8"].up is False
    assert found["Ethernet16"] == status["Ethernet16"]
    queues = merged(EXPECTED["queue_counters"], EXPECTED["queue_watermarks"])
    assert queues["Ethernet0", 3] == QueueCounters(5000, 12, 152_000)
    assert queues["Ethernet8", 3] == QueueCounters(5000, 12, None)


def _status(state: str, description: str) -> str:
    """Return a line of supervisorctl 4.2."""
    return f"{'arp_update':<33}{state:<10}{description}\n"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (_status("RUNNING", "pid 47, uptime 0:12:01"), "RUNNING"),
        (_status("RUNNING", "pid 47, uptime 3 days, 0:12:01"), "RUNNING"),
        (_status("EXITED", "Nov 22 07:20 AM"), "EXITED"),
        (_status("FATAL", "Exited too quickly (process log may have details)"), "FATAL"),
        (_status("STOPPED", "Not started"), "STOPPED"),
        (_status("STARTING", ""), "STARTING"),
        ("arp_update: ERROR (no such process)\n", "ABSENT"),
    ],
)
def test_state_of_a_daemon(text: str, state: str) -> None:
    assert sonic.daemons(text) == {"arp_update": state}
    for length in range(len(text)):
        with pytest.raises(UnreadableError):
            sonic.daemons(text[:length])


@pytest.mark.parametrize(
    "text",
    [
        "Error: No such container: swss\n",
        "Error response from daemon: Container 0a1b is not running\n",
        "unix:///var/run/supervisor.sock no such file\n",
        "sudo: docker: command not found\n",
        "sudo: a password is required\n",
        _status("UNKNOWN", "pid 47"),
        _status("RUNNING", "pid 1") + _status("EXITED", "x"),
    ],
)
def test_what_tells_nothing_of_a_daemon_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        sonic.daemons(text)
