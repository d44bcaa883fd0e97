"""Counters of a GPU host: of the driver (ethtool -S) and of the RDMA port (rdma, sysfs, dcb -s).

Known: names of Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst
and drivers/infiniband/hw/mlx5/counters.c; show_counters of Mellanox/mlnx-tools prints the files of
hw_counters below ``Port N hw counters:``; ``lifespan`` is milliseconds, no counter. dcb shows
pauses sent as requests and pauses received as indications (IEEE 802.1Q, 12.23).
Assumed: a counter that a test lets run rises evenly with the clock of the lab.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.lab.spec import NicSpec
    from fabric.systems.host.lab import HostStandIn

DRIVER = (
    *(
        f"{way}_prio{priority}_{what}"
        for priority in range(8)
        for way in ("rx", "tx")
        for what in ("packets", "pause", "pause_duration")
    ),
    *(
        f"rx_prio{priority}_{what}"
        for priority in range(8)
        for what in ("discards", "buf_discard", "cong_discard", "marked", "pause_transition")
    ),
    *("rx_bytes_phy", "tx_bytes_phy", "rx_discards_phy", "tx_discards_phy"),
    *("rx_out_of_buffer", "link_down_events_phy"),
    *("tx_pause_storm_warning_events", "tx_pause_storm_error_events", "rx_pcs_symbol_err_phy"),
)
RDMA = tuple(
    "duplicate_request implied_nak_seq_err local_ack_timeout_err np_cnp_sent "
    "np_ecn_marked_roce_packets out_of_buffer out_of_sequence packet_seq_err rnr_nak_retry_err "
    "roce_adp_retrans roce_adp_retrans_to rp_cnp_handled rp_cnp_ignored rx_read_requests "
    "rx_write_requests".split()
)
_LIFESPAN_MS = 10


class HostCounters:
    """Counters of all NICs of a host, by network device."""

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self._rates: dict[tuple[str, str], tuple[float, float]] = {}
        self.driver: dict[str, dict[str, int]] = {}
        self.rdma: dict[str, dict[str, int]] = {}

    def clear(self) -> None:
        """Start from zero, as after a load of the driver."""
        self._rates.clear()
        for nic in self._host.spec.nics:
            self.driver[nic.interface] = dict.fromkeys(DRIVER, 0)
            self.rdma[nic.interface] = dict.fromkeys(RDMA, 0)

    def run(self, interface: str, name: str, per_s: float) -> None:
        """Let a counter rise with time from now on."""
        if name not in (*self.driver[interface], *self.rdma[interface]):
            raise KeyError(name)
        self._rates[interface, name] = (per_s, self._host.clock.now_s())

    def of_driver(self, interface: str) -> dict[str, int]:
        """Return what ethtool -S shows now."""
        return self._now(interface, self.driver[interface])

    def of_rdma(self, interface: str) -> dict[str, int]:
        """Return the hardware counters of the RDMA port now."""
        return self._now(interface, self.rdma[interface])

    def _now(self, interface: str, table: dict[str, int]) -> dict[str, int]:
        now_s = self._host.clock.now_s()
        counts = dict(table)
        for (device, name), (per_s, since_s) in self._rates.items():
            if device == interface and name in counts:
                counts[name] += int(per_s * (now_s - since_s))
        return counts

    def files(self, nic: NicSpec) -> dict[str, Callable[[], str]]:
        """Return the files of hw_counters by name."""

        def reader(name: str) -> Callable[[], str]:
            return lambda: f"{self.of_rdma(nic.interface)[name]}\n"

        return {name: reader(name) for name in RDMA} | {"lifespan": lambda: f"{_LIFESPAN_MS}\n"}

    def statistic(self, words: list[str], *, as_json: bool) -> Result:
        """Answer ``rdma statistic``."""
        ports = [f"{nic.rdma_device}/1" for nic in self._host.rdma_nics]
        if words[:1] == ["show"]:
            words = words[1:]
        if words and (words[0] != "link" or len(words) != 2 or words[1] not in ports):  # noqa: PLR2004
            return Result("", "Wrong device name\n" if words[:1] == ["link"] else "rdma: bad\n", 1)
        chosen = [
            nic for nic in self._host.rdma_nics if not words or nic.rdma_device == words[1][:-2]
        ]
        rows = [(nic.rdma_device, self.of_rdma(nic.interface)) for nic in chosen]
        if as_json:
            text = json.dumps([{"ifname": name, "port": 1, **counts} for name, counts in rows])
            return Result(text + "\n")
        lines = (
            f"link {name}/1 " + " ".join(f"{key} {value}" for key, value in counts.items()) + "\n"
            for name, counts in rows
        )
        return Result("".join(lines))


def commands(host: HostStandIn) -> dict[str, Tool]:
    """Return the commands by name."""

    def show_counters(_context: Context, argv: list[str], _stdin: str) -> Result:
        nic = next((nic for nic in host.rdma_nics if [nic.rdma_device] == argv[1:]), None)
        if nic is None:
            return Result("", "show_counters: no such device\n", 1)
        files = host.counters.files(nic)
        rows = (f"{name}: {files[name]()}" for name in sorted(files))
        return Result("Port 1 hw counters:\n" + "".join(rows))

    return {"show_counters": show_counters}
