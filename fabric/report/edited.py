"""Lines and files of a device that edits of the inventory change, by what is rendered of both."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.render.explain import placed_lines
from fabric.report.diff.explained import line_of
from fabric.report.diff.settings import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.change.model import DevicePlan
    from fabric.core.artefact import Artefact
    from fabric.render.explain import PlacedLine
    from fabric.report.diff.model import Setting
    from fabric.report.diff.side import Side


@dataclass(frozen=True)
class Edited:
    """What edits of the inventory change on a device, whatever else it runs.

    Parameters
    ----------
    device : DevicePlan
        Its plan, with the files after the edits.
    before : Side or None
        The inventory before the edits.
    """

    device: DevicePlan
    before: Side | None

    def __contains__(self, setting: Setting) -> bool:
        """Tell whether a setting of the plan is such a line."""
        if "|" in setting.path:
            return _of_row(setting) in self._rows
        line = _key(line_of(setting))
        return line in self._lines[0 if setting.after is None else 1]

    @cached_property
    def _lines(self) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
        """Return the lines that go, and those that come; sections of one holder may have one."""
        old, new = (Counter(map(_key, placed_lines(side))) for side in self._files)
        return old - new, new - old

    @cached_property
    def _rows(self) -> set[tuple[str, bool]]:
        """Return the fields of rows that come, go or get another value."""
        return {_of_row(one) for one in settings(*self._files)}

    @property
    def _files(self) -> tuple[Sequence[Artefact], Sequence[Artefact]]:
        """The files of a switch before and after the edits; none where those before are unknown."""
        name = self.device.device
        if self.before is None or name not in self.before.designs.devices:
            return (), ()
        return self.before.files([name])[name], self.device.artefacts

    @property
    def has_other_files(self) -> bool:
        """Whether a file of a host is another one than before."""
        name = self.device.device
        if self.before is None or name not in self.before.designs.hosts:
            return False
        earlier = {one.path: one.sha256 for one in self.before.files([name])[name]}
        return any(earlier.get(one.path, one.sha256) != one.sha256 for one in self.device.artefacts)


def _of_row(setting: Setting) -> tuple[str, bool]:
    """Return a field of a row, and whether it goes."""
    return setting.path.rstrip("|"), setting.after is None


def _key(line: PlacedLine) -> tuple[str, str]:
    """Return a line with the outermost one that holds it, or with its row."""
    holder = line.parents[0] if line.parents else line.context
    return holder, line.text.strip().rstrip(",")
