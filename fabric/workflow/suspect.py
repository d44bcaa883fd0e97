"""suspect: what explains slow collectives, and which hosts to test next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fabric.collective.expected import expected
from fabric.collective.posterior import NOISE, Observed, Posterior, unexplained
from fabric.collective.proposals import LEAST_BITS, Proposal, next_test
from fabric.collective.published import LEAST, USUAL
from fabric.collective.results import results_of, wrong_results
from fabric.collective.suspects import Suspect, suspects
from fabric.collective.trials import BandwidthTest
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.formats import form_of
from fabric.report.table import Table
from fabric.topology.clos import clos, failed
from fabric.topology.naming import nic_names
from fabric.topology.outages import outage
from fabric.workflow.expect import host_rows, isolated, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from fabric.collective.results import MeasuredBandwidth
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric
    from fabric.workflow.project import Project

Item = TypeVar("Item")
ReadItem = TypeVar("ReadItem")
#: Probability from which on a suspect is taken for the cause: no further test is proposed.
SURE = 0.99
#: Probability from which on a place is a finding.
LIKELY = 0.5


@dataclass(frozen=True)
class Suspicion:
    """Suspects, the results that they come from, and the next test.

    Parameters
    ----------
    results : tuple of (MeasuredBandwidth, float)
        Each result with the bandwidth that was expected, in GB/s.
    far : tuple of int
        Results that the first suspect does not explain, by number.
    proposal : Proposal or None
        None where a suspect is sure, or no test tells more.
    """

    fabric: Fabric
    suspects: tuple[Suspect, ...]
    results: tuple[tuple[MeasuredBandwidth, float], ...]
    far: tuple[int, ...]
    proposal: Proposal | None

    @property
    def has_fault(self) -> bool:
        """Whether a place is a likely cause, or one of two: a test of two hosts tells no more."""
        first = sorted((one.probability for one in self.suspects if one.device), reverse=True)
        return bool(self.results) and sum(first[:2]) >= LIKELY

    @property
    def is_likely(self) -> bool:
        """Whether a place is a likely cause."""
        first = self.suspects[0]
        return bool(self.results and first.device and first.probability >= LIKELY)

    def tables(self) -> list[tuple[str, Table]]:
        """Return the results, and the suspects in their order."""
        measured = tuple(
            (
                str(result.place),
                result.kind.value,
                len(result.hosts),
                f"{result.gbyte_s:.1f}",
                f"{gbyte_s:.1f}",
                f"{result.gbyte_s / gbyte_s:.0%}",
            )
            for result, gbyte_s in self.results
        )
        listed = tuple(
            (one.name, f"{one.probability:.1%}", one.faults[0][0].value.words, _fix(one))
            for one in self.suspects
        )
        heads = ("result", "collective", "hosts", "measured", "expected", "share")
        return [
            ("Results in GB/s", Table(heads, measured)),
            ("Suspects", Table(("suspect", "probability", "likeliest", "check"), listed)),
        ]

    def slow(self) -> list[str]:
        """Return the results below what is usual, and the suspect where one is likely."""
        lines = []
        for result, gbyte_s in self.results:
            least = gbyte_s / USUAL * LEAST[result.kind]
            if result.gbyte_s < least:
                hosts = hostlist.fold(result.hosts)
                measured = f"{result.gbyte_s:.1f} GB/s, {least:.1f} is the least"
                lines.append(f"{result.place}: {result.kind.value} of {hosts}: {measured}")
        if lines and self.is_likely:
            first = self.suspects[0]
            likely = f"{first.probability:.0%}: {first.faults[0][0].value.words}"
            lines.append(f"suspect: {first.name}, {likely}")
        return lines

    def untested(self) -> list[str]:
        """Return the hosts that no result has, as one line; empty without any."""
        tested = {name for result, _ in self.results for name in result.hosts}
        left = [name for name in self.fabric.hosts.names if name not in tested]
        return [f"no result of {hostlist.fold(left)}"] if left else []

    def sentences(self) -> list[str]:
        """Return what the shares mean, what is not explained, and the next test."""
        lines = []
        if self.far:
            places = ", ".join(str(self.results[number][0].place) for number in self.far[:8])
            lines.append(f"not explained by this one fault: {places}")
        if not self.proposal and not self.results:
            lines.append("no test is proposed: no two hosts of one tenant reach each other")
        if self.proposal:
            trial = self.proposal.trial
            names = hostlist.fold(self.fabric.hosts.names[row] for row in trial.hosts.tolist())
            rails = hostlist.fold(map(str, trial.rails))
            rails = (
                "each rail" if len(trial.rails) == self.fabric.rails else f"each of rails {rails}"
            )
            of_hosts = f"{trial.kind.value} of {counted(len(trial.hosts), 'host')}"
            lines += [f"next test: {of_hosts}, {rails} separately", f"hosts: {names}"]
        if any(result.gbyte_s > gbyte_s for result, gbyte_s in self.results):
            lines.append(
                f"a share can be above 100 %: expected is the usual bandwidth, {USUAL:.0%} of what "
                "the links carry"
            )
        return lines

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        trial = self.proposal.trial if self.proposal else None
        return {
            "format": form_of("suspects"),
            "suspects": [
                {
                    "device": one.device or None,
                    "ports": list(one.ports),
                    "probability": one.probability,
                    "faults": {fault.name.lower(): share for fault, share in one.faults},
                }
                for one in self.suspects
            ],
            "results": [
                {
                    "place": str(result.place),
                    "collective": result.kind.value,
                    "hosts": list(result.hosts),
                    "gbyte_s": result.gbyte_s,
                    "expected_gbyte_s": gbyte_s,
                    "is_explained": number not in self.far,
                }
                for number, (result, gbyte_s) in enumerate(self.results)
            ],
            "next_test": trial
            and {
                "collective": trial.kind.value,
                "hosts": [self.fabric.hosts.names[row] for row in trial.hosts.tolist()],
                "rails": list(trial.rails),
            },
        }


def _fix(one: Suspect) -> str:
    return one.faults[0][0].value.fix


def suspect(
    project: Project,
    files: Iterable[Path],
    *,
    failures: Sequence[str] = (),
    noise: float = NOISE,
    most: int = 10,
) -> Suspicion:
    """Return what explains the results in some files.

    Parameters
    ----------
    failures : sequence of str
        What is known to be down, in the words of `rocefab whatif`.
    noise : float
        Relative error of a result, > 0.
    most : int
        Suspects that are listed.

    Raises
    ------
    InputError
        When a file is no result, names hosts that the fabric does not have, or hosts that no
        rail connects.
    """
    fabric = project.fabric
    network = failed(clos(fabric), outage(fabric, failures))
    wrong: list[Finding] = []
    results = _each(files, results_of, wrong)
    every = _each(results, lambda result: [_observed(fabric, network, result)], wrong)
    if wrong:
        raise wrong_results(wrong)
    observed, bandwidths = [one for one, _ in every], [gbyte_s for _, gbyte_s in every]
    posterior = Posterior.before(fabric)
    for group in _groups(results, observed):
        posterior = posterior.after(fabric, network, group, noise)
    listed = suspects(fabric, posterior, most)
    far = unexplained(fabric, network, posterior, observed) if observed else []
    is_sure = listed[0].probability >= SURE and listed[0].device
    proposal = None if is_sure else next_test(fabric, network, posterior)
    if proposal and proposal.bits < LEAST_BITS:
        proposal = None
    rows = tuple(zip(results, bandwidths, strict=True))
    return Suspicion(fabric, tuple(listed), rows, tuple(far), proposal)


def _each(
    items: Iterable[Item], read: Callable[[Item], Iterable[ReadItem]], wrong: list[Finding]
) -> list[ReadItem]:
    """Return what is read of all items; add the mistakes of all to ``wrong``."""
    every: list[ReadItem] = []
    for item in items:
        try:
            every.extend(read(item))  # what comes before a mistake stays
        except InputError as error:
            if not error.findings:
                raise
            wrong += error.findings
    return every


def _groups(
    results: Sequence[MeasuredBandwidth], observed: Sequence[Observed]
) -> list[list[Observed]]:
    """Return the results of the same hosts and collective together."""
    groups: dict[object, list[Observed]] = {}
    for result, one in zip(results, observed, strict=True):
        groups.setdefault((result.kind, result.hosts), []).append(one)
    return list(groups.values())


def _observed(fabric: Fabric, network: Clos, result: MeasuredBandwidth) -> tuple[Observed, float]:
    """Return a result over what is expected, and what that is."""
    unknown = [name for name in result.hosts if name not in fabric.host_row]
    if unknown:
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        message = f"hosts: {unknown[0][:80]!a}{more} are not in the inventory"
        raise _wrong(result, message, "use the names of the inventory")
    rows = host_rows(fabric, result.hosts)
    if len(rows) < 2:  # noqa: PLR2004 - a collective between hosts
        raise _wrong(result, "all ranks are on one host", "test two hosts or more")
    rails = result.rails or _rails(fabric, result)
    if rails[-1] >= fabric.rails:
        raise _wrong(result, f"rails: {rails[-1]} is unknown", f"0 to {fabric.rails - 1}")
    if words := isolated(fabric, rows, rails):
        raise _wrong(result, *words)
    rails = tuple(together(fabric, rows, rails) or rails)
    row = expected(fabric, network, rows, kind=result.kind, rails=rails)
    if not row.expected_gbyte_s:
        raise _wrong(result, f"nothing is expected: {row.limit}", "leave out these hosts")
    trial = BandwidthTest(result.kind, np.array(rows), tuple(rails))
    return Observed(trial, result.gbyte_s / row.expected_gbyte_s), row.expected_gbyte_s


def _rails(fabric: Fabric, result: MeasuredBandwidth) -> tuple[int, ...]:
    """Return the rails of NCCL_IB_HCA; all without it.

    A leading ``=`` asks for whole names, ``^`` for all others (NCCL user guide, NCCL_IB_HCA).
    """
    word = result.devices
    is_other, word = word.startswith("^"), word.removeprefix("^")
    is_whole, word = word.startswith("="), word.removeprefix("=")
    names = [part.partition(":")[0] for part in word.split(",") if part]
    used = []
    for number, nic in enumerate(nic_names(fabric, result.hosts[0])):
        named = any(
            nic.rdma_device == name if is_whole else nic.rdma_device.startswith(name)
            for name in names
        )
        if named != is_other or not names:
            used.append(number // fabric.nic_ports)
    if not used:
        message = f"NCCL_IB_HCA: {result.devices[:80]!a} names no NIC of a rail"
        raise _wrong(result, message, "use the RDMA devices of the inventory")
    return tuple(sorted(set(used)))


def _wrong(result: MeasuredBandwidth, message: str, fix: str) -> InputError:
    finding = Finding("BWT003", Severity.ERROR, message, fix, position=result.place)
    return wrong_results([finding])
