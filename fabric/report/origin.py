"""Where the planned side of a change comes from: line of the output, and inventory values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.platforms.model import platforms
from fabric.render.explain import placed_lines
from fabric.report.explain import Answer, answer_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.model import Change
    from fabric.core.artefact import Artefact
    from fabric.design.designs import Designs
    from fabric.render.explain import PlacedLine


@dataclass
class Origins:
    """Finds the origin of changes of one device; its lines are looked through once.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    device : str
        Name of a switch or host.
    artefacts : list of Artefact
        What is rendered for it.
    """

    designs: Designs
    device: str
    artefacts: list[Artefact]
    _lines: dict[str, list[PlacedLine]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Put every line of the device under its text, and under its path on SONiC."""
        for line in placed_lines(self.artefacts):
            row = "" if line.parents else line.context
            for key in {line.text.strip(), row} - {""}:
                self._lines.setdefault(key, []).append(line)

    def of(self, change: Change) -> Answer | None:
        """Return where the planned side of a change comes from; None where nothing is planned."""
        if not change.after:
            return None
        sections = set(change.path.split(": ")[:-1])
        for key, text in self._keys(change):
            lines = self._lines.get(key, [])
            fitting = [line for line in lines if sections <= set(line.parents)]
            for line in (*fitting, *lines)[:1]:
                return answer_line(self.designs, self.device, line, text or line.text.strip())
        return None

    def _keys(self, change: Change) -> Iterator[tuple[str, str]]:
        """Yield what a line may be found by, and the text to explain; empty = the line."""
        yield change.path.rpartition("|")[0], change.path
        yield change.after, ""
        yield f"{change.path} = {change.after}", ""  # sysctl.d(5)
        switch = self.designs.devices.get(self.device)
        for verb in ("", platforms[switch.platform].verb if switch else ""):
            yield f"{verb}{change.path} {change.after}", ""
            yield f"{verb}{change.path}", ""
