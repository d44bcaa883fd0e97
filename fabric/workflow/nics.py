"""The NICs of hosts, planned against read, and what their counters say over a time."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.change.expectation import Deviation
from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError
from fabric.observe.host_session import NicNames, read_counters, read_hardware, read_settings
from fabric.observe.hostfacts.assemble import host_facts
from fabric.probe.nics import Looked, has_ofed, is_lossless, remarks
from fabric.probe.nics.counters import (
    MEANING,
    NicHealth,
    RailHealth,
    deltas,
    judge,
    judge_rail,
    lost_notices,
)
from fabric.probe.nics.hardware import odd_firmware, own_remarks
from fabric.workflow.devices import executor

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from fabric.change.planner import Target
    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.observe.hostfacts.facts import HostFacts
    from fabric.workflow.project import Project

__all__ = ["MEANING", "CounterWatch", "NicHealth", "NicLooks", "RailHealth", "losing", "rails"]


def _planned(host: HostDesign) -> list[NicDesign]:
    """Return the NICs that are to be lossless."""
    return [nic for nic in host.nics if nic.enabled] if is_lossless(host) else []


def nic_names(host: HostDesign) -> list[NicNames]:
    """Return what the lossless NICs of a host are called."""
    ofed = has_ofed(host)
    return [NicNames(nic.interface, nic.rdma_device, ofed, nic.uses_ipv6) for nic in _planned(host)]


class NicLooks:
    """Looks at the NICs of hosts during verify and drift.

    Parameters
    ----------
    project : Project
        What is planned.
    hardware : bool
        Whether the PCI tree and the matrix of GPUs are read too, which takes seconds on a host.
    """

    def __init__(self, project: Project, *, hardware: bool = False) -> None:
        self._project = project
        self._hardware = hardware
        self._fec = {
            (name, port.name): port.fec
            for name, design in project.devices.items()
            for port in design.ports
        }

    def read(self, driver: Any, name: str) -> HostFacts:
        """Return the facts of a host; its session stays open."""
        host = self._project.hosts[name]
        texts = read_settings(driver, nic_names(host), host.folder)
        if self._hardware:
            texts |= read_hardware(driver)
        return host_facts(name, texts)

    def deviations(self, facts: HostFacts) -> list[Deviation]:
        """Return what is not right with the NICs of a host, or not known of them."""
        host = self._project.hosts[facts.host]
        return [item for plan in _planned(host) for item in self._nic(host, plan, facts)]

    def _nic(self, host: HostDesign, plan: NicDesign, facts: HostFacts) -> list[Deviation]:
        nic = facts.nic(plan.rdma_device)
        if nic is None or nic.interface != plan.interface:
            now = "does not exist" if nic is None else f"belongs to {nic.interface or 'nothing'}"
            is_read = facts.nics is not None and (nic is None or nic.interface is not None)
            message = f"RDMA device {plan.rdma_device} {now}"
            return [Deviation(host.name, "H0", plan.interface, message, unknown=not is_read)]
        fec = self._fec[plan.leaf, plan.leaf_port]
        looked = Looked(host, plan, facts, nic, fec, self._hardware)
        deviant = remarks(looked)
        wrong = [item for item in deviant if not item.unknown]
        return [
            Deviation(host.name, item.check, plan.interface, item.message, unknown=item.unknown)
            for item in (*deviant, *own_remarks(looked, wrong))
        ]

    def firmware(self, facts: Mapping[str, HostFacts]) -> dict[str, list[Deviation]]:
        """Return by host the NICs whose firmware is not that of most in their rail."""
        versions: dict[int, dict[tuple[str, str], str | None]] = defaultdict(dict)
        for name, host in self._project.hosts.items():
            for plan in _planned(host) if name in facts else ():
                nic = facts[name].nic(plan.rdma_device)
                versions[plan.rail][name, plan.interface] = nic.firmware if nic else None
        by_host: dict[str, list[Deviation]] = defaultdict(list)
        for by_nic in versions.values():
            for (name, item), remark in odd_firmware(by_nic).items():
                by_host[name].append(
                    Deviation(name, remark.check, item, remark.message, unknown=remark.unknown)
                )
        return by_host


class CounterWatch:
    """Reads the counters of hosts twice, for the first time as it is made.

    Parameters
    ----------
    project : Project
        What is planned.
    targets : mapping
        Hosts and how to reach them; switches are passed over.
    parallel : int
        How many are read at the same time; 0 for the default.
    """

    def __init__(self, project: Project, targets: Mapping[str, Target], parallel: int = 0) -> None:
        self._hosts, self._parallel = project.hosts, parallel
        self._targets = {name: item for name, item in targets.items() if name in project.hosts}
        self._first = self._read()
        self._since_s = time.monotonic()

    def finish(self, window_s: float) -> dict[str, tuple[NicHealth, ...]]:
        """Wait for the rest of the window and return the verdicts by host."""
        time.sleep(max(0.0, self._since_s + window_s - time.monotonic()))
        second = self._read()
        return {
            name: tuple(_judged(nic, self._first[name], second[name]) for nic in _planned(host))
            for name, host in self._hosts.items()
            if name in self._targets
        }

    def _read(self) -> dict[str, HostFacts | str]:
        with executor(len(self._targets), self._parallel) as pool:
            return dict(zip(self._targets, pool.map(self._of, self._targets), strict=True))

    def _of(self, name: str) -> HostFacts | str:
        """Return the facts of a host, or why there are none."""
        try:
            driver: Any = open_driver(self._targets[name].connection)
            try:
                return host_facts(name, read_counters(driver, nic_names(self._hosts[name])))
            finally:
                driver.close()
        except DeviceError as error:
            return error.reason


def _judged(plan: NicDesign, first: HostFacts | str, second: HostFacts | str) -> NicHealth:
    rose: Mapping[str, int] | str
    if isinstance(first, str) or isinstance(second, str):
        rose = first if isinstance(first, str) else str(second)
    else:
        before, after = first.nic(plan.rdma_device), second.nic(plan.rdma_device)
        missing = f"RDMA device {plan.rdma_device} does not exist"
        rose = deltas(before, after) if before and after else missing
    return judge(plan.interface, plan.rail, plan.qos.lossless_priorities, rose)


def losing(nics: Mapping[str, tuple[NicHealth, ...]]) -> tuple[str, ...]:
    """Return the NICs, by host, that lose packets or of which nobody knows, with the reason."""
    return tuple(
        f"{host} {nic.interface}: {nic.reason}"
        for host, health in nics.items()
        for nic in health
        if nic.bad
    )


def rails(nics: Mapping[str, tuple[NicHealth, ...]]) -> tuple[list[RailHealth], str]:
    """Return the verdict on each rail, and a warning when no CNP arrives."""
    by_rail: dict[int, dict[tuple[str, str], NicHealth]] = defaultdict(dict)
    for host, health in nics.items():
        for nic in health:
            by_rail[nic.rail][host, nic.interface] = nic
    warning = lost_notices(nic for health in nics.values() for nic in health)
    return [judge_rail(rail, by_rail[rail]) for rail in sorted(by_rail)], warning
