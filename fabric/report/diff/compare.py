"""Puts the difference of two inventories together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.model import Risk
from fabric.core.steps import steps
from fabric.report.diff.alone import Trials
from fabric.report.diff.capacity import capacity, less_bandwidth
from fabric.report.diff.causes import Causes
from fabric.report.diff.consequences import consequences
from fabric.report.diff.figures import figures, is_at_both_ends, sessions_differ
from fabric.report.diff.model import Device, Diff, TouchedJob
from fabric.report.diff.network import cables, moves
from fabric.report.diff.protection import less_protection
from fabric.report.diff.risks import RISKS
from fabric.report.diff.rollout import less_safe, more_repaired
from fabric.report.diff.settings import clearing_files, settings
from fabric.report.diff.severities import lowered
from fabric.report.diff.summary import summarised
from fabric.report.diff.tenants import tenants, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.designs import Designs
    from fabric.report.diff.model import Consequence, Figure, Judged
    from fabric.report.diff.side import Side
    from fabric.report.diff.traced import Swap, Traced

#: Risks of which a setting that names ports is about these alone.
_OF_PORTS = (Risk.BRIEF_LOSS.word, Risk.PORT_FLAP.word)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to traffic; see `fabric.report.diff.model.Device`."""

    risk: str
    reload: bool | None
    notes: tuple[str, ...] = ()
    risk_cause: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two inventories.

    Parameters
    ----------
    edits : sequence of Traced
        What differs between their files.
    judge : callable
        Tells what a device loses on its way from some files to others.
    make : callable
        Returns the first inventory with some edits made; None where that is not valid.
    jobs : mapping of str to tuple of str
        Hosts of each job that runs.
    judged : Judged, optional
        What rules and proof say of both.
    between : callable, optional
        Tells what is lost between the waves of a change; asked where something differs that
        both ends of a cable, or of a session, must have alike.
    """

    before: Side
    after: Side
    edits: Sequence[Traced]
    judge: Callable[[str, Sequence[Artefact], Sequence[Artefact]], Effect]
    make: Callable[[Sequence[Swap]], Side | None] = lambda _: None
    jobs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    judged: Judged | None = None
    between: Callable[[Sequence[Device]], Iterable[Consequence]] = lambda _: ()

    def diff(self) -> Diff:
        """Return all that differs."""
        old, new = self.before.designs, self.after.designs
        both = self._apart()
        devices = [*self._coming_and_going(), *self._changed(both)]
        known = {device.name: device.settings for device in devices}
        trials = Trials(self.before, self.after, self.edits, known, self.make)
        near = neighbours(old, new)
        causes = Causes(self.edits, trials.alone, near, trials.together).of(devices)
        attached = self._attached(devices)
        moved, touched = moves(old, new), tenants(old, new, devices)
        apart = tuple(figures(old, new, set(both)))
        carried = capacity(old, new)
        every = (
            *consequences(old, new, moved, devices, touched, self.judged),
            *less_protection(apart),
            *less_bandwidth(carried),
            *(self.between(devices) if self._is_at_both_ends(both, apart) else ()),
            *lowered(old.intent, new.intent),
            *less_safe(old.intent.fabric.rollout, new.intent.fabric.rollout),
            *more_repaired(old.intent.fabric.drift, new.intent.fabric.drift),
        )
        follows = sorted(every, key=lambda one: -RISKS.index(one.risk))
        return Diff(
            before=self.before.shown,
            after=self.after.shown,
            fabric=new.intent.fabric.name,
            summary=summarised(devices, follows, attached, len(self.edits)),
            edits=tuple(one.edit for one in self.edits),
            cables=tuple(cables(old, new)),
            moves=tuple(moved),
            figures=apart,
            capacity=tuple(carried),
            causes=tuple(causes),
            devices=tuple(devices),
            attached=attached,
            jobs=tuple(self._touched(devices, attached)),
            tenants=touched,
            consequences=tuple(follows),
            judged=self.judged,
        )

    def _is_at_both_ends(self, both: Sequence[str], apart: Sequence[Figure]) -> bool:
        """Tell whether something differs that both ends of a cable or session have alike."""
        old, new = self.before.designs.devices, self.after.designs.devices
        switches = (name for name in both if name in old)
        return any(map(is_at_both_ends, apart)) or any(
            sessions_differ(old[name].bgp, new[name].bgp) for name in switches
        )

    def _apart(self) -> list[str]:
        """Return the devices of both sides whose designs differ; equal ones have equal files."""
        old, new = (
            {**one.devices, **one.hosts} for one in (self.before.designs, self.after.designs)
        )
        return [name for name in old if name in new and old[name] != new[name]]

    def _coming_and_going(self) -> list[Device]:
        devices = []
        sides = (self.before.designs, self.after.designs)
        for own, other, state in ((*sides, "removed"), (*sides[::-1], "added")):
            known = {*other.devices, *other.hosts}
            names = [name for name in (*own.devices, *own.hosts) if name not in known]
            side = self.before if state == "removed" else self.after
            for name, items in side.files(names).items():
                role, platform = _kind(own, name)
                files = tuple(item.path for item in items)
                devices.append(
                    Device(name, role, platform, "removed", files=files)
                    if state == "removed"
                    else Device(name, role, platform, "added", files=files)
                )
        return devices

    def _changed(self, names: Sequence[str]) -> list[Device]:
        old, new = self.before.files(names), self.after.files(names)
        known: dict[tuple[object, ...], Effect] = {}
        devices = []
        for name in steps("devices", names):
            apart = settings(old[name], new[name])
            if not apart:
                continue
            role, platform = _kind(self.after.designs, name)
            lines = tuple((one.path, one.before, one.after) for one in apart)
            key = platform, self._shut(name), lines
            if key not in known:
                known[key] = self._effect(name, platform, old[name], new[name])
            effect = known[key]
            files = dict.fromkeys(one.file for one in apart)
            clearing = [file for file in clearing_files(old[name], new[name]) if file not in files]
            notes = (*effect.notes, *map(_of_clearing, clearing))
            devices.append(
                Device(
                    *(name, role, platform, "changed", effect.risk, effect.reload, notes),
                    files=(*files, *clearing),
                    settings=apart,
                    risk_cause=effect.risk_cause,
                )
            )
        return devices

    def _shut(self, name: str) -> frozenset[str]:
        """Return the ports of a switch that are shut before: changes of them lose nothing."""
        design = self.before.designs.devices.get(name)
        return (
            frozenset(port.name for port in design.ports if not port.enabled)
            if design
            else frozenset()
        )

    def _effect(
        self, name: str, platform: str, old: Sequence[Artefact], new: Sequence[Artefact]
    ) -> Effect:
        before = _kind(self.before.designs, name)[1]
        if before != platform:
            cause = f"{before} is replaced by {platform}"
            note = f"{cause}: install the switch again"
            return Effect(Risk.RESTART.word, reload=True, notes=(note,), risk_cause=cause)
        return self.judge(name, old, new)

    def _attached(self, devices: Sequence[Device]) -> tuple[str, ...]:
        """Return the hosts that keep their files, at switches that lose traffic."""
        own = {device.name for device in devices}
        calm = Risk.HARMLESS.word
        near: set[str] = set()
        at_switch = neighbours(self.before.designs, self.after.designs)
        for device in devices:
            if device.role != "host" and device.risk != calm:
                named = self._at_named_ports(device)
                near |= at_switch.get(device.name, set()) if named is None else named
        return tuple(name for name in self.after.designs.hosts if name in near - own)

    def _at_named_ports(self, device: Device) -> set[str] | None:
        """Return the hosts at the ports that each setting names; None where one is about more."""
        if device.reload or device.risk not in _OF_PORTS or not device.settings:
            return None
        sides = (side.designs.devices.get(device.name) for side in (self.before, self.after))
        host = {p.name: p.peer for one in sides if one for p in one.ports if p.kind == "host"}
        found: set[str] = set()
        for setting in device.settings:
            named = host.keys() & words_of(setting)
            if not named:
                return None
            found |= {host[port] for port in named}
        return found

    def _touched(
        self, devices: Sequence[Device], attached: tuple[str, ...]
    ) -> Iterator[TouchedJob]:
        touched = {*attached, *(device.name for device in devices if device.role == "host")}
        for name, hosts in self.jobs.items():
            own = tuple(host for host in hosts if host in touched)
            if own:
                yield TouchedJob(name, own, len(hosts))


def _of_clearing(file: str) -> str:
    name = file.rpartition("/")[2]
    return f"{name} differs too: its lines, not shown, clear what the other files set again"


def _kind(designs: Designs, name: str) -> tuple[str, str]:
    """Return role and system of a switch or host."""
    if name in designs.devices:
        return designs.devices[name].role, designs.devices[name].platform
    return "host", "host"


def neighbours(*sides: Designs) -> dict[str, set[str]]:
    """Return the hosts at each switch, on any side."""
    hosts: dict[str, set[str]] = {}
    for designs in sides:
        for name, device in designs.devices.items():
            near = {port.peer for port in device.ports if port.kind == "host"}
            hosts[name] = hosts.get(name, set()) | near
    return hosts
