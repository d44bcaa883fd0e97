"""Which inventory fields a setting of a file follows from, as its explanation says."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fabric.core.likeness import shape
from fabric.render.explain import ANY_LINE, WITHIN, PlacedLine, known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.render.explain import Explanation
    from fabric.report.diff.model import Setting


@dataclass(frozen=True)
class Explained:
    """Finds the inventory fields of settings; those that differ in numbers alone have the same.

    Parameters
    ----------
    hidden : int
        Most enclosing lines that the path of a setting may leave out.
    """

    hidden: int = 0
    _known: dict[tuple[str, str, str], Explanation | None] = field(default_factory=dict)

    def fields(self, platform: str, setting: Setting) -> tuple[str, ...] | None:
        """Return the fields that decide a setting; None where nothing is known of it.

        A setting that no field decides has none.
        """
        entry = self.of(platform, setting)
        return entry.fields if entry else None

    def of(self, platform: str, setting: Setting) -> Explanation | None:
        """Return what is known of settings of a kind; None where nothing is."""
        key = platform, setting.file.rpartition("/")[2], shape(setting.path)
        if key not in self._known:
            self._known[key] = next(iter(self._entries(platform, setting)), None)
        return self._known[key]

    def _entries(self, platform: str, setting: Setting) -> Sequence[Explanation]:
        line, probe = line_of(setting), _probe(setting)
        for more in range(self.hidden) if line.parents else ():
            holders = (*line.parents, *(ANY_LINE for _ in range(more)))
            context = WITHIN.join(ANY_LINE for _ in holders)
            unknown = replace(line, context=context, parents=holders)
            if entries := known(platform, unknown, probe):
                return entries
        return known(platform, line, probe)


def line_of(setting: Setting) -> PlacedLine:
    """Return a setting as a line of its file."""
    if setting.file.endswith("config_db.json"):
        row, _, name = setting.path.rpartition("|")
        return PlacedLine(
            setting.file, 0, f'"{name}": "{setting.after or setting.before}"', row, ()
        )
    *parents, text = setting.path.split(": ")
    value = setting.after if setting.before and setting.after else ""
    line = text.replace("...", value) if "..." in text else f"{text} {value}".strip()
    return PlacedLine(setting.file, 0, line, WITHIN.join(parents), tuple(parents))


def _probe(setting: Setting) -> str:
    is_row = setting.file.endswith("config_db.json")
    return setting.path if is_row else line_of(setting).text
