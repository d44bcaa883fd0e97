"""What the change engine knows of the lines of a setting, in memory.

A switch goes from the box to the base, from there to the setting, and back. Each time the candidate
is put on the stand-in, and a plan of what runs then is empty. Each line that changes has an owner
and a risk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from fabric.change.adapter import Draft, adapters
from fabric.core.artefact import Artefact
from fabric.core.errors import RefusedError
from fabric.design.model import DeviceDesign
from fabric.systems.eos.adapters import is_owned as eos_owns
from fabric.systems.eos.adapters import stanzas
from fabric.systems.eos.platforms import LINE_RISK as EOS_RISK
from fabric.systems.junos.adapters import is_owned as junos_owns
from fabric.systems.junos.platforms.text import read_set
from tests.witness.boxes import BOXES, REFUSALS, Box
from tests.witness.faults import Fault


class _Preview:
    """What a plan asks of a driver: the difference that the switch itself makes."""

    def __init__(self, box: Box) -> None:
        self.preview = box.preview


def drafted(box: Box, files: Sequence[Artefact]) -> Draft:
    """Return the plan of what a stand-in lacks."""
    adapter = adapters[box.design.platform]
    driver: Any = _Preview(box)
    return adapter.draft(box.running, files, driver)


def step(box: Box, files: Sequence[Artefact], way: str) -> Iterator[Fault]:
    """Put files on a stand-in; yield what stands in the way, or is left afterwards."""
    try:
        draft = drafted(box, files)
        for words in draft.conflicts:
            yield Fault("change", f"{way}: conflict: {words}")
        if draft.changes:
            box.apply(draft.candidate)
        left = drafted(box, files).changes
    except (*REFUSALS, RefusedError) as error:
        yield Fault("change", f"{way}: refused: {error}")
        return
    for change in left:
        yield Fault("change", f"{way}: left: {change.path}: {change.before!r} {change.after!r}")


def owned(design: DeviceDesign, text: str) -> Iterator[Fault]:
    """Yield the top-level lines of a file that would stay when the design drops them."""
    nos, adapter = design.platform, adapters[design.platform]
    lines: list[str]
    if nos == "eos":
        lines = [one.partition("\n")[0] for one in stanzas(text) if not eos_owns(one)]
    elif nos == "junos":
        lines = [" ".join(line[1]) for line in read_set(text) if not junos_owns(line)]
    elif hasattr(adapter, "grammar"):
        grammar = adapter.grammar
        lines = [line for line in adapter.read(text).children if not grammar.owned.fullmatch(line)]
    else:
        lines = []
    yield from (Fault("owner", line) for line in lines)


def risky(design: DeviceDesign, text: str) -> Iterator[Fault]:
    """Yield the lines of a file whose risk nobody has said."""
    adapter: Any = adapters[design.platform]
    if design.platform == "eos":
        lines, risks = {line.strip() for line in text.splitlines()}, EOS_RISK
    elif hasattr(adapter, "grammar"):
        lines, risks = {path[-1] for path in adapter.read(text).lines()}, adapter.grammar.risks
    else:
        return
    known = tuple(word for _, words in risks for word in words)
    for line in sorted(lines - {"", "!"}):
        if not line.startswith(known):
            yield Fault("risk", line)


def fresh(design: DeviceDesign) -> Box:
    """Return a stand-in that is fresh from the box."""
    return BOXES[design.platform](design)
