"""Why devices of a plan change: inventory values that were edited, or what lines follow from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.causes import PlannedCause, PlannedCauses
from fabric.core.likeness import like_groups
from fabric.render.explain import entries
from fabric.report.diff.causes import Causes
from fabric.report.diff.explained import Explained, line_of
from fabric.report.diff.figures import figures
from fabric.report.diff.model import Device, Setting
from fabric.report.diff.protection import pauses_first, weakening
from fabric.report.edited import Edited
from fabric.report.line_sources import LineSources, topic_of
from fabric.report.moved_sections import moved_lines, settings_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fabric.change.model import Change, DevicePlan
    from fabric.design.designs import Designs
    from fabric.render.explain import Explanation
    from fabric.report.diff.side import Side
    from fabric.report.diff.traced import Traced

#: File of the settings of a switch whose configuration is tables; see `Setting`.
_TABLES = "config_db.json"
#: Plans of EOS name the outermost of up to three enclosing lines: `Book.depths`.
_HIDDEN = 3
#: Characters of a value that are shown; our choice.
_MOST_CHARACTERS = 60
#: What lines follow from that no field decides, and those that no book knows.
FIXED, OTHER = "lines that are the same in every inventory", "other lines"
#: What removed lines follow from that a field could set, and none does.
UNSET = "lines that the inventory does not have"
_HOST = "files and NICs of hosts"


class Source(NamedTuple):
    """What a line follows from.

    Parameters
    ----------
    fields, anywhere : tuple of str
        Fields of the inventory that decide it where it stands, and such lines anywhere.
    topic : str
        The part of the inventory that sets it, or why none does.
    """

    fields: tuple[str, ...]
    anywhere: tuple[str, ...]
    topic: str


@dataclass(frozen=True)
class CauseFinder:
    """Finds the causes of the changes of a plan.

    Parameters
    ----------
    designs : Designs
        The inventory of the plan, which says what a port is for.
    edits : sequence of Traced
        Values of the inventory that were edited since the devices were as planned.
    neighbours : mapping
        Hosts at each switch.
    since : str
        What the edits were made since, in words.
    other_hosts : collection of str
        Hosts whose files follow from other values than before the edits.
    before : Side, optional
        The inventory before the edits.
    """

    designs: Designs
    edits: Sequence[Traced] = ()
    neighbours: Mapping[str, set[str]] = field(default_factory=dict)
    since: str = ""
    other_hosts: Collection[str] = ()
    before: Side | None = None
    _explained: Explained = field(default_factory=lambda: Explained(_HIDDEN))

    @cached_property
    def _sources(self) -> LineSources:
        return LineSources(self.designs)

    @cached_property
    def _earlier_sources(self) -> LineSources | None:
        return LineSources(self.before.designs) if self.before else None

    def of(self, devices: Iterable[DevicePlan]) -> PlannedCauses:
        """Return the causes, edits first, then those with most changes."""
        devices = list(devices)
        every = [item for device in devices for item in self._items(device)]
        counted = {
            (device.device, _setting(change))
            for device in devices
            for change in settings_of(device.changes)
        }
        causes = [
            PlannedCause(
                tuple(str(self.edits[number].edit) for number in numbers),
                topic,
                tuple(dict.fromkeys(device for _, device, _ in same)),
                sum(item[1:] in counted for item in same) or len(same),
                *(same[0][1], _shown(same[0][2])),
            )
            for same in like_groups(every, lambda item: item[0])
            for numbers, topic in [same[0][0]]
        ]
        causes.sort(key=lambda cause: (not cause.edits, -cause.changes))
        edited = dict.fromkeys(number for (numbers, _), *_ in every for number in numbers)
        weaker = weakening(self.edits[number].edit for number in sorted(edited))
        worse = (*weaker, *self._pauses_first(devices))
        return PlannedCauses(tuple(causes), self.since, worse)

    def _pauses_first(self, devices: Iterable[DevicePlan]) -> Iterator[str]:
        """Yield where PFC pauses before ECN marks, and did not by the inventory before."""
        if self.before:
            old, new = self.before.designs, self.designs
            both = {one.device for one in devices if one.device in old.devices.keys() & new.devices}
            yield from pauses_first(figures(old, new, both))

    def _items(
        self, device: DevicePlan
    ) -> Iterator[tuple[tuple[tuple[int, ...], str], str, Setting]]:
        """Yield the cause of each change of a device, with the device and the setting."""
        causes = Causes(
            self.edits,
            [None] * len(self.edits),
            dict(self.neighbours),
            _explained=self._explained,
        )
        as_diff = Device(device.device, device.role, device.platform, "changed")
        if device.role == device.platform:
            yield from self._of_host(device, causes, as_diff)
            return
        sources, edited_lines = self._of_lines(device), Edited(device, self.before)
        numbers: dict[tuple[tuple[str, ...], ...], tuple[int, ...]] = {}
        for change in device.changes:
            here, anywhere, topic = sources[change.path]
            if (here, anywhere) not in numbers:
                own = causes.of_fields(as_diff, here)
                numbers[here, anywhere] = own or causes.of_fields(as_diff, anywhere)
            edited = numbers[here, anywhere]
            if not edited and _setting(change) in edited_lines:
                edited = causes.of_any_line(as_diff)
            yield (edited, "" if edited else topic), device.device, _setting(change)

    def _of_host(
        self, device: DevicePlan, causes: Causes, as_diff: Device
    ) -> Iterator[tuple[tuple[tuple[int, ...], str], str, Setting]]:
        """Yield the changes of a host: its files and live settings are not explained one by one."""
        is_other = device.device in self.other_hosts
        numbers = causes.of_fields(as_diff, _host_fields(device.platform)) if is_other else ()
        if is_other and not numbers and Edited(device, self.before).has_other_files:
            numbers = causes.of_any_line(as_diff)
        for change in device.changes:
            yield (numbers, "" if numbers else _HOST), device.device, _setting(change)

    def _of_lines(self, device: DevicePlan) -> dict[str, Source]:
        """Return what the changes of a switch follow from, by path."""
        settings = {change.path: _setting(change) for change in device.changes}
        moved = moved_lines(device.changes)
        entries = {path: self._explained.of(device.platform, own) for path, own in settings.items()}
        added = {
            entry.fields
            for path, entry in entries.items()
            if entry and settings[path].before is None
        }
        sources: dict[str, Source] = {}
        for path, entry in entries.items():
            if path not in moved:
                sources[path] = self._source(device, settings[path], entry, added)
        return sources | {path: sources[head] for path, head in moved.items()}

    def _source(
        self,
        device: DevicePlan,
        setting: Setting,
        entry: Explanation | None,
        added: Collection[tuple[str, ...]],
    ) -> Source:
        """Return what a setting follows from; what set a line that goes may be gone too.

        Parameters
        ----------
        added : collection of tuple of str
            Fields of the lines that come: one of them may take the place of a line that goes.
        """
        if entry is None:
            return Source((), (), OTHER)
        fields, topic = entry.fields, topic_of(entry.fields)
        is_removed = setting.after is None
        earlier = self._earlier_sources if is_removed else None
        for sources in (earlier, self._sources):
            if sources and device.device in sources.designs.devices:
                line = line_of(setting)
                is_last = is_removed and entry.fields not in added
                fields, topic = sources.of(device.device, line, entry, is_removed=is_last)
                break
        is_unset = is_removed and bool(entry.fields)
        return Source(fields, entry.fields, topic or (UNSET if is_unset else FIXED))


@cache
def _host_fields(platform: str) -> frozenset[str]:
    """Return the fields of the inventory that files of hosts follow from."""
    return frozenset(name for entry in entries(platform) for name in entry.fields)


def _setting(change: Change) -> Setting:
    file = _TABLES if "|" in change.path else ""
    return Setting(file, change.path, change.before or None, change.after or None)


def _shown(setting: Setting) -> str:
    """Return a setting and how it changes, short enough for a line."""
    path, before, after = setting.path.rstrip("|"), setting.before, setting.after
    if before is not None and after is not None:
        return f"{path}: {_cut(before)} -> {_cut(after)}"
    sign, value = ("+", after) if before is None else ("-", before)
    is_line = value is None or value.endswith(path.rpartition(": ")[2])
    return f"{sign} {path}" if is_line and "|" not in path else f"{sign} {path} = {_cut(value)}"


def _cut(value: str | None) -> str:
    text = value or ""
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."
