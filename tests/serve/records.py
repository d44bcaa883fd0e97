"""Records as `rocefab observe --out` writes them, of devices that send and pause as a test says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from fabric.core.units import BITS_PER_BYTE, gbps_to_bps
from fabric.observe.rates import rates
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    LldpNeighbour,
    NicCounters,
    PfcCounters,
    SystemFacts,
)
from fabric.report.observed import Seen
from fabric.topology.device_ends import DeviceEnd, ends_of
from fabric.topology.model import Fabric

INTERVAL_S = 30.0


@dataclass(frozen=True)
class Traffic:
    """What a port does: share of its speed, pause frames and drops per second."""

    load: float = 0.0
    pause_per_s: float = 0.0
    error_per_s: float = 0.0
    up: bool = True
    neighbours: tuple[LldpNeighbour, ...] | None = None


Behaviour = Callable[[str, DeviceEnd, int], Traffic]


def idle(_device: str, _end: DeviceEnd, _turn: int) -> Traffic:
    return Traffic()


def records(
    fabric: Fabric, devices: Iterable[str], turns: int, behave: Behaviour = idle
) -> Iterable[list[str]]:
    """Yield the lines of each round; the last round is now."""
    names = [*devices]
    now = datetime.now(UTC)
    counters: dict[tuple[str, str], list[float]] = {}
    before: dict[str, Snapshot] = {}
    for turn in range(turns):
        time = now - timedelta(seconds=INTERVAL_S * (turns - 1 - turn))
        lines = []
        for name in names:
            snapshot = _snapshot(fabric, name, turn, behave, counters)
            rate = rates(before[name], snapshot, INTERVAL_S) if name in before else None
            before[name] = snapshot
            is_host = name in fabric.host_row
            platform = "host" if is_host else fabric.switches.skus[fabric.switch_row[name]].nos
            seen = Seen(name, platform, snapshot, time=time, rates=rate)
            lines.append(json.dumps(seen.as_dict()))
        yield lines


def _snapshot(
    fabric: Fabric,
    name: str,
    turn: int,
    behave: Behaviour,
    counters: dict[tuple[str, str], list[float]],
) -> Snapshot:
    ends = {end.port: (end, behave(name, end, turn)) for end in ends_of(fabric, name)}
    for port, (end, does) in ends.items():
        total = counters.setdefault((name, port), [1e6, 100.0, 0.0])
        speed = (fabric.nics if end.is_nic else fabric.uplinks).speed_gbps[end.row]
        byte_rate = does.load * gbps_to_bps(int(speed)) / BITS_PER_BYTE
        for place, rate in enumerate((byte_rate, does.pause_per_s, does.error_per_s)):
            total[place] += rate * INTERVAL_S
    lldp = {
        port: (LldpNeighbour(end.peer, end.peer_port),)
        if does.neighbours is None
        else does.neighbours
        for port, (end, does) in ends.items()
    }
    if name in fabric.host_row:
        nics = {port: _nic(counters[name, port], does) for port, (_, does) in ends.items()}
        return Snapshot(name, SystemFacts(name), lldp=lldp, nics=nics)
    bgp = {"10.0.0.1": BgpPeer(True, "Established", 65100)}
    if name == "spine01":
        bgp["10.0.0.3"] = BgpPeer(False, "Active", 65101)
    return Snapshot(
        name,
        SystemFacts(name, "model", "version 1"),
        interfaces={port: _port(counters[name, port], does) for port, (_, does) in ends.items()},
        lldp=lldp,
        bgp=bgp,
        pfc_counters={port: _pauses(counters[name, port]) for port in ends},
    )


def _port(total: list[float], does: Traffic) -> InterfaceState:
    counts = {"rx_bytes": int(total[0]), "tx_bytes": int(total[0] / 2), "rx_drops": int(total[2])}
    return InterfaceState(does.up, True, None, 9100, "rs", "", counts)


def _pauses(total: list[float]) -> PfcCounters:
    priorities = tuple(int(total[1]) if number == 3 else 0 for number in range(8))
    return PfcCounters(priorities, (0,) * 8)


def _nic(total: list[float], does: Traffic) -> NicCounters:
    counters = {"rx_prio3_pause": 0, "tx_prio3_pause": int(total[1])}
    hardware = {"out_of_sequence": int(total[2]), "np_cnp_sent": int(total[1] / 10)}
    return NicCounters("mlx5_1", does.up, counters, hardware)


def append(file: Path, rounds: Iterable[list[str]]) -> None:
    """Append rounds to a file, as `rocefab observe --out` does."""
    with file.open("a", encoding="utf-8") as opened:
        for lines in rounds:
            opened.writelines(f"{line}\n" for line in lines)


def busy(marked: Mapping[tuple[str, str], Traffic]) -> Behaviour:
    """Return a fabric at a fifth of its speed, but for some ports."""

    def behave(device: str, end: DeviceEnd, turn: int) -> Traffic:
        usual = Traffic(load=0.18 + 0.02 * ((turn + end.row) % 3))
        return marked.get((device, end.port), usual)

    return behave
