"""Runs the probes of a plan over SSH, round by round."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.change.planner import open_driver
from fabric.core.counts import counted
from fabric.core.errors import DeviceError
from fabric.observe import probe_output
from fabric.observe.hostfacts import readers
from fabric.observe.hostfacts.readings import command_of
from fabric.observe.parsers import UnreadableError
from fabric.probe.nics.network import roce_gids
from fabric.probe.reach import commands
from fabric.probe.reach.commands import MESSAGE_BYTES, ROUNDS, ProbeEnd
from fabric.workflow.devices import targets
from fabric.workflow.nics import CounterWatch
from fabric.workflow.probe import STAGES, Outcome, marking, report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.design.host_model import NicAddress
    from fabric.workflow.devices import Selection
    from fabric.workflow.probe import Leg, Plan, Report

#: Probes, or flows, at a time: so many do not disturb one another through this machine. Ours.
AT_ONCE = 16


def run(
    plan: Plan,
    connections_file: Path | None,
    selection: Selection,
    last_stage: str,
    progress: Callable[[str, str], None],
) -> Report:
    """Carry out a plan.

    Parameters
    ----------
    last_stage : str
        Last of ``STAGES`` that is run; each needs the one before it to be good.

    Raises
    ------
    InputError
        When the selection or the connections file is wrong.
    """
    by_name = targets(plan.project, connections_file, selection)
    hosts = {name: by_name[name] for name in plan.hosts()}
    at_once = selection.parallel or AT_ONCE
    watch = CounterWatch(plan.project, hosts, selection.parallel)
    sessions = Sessions(hosts, at_once)
    try:
        outcomes = _rounds(plan, sessions, last_stage, progress, at_once)
    finally:
        sessions.close()
    return report(plan, outcomes, watch.finish(0.0))


class Sessions:
    """A session with each host, open as long as the probes run, and its GID table."""

    def __init__(self, hosts: dict[str, Any], at_once: int = AT_ONCE) -> None:
        self._drivers: dict[str, Any] = {}
        self._gids: dict[str, Any] = {}
        self._binds: dict[str, bool] = {}
        self._takes_ipv6: dict[str, bool] = {}
        self.errors: dict[str, str] = {}
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(self._open, hosts.items()))

    def _open(self, item: tuple[str, Any]) -> None:
        name, target = item
        try:
            driver: Any = open_driver(target.connection)
            self._drivers[name] = driver
            said = driver.read_each({
                "gids": command_of("gid_files"),
                "binds": commands.BINDS,
                "takes_ipv6": commands.TAKES_IPV6,
            })
        except DeviceError as error:
            self.errors[name] = error.reason
            return
        self._binds[name] = "binds" in said
        self._takes_ipv6[name] = "takes_ipv6" in said
        with suppress(UnreadableError):
            self._gids[name] = readers["gid_files"].parse(said.get("gids", ""))

    def ask(self, host: str, command: str) -> str:
        """Return what a command printed; nothing when it failed."""
        answer: str = self._drivers[host].read_each({"probe": command}).get("probe", "")
        return answer

    def end(self, leg: Leg, own: NicAddress | None = None) -> ProbeEnd:
        """Return an end with the index of its GID, which is found by its content.

        Parameters
        ----------
        own : NicAddress, optional
            Of one family; default: that of RDMA.

        Raises
        ------
        UnreadableError
            When the host has no such GID, or its GID table was not read.
        """
        if leg.host not in self._gids:
            raise UnreadableError(f"the GID table of {leg.host} could not be read")
        table = tuple(gid for gid in self._gids[leg.host] if gid.device == leg.nic.rdma_device)
        own = own or leg.nic.addresses[0]
        planned, binds = own.address, self._binds[leg.host]
        mine = [gid for gid in roce_gids(table, own.network) if planned in {"", gid.ip}]
        if not mine:
            raise UnreadableError(f"{leg} has no RoCEv2 GID with {planned or own.network}")
        return ProbeEnd(mine[0].ip, leg.nic.rdma_device, mine[0].index, binds)

    def perftest_ends(self, *legs: Leg) -> list[ProbeEnd]:
        """Return ends that perftest connects, over IPv4 where that of a host knows no other.

        Raises
        ------
        UnreadableError
            When a GID is not known, or a NIC has no address that perftest can connect by.
        """
        ends = [self.end(leg) for leg in legs]
        old = [leg.host for leg in legs if not self._takes_ipv6[leg.host]]
        if not old or ":" not in ends[0].address:
            return ends
        ipv4 = [
            next((own.address for own in leg.nic.addresses if not own.is_ipv6), "") for leg in legs
        ]
        if not all(ipv4):
            raise UnreadableError(
                f"ib_write_bw of {old[0]} has no --ipv6-addr, and there is no IPv4 to connect by: "
                "install a newer perftest"
            )
        return [replace(end, ipv4=address) for end, address in zip(ends, ipv4, strict=True)]

    def ip_end(self, leg: Leg, own: NicAddress | None = None) -> ProbeEnd:
        """Return an end for IP alone: as planned, or by its GID where a NIC makes its address.

        Raises
        ------
        UnreadableError
            When the GID is needed and not known.
        """
        own = own or leg.nic.addresses[0]
        if not own.address:
            return self.end(leg, own)
        return ProbeEnd(own.address, leg.nic.rdma_device)

    def ip_ends(self, source: Leg, target: Leg) -> Iterator[tuple[ProbeEnd, ProbeEnd]]:
        """Yield the ends of each family that both NICs have, those of RDMA first."""
        theirs = {own.is_ipv6: own for own in target.nic.addresses}
        for own in source.nic.addresses:
            if own.is_ipv6 in theirs:
                yield self.ip_end(source, own), self.ip_end(target, theirs[own.is_ipv6])

    @contextmanager
    def served(self, leg: Leg, server: str) -> Iterator[None]:
        """Run a server on a host meanwhile."""
        unit = commands.new_unit()
        self.ask(leg.host, commands.start(server, unit))
        try:
            yield
        finally:
            self.ask(leg.host, commands.stop(unit))

    def close(self) -> None:
        """Close every session."""
        for driver in self._drivers.values():
            driver.close()


def _rounds(
    plan: Plan,
    sessions: Sessions,
    last_stage: str,
    progress: Callable[[str, str], None],
    at_once: int,
) -> list[Outcome]:
    stages = STAGES[: STAGES.index(last_stage) + 1]
    outcomes = []

    def one(number: int) -> Outcome:
        source = plan.leg(int(plan.table.source[number]))
        target = plan.leg(int(plan.table.target[number]))
        return _probe(plan, sessions, source, target, stages)

    with ThreadPoolExecutor(at_once) as pool:
        for turn in range(plan.rounds):
            numbers = np.flatnonzero(plan.table.round == turn).tolist()
            outcomes += list(pool.map(one, numbers))
            bad = sum(bool(item.failure) for item in outcomes)
            progress(
                "",
                f"round {turn + 1} of {plan.rounds}: {bad} of {counted(len(outcomes), 'probe')} "
                "failed",
            )
    return outcomes


def _probe(
    plan: Plan, sessions: Sessions, source: Leg, target: Leg, stages: tuple[str, ...]
) -> Outcome:
    """Run the stages of one probe until one fails."""
    gbps = None
    for leg in (source, target):
        if leg.host in sessions.errors:
            why = f"{leg.host} could not be read: {sessions.errors[leg.host]}"
            return Outcome(stages[0], why)
    try:
        for stage in stages:
            failure, gbps = _STAGES[stage](plan, sessions, source, target)
            if failure:
                return Outcome(stage, failure, gbps)
    except (DeviceError, UnreadableError) as error:
        return Outcome(stage, f"could not run: {getattr(error, 'reason', error)}")
    return Outcome(stages[-1], "", gbps)


def _ping(_plan: Plan, sessions: Sessions, source: Leg, target: Leg) -> tuple[str, None]:
    """Ping over each family that both NICs have."""
    pairs = list(sessions.ip_ends(source, target))
    for ends in pairs:
        text = sessions.ask(source.host, commands.ping(*ends))
        try:
            sent, received = probe_output.ping(text)
        except UnreadableError:
            return f"ping could not start from {ends[0].address}", None
        if received != sent:
            several = f" from {ends[1].address}" if len(pairs) > 1 else ""
            return f"{received} of {counted(sent, 'reply')}{several}", None
    return ("" if pairs else "the NICs have no address of one family"), None


def _rping(_plan: Plan, sessions: Sessions, source: Leg, target: Leg) -> tuple[str, None]:
    server, client = commands.rping(sessions.ip_end(source), sessions.ip_end(target))
    back = probe_output.rping(_served(sessions, source, target, server, client))
    return ("" if back == ROUNDS else f"{back} of {ROUNDS} replies"), None


def _bandwidth(
    plan: Plan, sessions: Sessions, source: Leg, target: Leg
) -> tuple[str, float | None]:
    try:
        near, far = sessions.perftest_ends(source, target)
    except UnreadableError as error:
        return str(error), None
    server, client = commands.bandwidth(near, far, marking(source, target))
    text = _served(sessions, source, target, server, client)
    try:
        gbps = probe_output.bandwidth_gbps(text, MESSAGE_BYTES)
    except UnreadableError as error:
        return f"{error}{commands.hint(near, far)}", None
    needed = plan.needed_gbps(source, target)
    return ("" if gbps >= needed else f"{gbps:.1f} Gb/s, {needed:.1f} required"), gbps


_STAGES: dict[str, Callable[..., tuple[str, float | None]]] = {
    "ping": _ping,
    "rping": _rping,
    "bandwidth": _bandwidth,
}


def _served(sessions: Sessions, source: Leg, target: Leg, server: str, client: str) -> str:
    """Return the output of a client whose server runs meanwhile."""
    with sessions.served(target, server):
        return sessions.ask(source.host, client)
