"""Subnets that leave a tenant with their ports, and the leaves that may not have them then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.change.rollout import Withdrawal
from fabric.core import hostlist
from fabric.design.tenancy import TenancyDesigner
from fabric.devices.connections import listed
from fabric.observe.parsers import route_readings
from fabric.topology.tenants import vrf_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.change.model import Plan
    from fabric.workflow.project import Project
    from fabric.workflow.tenant_moves import TenantMoves

_LOCAL = "tenants of the form local stay on their leaf"
_ALONE = "no other leaf has {vrf}"


def withdrawals(
    project: Project,
    plan: Plan,
    moves: Mapping[str, TenantMoves],
    connections_file: Path | None,
) -> tuple[Withdrawal, ...]:
    """Return what other leaves are asked for after the waves that take ports out of tenants.

    Parameters
    ----------
    moves : mapping of str to TenantMoves
        Of each device that was read.
    """
    left = [
        (leaf, vrf, tuple(dict.fromkeys(prefixes)))
        for leaf in plan.devices
        if leaf in moves
        for vrf, prefixes in moves[leaf].left.items()
        if prefixes
    ]
    if not left:
        return ()
    leaves = _Leaves(project, plan, moves, connections_file)
    return tuple(leaves.withdrawal(*one) for one in left)


class _Leaves:
    """Who has which VRF after each wave, and can be asked."""

    def __init__(
        self,
        project: Project,
        plan: Plan,
        moves: Mapping[str, TenantMoves],
        connections_file: Path | None,
    ) -> None:
        self._project, self._plan, self._moves = project, plan, moves
        self._known = listed(connections_file) | {*plan.devices, *plan.unchanged}
        self._turns = {name: turn for turn, wave in enumerate(plan.waves) for name in wave}
        tenants, switches = project.fabric.tenants, project.fabric.switches
        designer, items = TenancyDesigner(project.fabric, ()), tenants.items if tenants else ()
        self._is_local = tenants is not None and tenants.is_local
        self._planned = {
            switches.names[leaf]: {vrf_name(items[row].value) for row in designer.rows(leaf)}
            for leaf in range(switches.leaf_count if items else 0)
        }

    def withdrawal(self, leaf: str, vrf: str, prefixes: tuple[str, ...]) -> Withdrawal:
        """Return what is asked after the wave of a leaf."""
        if self._is_local:
            return Withdrawal(leaf, vrf, prefixes, silent=_LOCAL)
        systems, unasked = dict[str, str](), dict[str, str]()
        for name in self._having(vrf, self._turns[leaf]):
            if name != leaf:
                system = self._system(name)
                reason = self._why_not(name, system)
                (unasked if reason else systems)[name] = reason or system
        silent = "" if systems or unasked else _ALONE.format(vrf=vrf)
        return Withdrawal(leaf, vrf, prefixes, systems, unasked, silent)

    def _having(self, vrf: str, turn: int) -> Iterator[str]:
        """Yield the leaves that have a VRF after a wave."""
        for name in dict.fromkeys([*self._planned, *self._moves]):
            before = vrf in self._moves[name].vrfs if name in self._moves else None
            is_planned = vrf in self._planned.get(name, ())
            is_done = name in self._turns and self._turns[name] <= turn
            if is_planned if is_done or before is None else before:
                yield name

    def _system(self, name: str) -> str:
        switches = self._project.fabric.switches
        return switches.skus[self._project.fabric.switch_row[name]].nos

    def _why_not(self, name: str, system: str) -> str:
        """Return why a leaf is not asked; empty where it is."""
        if name in self._plan.missing:
            return "it could not be read for the plan"
        if name not in self._known:
            return "it is not in the connections"
        if system not in route_readings:
            return f"nothing reads routes of {system}"
        return ""


def withdrawn_of(plan: Plan) -> Iterator[Withdrawal]:
    """Yield the subnets that leave tenants, in the order of the waves."""
    yield from plan.leaf_pings.withdrawn if plan.leaf_pings else ()
    for stage in plan.rollout.stages if plan.rollout else ():
        yield from stage.withdrawn


def describe_withdrawals(planned: Sequence[Withdrawal]) -> Iterator[str]:
    """Yield what is asked, and else why nothing is."""
    asked = [one for one in planned if one.systems]
    if asked:
        prefixes = {(one.vrf, prefix) for one in asked for prefix in one.prefixes}
        leaves = {name for one in asked for name in one.systems}
        verb = "leaves" if len(prefixes) == 1 else "leave"
        yield (
            f"gate withdrawal: {_count(len(prefixes), 'subnet')} that {verb} a tenant must be gone "
            f"from {_count(len(leaves), 'other leaf', 'other leaves')}"
        )
    yield from (f"gate withdrawal: {text}" for text in unasked(planned))


def unasked(planned: Sequence[Withdrawal]) -> Iterator[str]:
    """Yield why nothing is asked, and which leaves are not, and why."""
    silent, reasons = dict[str, dict[str, None]](), dict[str, dict[str, None]]()
    for one in planned:
        if one.silent:
            silent.setdefault(one.silent, {})[one.leaf] = None
        for name, reason in one.unasked.items():
            reasons.setdefault(reason, {})[name] = None
    for reason, names in silent.items():
        yield f"nothing is asked for {hostlist.fold(names)}: {reason}"
    if reasons:
        parts = (f"{hostlist.fold(names)} ({reason})" for reason, names in reasons.items())
        yield f"not checked: {', '.join(parts)}"


def _count(number: int, name: str, several: str = "") -> str:
    return f"{number} {name if number == 1 else several or name + 's'}"
