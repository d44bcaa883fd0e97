"""Speeds of the links and health of the hosts as they are now."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity, advised
from fabric.core.shown import field_text
from fabric.placement.engine.state import STATE_RULE, Condition, Health, speed_left
from fabric.topology.naming import hint, nic_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.placement.engine.traffic import Floats
    from fabric.topology.model import Bools, Fabric, Ints


#: What errors of conditions and of jobs begin with.
NOT_OF_THIS_FABRIC = "the state is not that of this fabric"
#: Letters of a name that a message shows; our choice.
_SHOWN = 80
#: Unknown names for which a close one is looked for, which takes time; our choice.
_HINTED = 5
#: Member of a condition, what is wrong with it, and what to do.
_Wrong = tuple[str, str, str]


@dataclass(eq=False)
class Now:
    """What conditions make of the tables of a fabric.

    Parameters
    ----------
    cable_gbps : array of float, shape (uplinks,)
        Speed of each cable between switches; 0 of one that carries nothing.
    hosts : dict
        Condition of each host that takes no job, by row.
    graded : dict
        Condition of each host that is degraded, by row.
    nics : dict
        Condition of each cable of a NIC that is not as planned, by row of ``fabric.nics``.
    links : list of (array of int, Condition)
        Conditions of cables between switches, and of spines, with the rows of their cables.
    """

    fabric: Fabric
    cable_gbps: Floats
    hosts: dict[int, Condition] = field(default_factory=dict)
    graded: dict[int, Condition] = field(default_factory=dict)
    nics: dict[int, Condition] = field(default_factory=dict)
    links: list[tuple[Ints, Condition]] = field(default_factory=list)

    @cached_property
    def share_left(self) -> Floats:
        """Share of its speed that each NIC port has left, by row of ``fabric.nics``."""
        by_host = np.ones((len(self.fabric.hosts), self.fabric.nics_per_host))
        for host, condition in self.graded.items():
            by_host[host] = speed_left(condition)
        share: Floats = by_host.ravel()
        for nic, condition in self.nics.items():
            share[nic] *= speed_left(condition)
        return share

    @cached_property
    def carries(self) -> Bools:
        """Whether each NIC port carries traffic, by row of ``fabric.nics``."""
        return self.fabric.nics.enabled & (self.share_left > 0)

    @cached_property
    def spared(self) -> frozenset[int]:
        """NIC ports that carry nothing, while another port of the NIC does; rows as in ``nics``."""
        per_nic = self.fabric.nic_ports
        by_nic = np.logical_or.reduce(self.carries.reshape(-1, per_nic), axis=1)
        return frozenset(
            port for port in self.nics if self.share_left[port] == 0 and by_nic[port // per_nic]
        )


def now(fabric: Fabric, conditions: Iterable[Condition]) -> Now:
    """Return the fabric under some conditions.

    Raises
    ------
    InputError
        When a condition is about something that the fabric does not have; all of them are named.
    """
    state, findings = _made(fabric, conditions)
    if findings:
        raise InputError(NOT_OF_THIS_FABRIC, list(findings.values()))
    return state


def unknown_subjects(fabric: Fabric, subjects: Iterable[str]) -> dict[str, Finding]:
    """Return the hosts, switches, ports and NICs that the fabric does not have, with a finding."""
    return _made(fabric, (Condition(subject, Health.DOWN) for subject in subjects))[1]


def _made(fabric: Fabric, conditions: Iterable[Condition]) -> tuple[Now, dict[str, Finding]]:
    """Return the fabric under the conditions that fit it, and what is wrong with other subjects."""
    up = fabric.uplinks
    asn = fabric.switches.asn
    carries = up.enabled & (asn[up.lower] != asn[up.upper])  # no route inside one AS
    state = Now(fabric, up.speed_gbps * carries.astype(np.float64))
    latest = {one.subject: one for one in conditions}
    findings: dict[str, Finding] = {}
    for one in latest.values():
        for member, message, remedy in _wrong_share(one) or _apply(state, one):
            close = not remedy and len(findings) < _HINTED and _close(fabric, one.subject)
            fix = remedy or alternative(close or "", "remove it from the state")
            where = f"{_field(one)}{member}"
            findings[one.subject] = Finding(STATE_RULE, Severity.ERROR, message, fix, field=where)
    return state, findings


def _close(fabric: Fabric, subject: str) -> str:
    device = subject.partition(":")[0]
    return hint("switch or host", device, (*fabric.hosts.names, *fabric.switches.names))


def alternative(close: str, fix: str) -> str:
    """Return what to do about an unknown name: the close one, or another remedy."""
    return advised(close, f"or {fix}") if close else fix


def _field(one: Condition) -> str:
    """Return where a condition stands, in printable ASCII."""
    return field_text(("conditions", shown_name(one.subject)))


def shown_name(name: str) -> str:
    """Return a name as messages show it: short, and printable ASCII."""
    return ascii(name[:_SHOWN])[1:-1]


def _wrong_share(one: Condition) -> list[_Wrong]:
    if 0 <= one.capacity <= 1:
        return []
    return [(".capacity", f"{one.capacity} is not between 0 and 1", "0.5 is half of the speed")]


def _apply(state: Now, one: Condition) -> list[_Wrong]:
    """Write a condition into the arrays; return what is wrong with it."""
    fabric = state.fabric
    device, colon, port = one.subject.partition(":")
    if device in fabric.host_row:
        return _nic(state, one, device, port) if colon else _host(state, one)
    if device not in fabric.switch_row:
        message = f"{one.subject[:_SHOWN]!a} is unknown: neither host, switch nor port"
        return [("", message, "")]  # a hint follows
    return _port(state, one, device, port) if colon else _switch(state, one)


def _host(state: Now, one: Condition) -> list[_Wrong]:
    table = state.graded if one.health is Health.DEGRADED else state.hosts
    table[state.fabric.host_row[one.subject]] = one
    return []


def _nic(state: Now, one: Condition, host: str, port: str) -> list[_Wrong]:
    names = [nic.interface for nic in nic_names(state.fabric, host)]
    if port not in names:
        message = f"{host} has no NIC {port[:40]!a}"
        return [("", message, f"its NICs are {', '.join(names)}")]
    row = state.fabric.host_row[host] * state.fabric.nics_per_host
    _keep_worse(state, row + names.index(port), one)
    return []


def _keep_worse(state: Now, nic: int, one: Condition) -> None:
    """Note a condition of a NIC's cable: both ends and the leaf can have one, the worst counts."""
    if nic not in state.nics or state.nics[nic].health is Health.DEGRADED:
        state.nics[nic] = one


def _switch(state: Now, one: Condition) -> list[_Wrong]:
    fabric, row = state.fabric, state.fabric.switch_row[one.subject]
    touched = (fabric.uplinks.lower == row) | (fabric.uplinks.upper == row)
    state.cable_gbps[touched] *= speed_left(one)
    if row >= fabric.switches.leaf_count:
        state.links.append((np.flatnonzero(touched), one))
    else:
        for nic in fabric.nics_of_leaf(row).tolist():
            _keep_worse(state, nic, one)
    return []


def _port(state: Now, one: Condition, switch: str, port: str) -> list[_Wrong]:
    fabric, row = state.fabric, state.fabric.switch_row[switch]
    number = fabric.switches.skus[row].port_numbers().get(port)
    cable = fabric.uplink_at(row, number) if number is not None else None
    if cable is not None:
        state.cable_gbps[cable] *= speed_left(one)
        state.links.append((np.array([cable]), one))
        return []
    nics = fabric.nics_of_leaf(row)
    mine = nics[fabric.nics.port[nics] == number] if number is not None else nics[:0]
    if not mine.size:
        message = f"{switch} has no cable in port {port[:40]!a}"
        return [("", message, "name a port with a cable")]
    _keep_worse(state, int(mine[0]), one)
    return []
