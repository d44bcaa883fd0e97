"""What contradicts itself in the files of one setting, by the homes that disagree.

Kinds: ``refused`` by the stand-in; ``prove`` and ``audit`` for what our readers do not understand
or find wrong; ``prove shown`` and ``audit shown`` for what they read otherwise once the stand-in
shows it; ``meant`` for what is read to another value than the design has; ``explain`` for lines
without a source.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from fabric.core.artefact import Artefact
from fabric.core.errors import FabricError
from fabric.core.findings import Severity
from fabric.design.model import DeviceDesign
from fabric.observe.configuration import readers
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.configuration.recognition import system_of
from fabric.observe.parsers import UnreadableError
from fabric.prove.engine import Engine
from fabric.render.explain import PlacedLine, find, known, placed_lines
from fabric.workflow.audit import audit
from tests.witness.boxes import BOXES, REFUSALS
from tests.witness.meant import misread
from tests.witness.readings import differences, plain
from tests.witness.systems import Witnessed

#: Numbers of ports, addresses and the like, which say nothing of the kind of a fault.
_NUMBERS = re.compile(r"\d+(?:[./]\d+)*")


class Fault(NamedTuple):
    """What contradicts itself."""

    kind: str
    text: str


class Counted:
    """How much was looked at.

    Attributes
    ----------
    fabrics, files, lines : int
        Accepted settings, and their files and lines that were judged one by one.
    """

    def __init__(self) -> None:
        self.fabrics = self.files = self.lines = 0


def chosen(work: Witnessed) -> list[str]:
    """Return switches whose files differ in more than numbers: one of each kind."""
    seen: dict[tuple[str, frozenset[str]], str] = {}
    for name, files in work.files.items():
        seen.setdefault((work.designs[name].role, kinds_of(files[0].text)), name)
    return list(seen.values())


def kinds_of(text: str) -> frozenset[str]:
    """Return the lines of a text without their numbers."""
    return frozenset(_NUMBERS.sub("0", text).splitlines())


def faults(work: Witnessed, folder: Path, seen: set[str], counted: Counted) -> Iterator[Fault]:
    """Yield what is wrong with an accepted setting.

    Parameters
    ----------
    folder : Path
        For files that are audited; it is emptied before.
    seen : set of str
        Texts that were judged before; it grows.
    """
    counted.fabrics += 1
    yield from _proved(work)
    names = [name for name in chosen(work) if work.files[name][0].text not in seen]
    for name in names:
        files = work.files[name]
        counted.files += len(files)
        counted.lines += sum(len(file.text.splitlines()) for file in files)
        seen.add(files[0].text)
        yield from _of_switch(work.designs[name], files)
    if names:
        yield from _audited({name: work.files[name][0] for name in names}, folder)


def _proved(work: Witnessed) -> Iterator[Fault]:
    """Yield what `prove` finds in all files together."""
    assert work.project is not None
    read = {}
    for name, files in work.files.items():
        try:
            read[name] = readers[work.system.nos]({file.kind: file.text for file in files})
        except UnreadableError as error:
            yield Fault("prove", f"not read: {error}")
            return
    project = work.project
    proof = Engine(project.fabric, project.devices, project.hosts, read).prove()
    for breach in proof.breaches:
        yield Fault("prove", f"{breach.rule} {breach.message}")


def _audited(files: dict[str, Artefact], folder: Path) -> Iterator[Fault]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, file in files.items():
        ending = Path(file.path).suffix or ".cfg"
        (folder / f"{name}{ending}").write_text(file.text, encoding="utf-8")
    try:
        findings = audit([folder]).outcome.findings
    except FabricError as error:
        yield Fault("audit", "; ".join(map(str, getattr(error, "findings", ()))) or str(error))
        return
    for finding in findings:
        if finding.severity > Severity.INFO or finding.rule == "AUD018":
            yield Fault("audit", f"{finding.rule} {finding.message}")


def _of_switch(design: DeviceDesign, files: list[Artefact]) -> Iterator[Fault]:
    nos, text = design.platform, files[0].text
    read_lossless = lossless_readers[nos].read
    lossless = read_lossless(text)
    yield from (Fault("meant", words) for words in misread(design, lossless))
    yield from _explained(nos, files[:1] if nos == "junos" else files)  # two forms of one text
    try:
        shown = BOXES[nos](design, text).shown
    except REFUSALS as error:
        yield Fault("refused", str(error))
        return
    for words, place in ((text, "audit"), (shown, "audit shown")):
        if system_of(words) != nos:
            yield Fault(place, f"taken for {system_of(words)}")
    idle = [port.name for port in design.ports if port.kind == "unused"][1:]
    kinds = {file.kind: file.text for file in files}
    yield from _same(
        "prove",
        readers[nos](kinds),
        lambda: readers[nos]({**kinds, files[0].kind: shown}),
        idle,
    )
    yield from _same("audit", lossless, lambda: read_lossless(shown), idle)


def _same(who: str, written: Any, read_back: Callable[[], Any], idle: list[str]) -> Iterator[Fault]:
    """Yield what a reader does not know, and reads otherwise in what the stand-in shows.

    Parameters
    ----------
    idle : list of str
        Unused ports, of which one is compared.
    """
    try:
        back = read_back()
    except UnreadableError as error:
        yield Fault(f"{who} shown", f"not read: {error}")
        return
    for reading, place in ((written, who), (back, f"{who} shown")):
        for item in (*reading.leftovers, *getattr(reading, "undecided", ())):
            yield Fault(place, f"not understood: {item.text}")
    names = written.ports.keys() - idle
    for reading in (written, back):
        reading.ports = {name: port for name, port in reading.ports.items() if name in names}
    for words in differences(plain(written), plain(back)):
        yield Fault(f"{who} shown", words)


def _explained(nos: str, files: list[Artefact]) -> Iterator[Fault]:
    for line in placed_lines(files):
        if line.text.strip(" {},!#[]") and not _source(nos, line.text, line.context):
            yield Fault("explain", line.text)


@cache
def _source(nos: str, text: str, context: str) -> bool:
    """Tell whether a line has a public source, and a field or no value."""
    line = PlacedLine("", 0, text, context, ())
    return any(entry.source for entry in known(nos, line, text)) or bool(find(nos, text))
