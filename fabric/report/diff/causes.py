"""Which inventory lines the settings of rendered files follow from.

Where one value of the inventory alone can change files, all follows from it. Of several, those
count that give the setting its value when they are made alone, then those that do so together. A
setting that none of them gives, or for which that was not tried, follows from the edits of the
fields that its explanation names (see `fabric.render.explain`), then from the cables of the device,
then from the edits that are not valid alone. What is left stands together under no cause.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.platforms.model import role_field
from fabric.report.diff.explained import Explained
from fabric.report.diff.model import Cause

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fabric.report.diff.alone import Alone
    from fabric.report.diff.model import Device, Setting
    from fabric.report.diff.traced import Traced

#: Sections of ``fabric.yaml`` that add, remove and name devices.
_STRUCTURE = frozenset(
    (
        "naming units spines super_spines pods planes rails design switches switch_prefix name "
        "nic_ports platforms host"
    ).split()
)
#: Fields of a tenant that say who is in it.
_MEMBERS = frozenset(("hosts", "nics"))
#: Kinds of edits that name the devices which they concern.
_OF_NAMES = frozenset(("cabling", "devices", "hosts"))
#: Settings of a cause that are shown.
_EXAMPLES = 3


@dataclass(frozen=True)
class Causes:
    """Finds the edits that settings follow from.

    Parameters
    ----------
    edits : sequence of Traced
        All edits between two inventories.
    alone : sequence of Alone or None
        What each of them changes alone, where that is known.
    neighbours : dict
        Hosts at each switch, on either side.
    together : mapping
        What some of them change together, the likeliest first.
    """

    edits: Sequence[Traced]
    alone: Sequence[Alone | None]
    neighbours: dict[str, set[str]] = field(default_factory=dict)
    together: Mapping[tuple[int, ...], Alone] = field(default_factory=dict)
    _explained: Explained = field(default_factory=Explained)
    _known_near: dict[str, list[int]] = field(default_factory=dict)
    _known: dict[tuple[str, str, tuple[str, ...]], tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def _effective(self) -> list[int]:
        return [number for number, one in enumerate(self.edits) if one.effective]

    @cached_property
    def _structure(self) -> tuple[int, ...]:
        """Return the edits that can add or remove devices."""
        if len(self._effective) == 1:
            return (self._effective[0],)
        return tuple(
            number
            for number in self._effective
            if self.edits[number].kind == "fabric" and self.edits[number].path[0] in _STRUCTURE
        )

    @cached_property
    def _tried(self) -> list[tuple[int, Alone]]:
        """The edits of which it is known what they change alone, with that."""
        trials = ((number, self.alone[number]) for number in self._effective)
        return [(number, trial) for number, trial in trials if trial]

    @cached_property
    def _invalid(self) -> tuple[int, ...]:
        """All other edits."""
        return tuple(number for number in self._effective if not self.alone[number])

    @cached_property
    def _makers(self) -> dict[str, list[int]]:
        """The edits that add or remove each device, where that is known."""
        makers: dict[str, list[int]] = defaultdict(list)
        for number, trial in enumerate(self.alone):
            for name in trial.devices if trial else ():
                makers[name].append(number)
        return makers

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The edits of devices, hosts and cables, by each name that they have."""
        edits: dict[str, list[int]] = defaultdict(list)
        for number in self._effective:
            for name in self.edits[number].names if self.edits[number].kind in _OF_NAMES else ():
                edits[name].append(number)
        return edits

    @cached_property
    def _anywhere(self) -> list[int]:
        """All other edits: each may concern any device."""
        return [n for n in self._effective if self.edits[n].kind not in _OF_NAMES]

    def _near(self, device: Device) -> list[int]:
        """Return the edits that may concern a device, in their order."""
        if device.name not in self._known_near:
            names = {device.name, *self.neighbours.get(device.name, ())}
            own = {number for name in names for number in self._by_name.get(name, ())}
            self._known_near[device.name] = sorted({*self._anywhere, *own})
        return self._known_near[device.name]

    def of(self, devices: Sequence[Device]) -> list[Cause]:
        """Return the causes of all settings, those with most devices first, unknown ones last.

        Edits that change no file stand alone, without devices.
        """
        groups: dict[tuple[int, ...], dict[str, list[Setting]]] = {}
        roles = {device.name: device.role for device in devices}
        for device in devices:
            if device.state != "changed":
                makers = tuple(self._makers.get(device.name, ())) or self._structure
                groups.setdefault(makers, defaultdict(list))[device.name] = []
            for setting in device.settings:
                numbers = self._numbers(device, setting)
                groups.setdefault(numbers, defaultdict(list))[device.name].append(setting)
        named = {number for numbers in groups for number in numbers}
        for number in range(len(self.edits)):
            if number not in named:
                groups[(number,)] = {}
        causes = [(self._cause(numbers, groups[numbers], roles), numbers) for numbers in groups]
        causes.sort(key=lambda one: (not one[1], -_count(one[0]), one[1]))
        return [cause for cause, _ in causes]

    def _cause(
        self, numbers: tuple[int, ...], settings: dict[str, list[Setting]], roles: dict[str, str]
    ) -> Cause:
        first = next((name for name in settings if settings[name]), next(iter(settings), ""))
        return Cause(
            edits=tuple(self.edits[number].edit for number in numbers),
            switches=tuple(name for name in settings if roles[name] != "host"),
            hosts=tuple(name for name in settings if roles[name] == "host"),
            lines=sum(map(len, settings.values())),
            example_device=first,
            example=tuple(settings[first][:_EXAMPLES]) if first else (),
        )

    def _numbers(self, device: Device, setting: Setting) -> tuple[int, ...]:
        if len(self._effective) == 1:
            return (self._effective[0],)
        own = device.name, setting
        if alone := tuple(number for number, trial in self._tried if own in trial.settings):
            return alone
        groups = (group for group, trial in self.together.items() if own in trial.settings)
        if group := next(groups, ()):
            return group
        fields = self._explained.fields(device.platform, setting) or ()
        like = device.name, setting.file, fields
        if like not in self._known:
            self._known[like] = self._untried(device, setting.file, fields)
        return self._known[like]

    def _untried(self, device: Device, file: str, fields: Iterable[str]) -> tuple[int, ...]:
        """Return the edits of settings that none gives, or for which that was not tried."""
        touching = (n for n, trial in self._tried if (device.name, file) in trial.files)
        invalid = [number for number in self._near(device) if not self.alone[number]]
        if deciding := self._of_fields((*touching, *invalid), device, fields):
            return tuple(sorted(deciding))
        plugged = tuple(number for number in invalid if self._is_plugged(number, device))
        return plugged or (self._invalid if self._tried else ())

    def of_fields(self, device: Device, fields: Iterable[str]) -> tuple[int, ...]:
        """Return the edits of some fields, for a device."""
        return self._of_fields(self._near(device), device, fields)

    def of_any_line(self, device: Device) -> tuple[int, ...]:
        """Return the edits that any line of a device may follow from.

        The only one, or members of tenants and cables of the device.
        """
        if len(self._effective) == 1:
            return (self._effective[0],)
        return tuple(
            number
            for number in self._near(device)
            if self._is_of_members(self.edits[number]) or self._is_plugged(number, device)
        )

    @staticmethod
    def _is_of_members(one: Traced) -> bool:
        """Tell whether an edit says which hosts and NICs a tenant has."""
        is_tenant = one.kind == "tenants" or one.path[:1] == ("tenants",)
        return is_tenant and not _MEMBERS.isdisjoint(one.path)

    def _of_fields(
        self, numbers: Iterable[int], device: Device, fields: Iterable[str]
    ) -> tuple[int, ...]:
        return tuple(
            number
            for number in numbers
            if any(self._decides(self.edits[number], name, device) for name in fields)
        )

    def _is_plugged(self, number: int, device: Device) -> bool:
        """Tell whether an edit is a cable of a device."""
        one = self.edits[number]
        return one.kind == "cabling" and device.name in one.names

    def _decides(self, one: Traced, name: str, device: Device) -> bool:
        """Tell whether an edit is one of the field with a name, for a device."""
        first, *rest = name.split(".")
        if one.kind == "cabling":
            return device.name in one.names and first in ("units", "spines", "switches", "cables")
        if one.kind in ("fabric", "tenants"):
            role = ("platforms", role_field(device.role)) if device.role != "host" else ()
            own = one.path[2:] if role and one.path[:2] == role and first == "lossless" else ()
            return _overlap(one.path, (first, *rest)) or bool(own and _overlap(own, (first, *rest)))
        if one.kind not in ("devices", "hosts"):
            return one.kind in ("platforms", "table") and first in ("platforms", "lossless")
        return self._concerns(one, device) and _in_override(one, first, rest)

    def _concerns(self, one: Traced, device: Device) -> bool:
        near = {device.name, *self.neighbours.get(device.name, ())}
        return bool(one.names & (near if one.kind == "hosts" else {device.name}))


def _in_override(one: Traced, first: str, rest: list[str]) -> bool:
    """Tell whether an edit of an override is one of a field; a whole override is one of any."""
    inner = one.path[1:]
    if first == one.kind:
        return not inner or bool(set(rest[-1:]) & set(inner)) or rest[0] == inner[-1]
    if not inner or inner[0] == "names":
        return True
    wanted = (first, *rest)
    if first == "host":
        return _overlap(inner, ("traits", *rest))
    starts = (at for at, part in enumerate(inner) if part == first)
    return any(_overlap(inner[at:], wanted) for at in starts) or inner[-1] in ("ports", "nics")


def _overlap(path: tuple[str, ...], field_path: tuple[str, ...]) -> bool:
    """Tell whether one of two paths leads to the other."""
    return bool(path) and all(one == other for one, other in zip(path, field_path, strict=False))


def _count(cause: Cause) -> int:
    return len(cause.switches) + len(cause.hosts)
