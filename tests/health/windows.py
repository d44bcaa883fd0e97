"""Small fabrics for verdicts: readings are snapshots that a case changes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from fabric.design.designs import Designs
from fabric.health.ends import Ends, ends_of
from fabric.health.judge import judge
from fabric.health.plan import Expected, Plan, plan_of
from fabric.health.reading import Reading
from fabric.health.settings import Settings
from fabric.health.window import Window
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState, NicCounters, PfcCounters, SystemFacts
from tests.topology.fabrics import INVENTORY

if TYPE_CHECKING:
    from fabric.health.cause import Cause
    from fabric.health.judge import Judgement

LEAF, SPINE, HOST = "su1-rail0", "spine01", "gpu001"
ZEROS = (0,) * 8
NIC = {
    "hw": dict.fromkeys(
        (
            *("np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled", "rp_cnp_ignored"),
            *("out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "out_of_buffer"),
        ),
        0,
    ),
    "driver": {
        f"{way}_prio{priority}_{what}": 0
        for way in ("rx", "tx")
        for priority in range(8)
        for what in ("pause", "pause_duration", "packets")
    }
    | dict.fromkeys(
        (
            *("rx_discards_phy", "tx_discards_phy"),
            *("link_down_events_phy", "tx_pause_storm_error_events"),
        ),
        0,
    ),
}


@cache
def demo(name: str = "demo") -> tuple[Ends, Plan]:
    """Return the ends and the plan of an example."""
    designs = Designs(INVENTORY / name)
    ends = ends_of(designs.fabric)
    return ends, planned(ends, designs)


def planned(ends: Ends, designs: Designs) -> Plan:
    """Return what the designs give the ends."""
    switches = {name: Expected.of_switch(one) for name, one in designs.devices.items()}
    hosts = {name: Expected.of_host(one) for name, one in designs.hosts.items()}
    return plan_of(ends, switches | hosts)


def quiet(example: str = "demo") -> dict[str, Snapshot]:
    """Return readings in which every cable is up, and every count is 0."""
    ends, _ = demo(example)
    readings = {}
    for number, name in enumerate(ends.names):
        ports = list(ends.rows[number])
        if name in ends.fabric.switch_row:
            readings[name] = Snapshot(
                name,
                facts=SystemFacts(name, uptime_s=1000.0),
                interfaces=dict.fromkeys(ports, InterfaceState(up=True)),
                pfc_counters=dict.fromkeys(ports, PfcCounters(ZEROS, ZEROS)),
            )
        else:
            nic = NicCounters("mlx5", True, NIC["driver"], NIC["hw"])
            readings[name] = Snapshot(name, nics=dict.fromkeys(ports, nic))
    return readings


@dataclass
class Fabric:
    """The demo: every port and NIC is up, and nothing moves; a test changes the second reading."""

    before: dict[str, Snapshot] = field(default_factory=quiet)
    after: dict[str, Snapshot] = field(default_factory=quiet)
    elapsed_s: float = 10.0
    settings: Settings = field(default_factory=Settings)
    example: str = "demo"
    late_s: dict[str, float] = field(default_factory=dict)

    def change(self, device: str, *, first: bool = False, **fields: Any) -> None:
        """Change fields of a reading, unless it is gone; mappings are added to those in it."""
        table = self.before if first else self.after
        if device not in table:
            return
        old = table[device]
        new = {
            name: {**(getattr(old, name) or {}), **value} if isinstance(value, dict) else value
            for name, value in fields.items()
        }
        table[device] = replace(old, **new)

    def both(self, device: str, **fields: Any) -> None:
        """Change fields of both readings."""
        self.change(device, first=True, **fields)
        self.change(device, **fields)

    def counters(self, device: str, port: str, *, first: bool = False, **counts: int) -> None:
        """Set counters of a port of a switch."""
        state = InterfaceState(up=True, counters=counts)
        self.change(device, first=first, interfaces={port: state})

    def nic(self, host: str, interface: str, **counts: int) -> None:
        """Set counters of a NIC, of the driver or of the RDMA port."""
        if host not in self.after:
            return
        old = self.after[host].nics[interface]
        hardware = {name: counts[name] for name in counts if name in NIC["hw"]}
        driver = {name: counts[name] for name in counts if name not in NIC["hw"]}
        nic = NicCounters("mlx5", True, old.counters | driver, old.hw_counters | hardware)
        self.change(host, nics={interface: nic})

    def window(self) -> Window:
        ends, plan = demo(self.example)
        readings = {
            name: Reading(
                "sonic" if name in ends.fabric.switch_row else "host",
                self.before.get(name),
                self.after.get(name),
                self.elapsed_s + self.late_s.get(name, 0.0),
            )
            for name in ends.names
        }
        return Window(ends, plan, readings, self.settings)

    def judged(self, **jobs: tuple[str, ...]) -> Judgement:
        judgement = judge(self.window(), jobs)
        assert judgement.broken == ()
        return judgement

    def causes(self) -> list[Cause]:
        return list(self.judged().causes)

    def seen(self) -> list[tuple[str, str, str]]:
        return [(one.rule, one.device, one.port) for one in self.causes()]
