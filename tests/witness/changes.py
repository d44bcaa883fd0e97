"""What the change engine knows of the lines of a setting, in memory.

A switch goes from the base to the setting, and back. Each time the candidate is put on the
stand-in, and a plan of what runs then is empty. Each line of the top level has an owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fabric.change.adapter import Draft, adapters
from fabric.core.artefact import Artefact
from fabric.core.errors import RefusedError
from fabric.design.model import DeviceDesign
from fabric.systems.eos.adapters import is_owned as eos_owns
from fabric.systems.eos.adapters import stanzas
from fabric.systems.junos.adapters import is_owned as junos_owns
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.sonic.platforms import SYSCTL_PATH
from tests.witness.boxes import BOXES, REFUSALS, Box
from tests.witness.faults import Fault, chosen, kinds_of
from tests.witness.systems import Witnessed

#: Values in a row of CONFIG_DB, but for switches.
_VALUES = re.compile(r': "(?!(?:up|down|true|false)")[^"]*"')


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


def fresh(design: DeviceDesign) -> Box:
    """Return a stand-in that is fresh from the box."""
    return BOXES[design.platform](design)


def laid(design: DeviceDesign, files: Sequence[Artefact]) -> Box:
    """Return a stand-in on which the files run that are given."""
    box = BOXES[design.platform](design, files[0].text)
    for file in files:
        if file.kind == "sysctl":
            box.switch.fs.put(SYSCTL_PATH, file.text)
            box.switch.run_detached(f"sysctl -p {SYSCTL_PATH}")
    return box


def changed(work: Witnessed, base: Witnessed, lines: set[str] | None = None) -> Iterator[Fault]:
    """Yield what is wrong with the changes from the base to a setting and back.

    Parameters
    ----------
    lines : set of str, optional
        Kinds of lines that were changed before; it grows, and a file without a new one is passed
        over. Default: none is.
    """
    for switch in chosen(work):
        design, files = work.designs[switch], work.files[switch]
        kinds = {_VALUES.sub(': ""', line) for line in kinds_of(files[0].text)}
        if lines is not None and kinds <= lines:
            continue
        if lines is not None:
            lines |= kinds
        yield from owned(design, files[0].text)
        before = base.files.get(switch)
        is_base = before is not None and before[0].text == files[0].text
        box = fresh(design) if before is None or is_base else laid(design, before)
        yield from step(box, files, "there")
        yield from step(box, before, "back") if before and not is_base else ()
