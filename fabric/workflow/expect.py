"""expect: the bus bandwidth that a set of hosts should reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.expected import ExpectedBandwidth, expected
from fabric.collective.groups import rails_by_owner
from fabric.collective.published import CollectiveKind
from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.tenancy import owners_in_words, tenants_of_job
from fabric.report.table import Table
from fabric.topology.clos import clos, failed
from fabric.topology.naming import hint, unknown
from fabric.topology.outages import outage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.topology.model import Fabric, Ints
    from fabric.workflow.project import Project

_HEADERS = ("collective", "hosts", "rails", "expected", "from", "to", "one link", "limit")


@dataclass(frozen=True)
class BandwidthExpectation:
    """What all-reduce and all-to-all of some hosts should reach."""

    rows: tuple[ExpectedBandwidth, ...]

    def table(self) -> Table:
        """Return a line for each collective, in GB/s of bus bandwidth."""
        return Table(
            _HEADERS,
            tuple(
                (
                    row.kind.value,
                    row.hosts,
                    row.rails,
                    f"{row.expected_gbyte_s:.1f}",
                    f"{row.least_gbyte_s:.1f}",
                    f"{row.even_gbyte_s:.1f}",
                    f"{row.worst_gbyte_s:.1f}",
                    row.limit,
                )
                for row in self.rows
            ),
        )


def expect(
    project: Project,
    hosts: str = "",
    *,
    rails: str = "",
    failures: Sequence[str] = (),
    nvlink_gbyte_s: float = float("inf"),
) -> BandwidthExpectation:
    """Return what collectives of some hosts should reach.

    Parameters
    ----------
    hosts : str
        Range of hosts in rank order; empty: all.
    rails : str
        Rails with commas; empty: all.
    failures : sequence of str
        What is down, in the words of `rocefab whatif`.

    Raises
    ------
    InputError
        When a host, rail or failure is unknown, or fewer than two hosts are named.
    """
    fabric = project.fabric
    network = clos(fabric)
    network = failed(network, outage(fabric, failures))
    rows = host_rows(fabric, hostlist.expand(hosts)) if hosts else list(range(len(fabric.hosts)))
    if len(rows) < 2:  # noqa: PLR2004 - a collective between hosts
        message = "a collective over the network needs two hosts"
        raise InputError(message, [Finding("BWT001", Severity.ERROR, message, "name more hosts")])
    chosen = together(fabric, rows, rail_numbers(fabric, rails))
    return BandwidthExpectation(
        tuple(
            expected(fabric, network, rows, kind=kind, rails=chosen, nvlink_gbyte_s=nvlink_gbyte_s)
            for kind in CollectiveKind
        )
    )


def usual(project: Project, rails: Sequence[int] | None = None) -> str:
    """Return what an all-reduce of all hosts usually reaches, as a clause; empty without one."""
    fabric = project.fabric
    every = range(len(fabric.hosts))
    if len(every) < 2 or isolated(fabric, every, rails):  # noqa: PLR2004 - between hosts
        return ""
    row = expected(fabric, clos(fabric), every, rails=rails)
    if not row.expected_gbyte_s:
        return ""
    return f", {row.expected_gbyte_s:.1f} of all hosts are usual, {row.least_gbyte_s:.1f} the least"


def together(
    fabric: Fabric, rows: Sequence[int], rails: Sequence[int] | None
) -> Sequence[int] | None:
    """Return the rails of a collective: those on which the NICs of its hosts are of one tenant.

    Raises
    ------
    InputError
        When tenants keep its hosts apart.
    """
    if words := isolated(fabric, rows, rails):
        raise InputError(words[0], [Finding("BWT001", Severity.ERROR, *words)])
    if fabric.tenants is None:
        return rails
    (mine,) = _rails_by_owner(fabric, rows, rails).values()
    return mine


def isolated(
    fabric: Fabric, rows: Sequence[int], rails: Sequence[int] | None
) -> tuple[str, str] | None:
    """Return that tenants keep hosts apart, and what to do; None where they do not."""
    by_owner = _rails_by_owner(fabric, rows, rails)
    if len(by_owner) == 1:
        return None
    if by_owner:
        return "rails of these hosts are of several tenants", "name rails of one tenant"
    names = [fabric.hosts.names[row] for row in rows]
    owners = tenants_of_job(fabric, names, _columns(fabric, rails))
    if len(owners) == 1 and fabric.tenants is not None and fabric.tenants.is_local:
        return "traffic of a tenant stays on its leaf", "name hosts of one unit"
    return owners_in_words(owners), "name hosts of one tenant"


def _rails_by_owner(
    fabric: Fabric, rows: Sequence[int], rails: Sequence[int] | None
) -> dict[int, list[int]]:
    """Return those of some rails on which hosts are together, by the owner of their NICs."""
    among = range(fabric.rails) if rails is None else rails
    by_owner = {
        owner: [rail for rail in mine if rail in among]
        for owner, mine in rails_by_owner(fabric, rows).items()
    }
    return {owner: mine for owner, mine in by_owner.items() if mine}


def _columns(fabric: Fabric, rails: Sequence[int] | None) -> Ints:
    ports = np.arange(fabric.nics_per_host)
    return ports if rails is None else ports[np.isin(ports // fabric.nic_ports, list(rails))]


def host_rows(fabric: Fabric, names: Sequence[str]) -> list[int]:
    """Return the rows of hosts, in their order.

    Raises
    ------
    InputError
        With a finding for each name that is unknown or named twice.
    """
    findings = []
    if strange := [name[:80] for name in names if name not in fabric.host_row]:
        fix = hint("host", strange[0], fabric.hosts.names)
        findings.append(Finding("BWT001", Severity.ERROR, unknown("host", strange), fix))
    findings += [
        Finding("BWT001", Severity.ERROR, f"host {name[:80]!a} is named twice", "name it once")
        for name in hostlist.doubled(names)
    ]
    if findings:
        raise InputError(f"{counted(len(findings), 'error')} in the list of hosts", findings)
    return [fabric.host_row[name] for name in names]


def rail_numbers(fabric: Fabric, text: str) -> list[int] | None:
    """Return the numbers of ``0,1,2``; None for an empty text.

    Raises
    ------
    InputError
        When a rail is unknown.
    """
    if not text:
        return None
    words = [word.strip() for word in text.split(",")]
    known = {str(rail) for rail in range(fabric.rails)}
    wrong = [word for word in words if word not in known]
    if wrong or len(set(words)) < len(words):
        message = f"{text[:80]!a} is not a list of rails"
        fix = f"use numbers from 0 to {fabric.rails - 1}, each once, with commas"
        raise InputError(message, [Finding("BWT001", Severity.ERROR, message, fix)])
    return sorted(int(word) for word in words)
