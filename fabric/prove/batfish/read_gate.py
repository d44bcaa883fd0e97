"""Whether Batfish has read every file: nodes, leftover lines, names that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.prove.batfish import questions
from fabric.prove.breach import Breach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.prove.batfish.forms import Form
    from fabric.prove.batfish.questions import Ask
    from fabric.prove.batfish.snapshot import Snapshot, Subject

#: A file with lines that Batfish does not know is judged by those lines.
_READ = ("PASSED", "PARTIALLY_UNRECOGNIZED")

#: What ``initIssues`` says besides the lines that ``parseWarning`` has.
_ISSUES = ("Convert error", "Convert warning (redflag)", "Parse error", "Parse warning (redflag)")

#: What a file of a system without a form is written as.
_SONIC = ("SONIC",)


def read_gate(subject: Subject, snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    """Yield the files that Batfish has not read whole."""
    yield from _files(snapshot, ask)
    yield from _lines(snapshot, ask)
    yield from _issues(snapshot, ask)
    yield from _references(snapshot, ask)
    for name, configured in subject.files.items():
        form = snapshot.forms.get(name)
        for item in configured.leftovers if form is None or form.needs_reader else ():
            message = f"this line was not understood: {item.text}"
            yield Breach("BAT001", name, "", item.line, message)


def _files(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    rows = {row["File_Name"]: row for row in ask(questions.FILE_STATUS)}
    for path, switch in snapshot.origins.items():
        row = rows.get(path)
        form = snapshot.forms.get(switch)
        reason = _file_reason(row, switch, form.formats if form else _SONIC)
        if reason:
            yield Breach("BAT001", switch, "", 0, f"Batfish has not read {path}: {reason}")
    present = {node["name"] for row in rows.values() for node in row["Nodes"] or ()}
    for node, nic in snapshot.nics.items():
        if node not in present:
            message = f"Batfish has no node for {nic.name}"
            yield Breach("BAT001", nic.nic.leaf, nic.nic.leaf_port, 0, message)


def _file_reason(row: dict[str, Any] | None, switch: str, formats: tuple[str, ...]) -> str:
    if row is None:
        return "it is not among its files"
    if row["Status"] not in _READ:
        return f"its status is {row['Status']}"
    if row["File_Format"] not in formats:
        return f"it was taken for {row['File_Format']}"
    if switch.lower() not in [node["name"] for node in row["Nodes"] or ()]:
        return "no node came of it"
    return ""


def _lines(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    """Yield the lines that Batfish does not know, and that may matter."""
    for row in ask(questions.PARSE_WARNINGS):
        path, text = row["Filename"], row["Text"]
        switch = snapshot.origins.get(path, "")
        form = snapshot.forms.get(switch)
        if not (form and (form.is_harmless(text) or form.is_harmless(row["Comment"]))):
            message = f"Batfish: {row['Comment']}: {text}"
            yield Breach("BAT001", switch, "", _line(form, path, row["Line"]), message)


def _line(form: Form | None, path: str, line: int) -> int:
    """Return the line of our file; 0 where the text in the snapshot is not that of the file."""
    return max(0, line - form.added_lines) if form and path.startswith("configs/") else 0


def _issues(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    for row in ask(questions.ISSUES):
        if row["Type"] not in _ISSUES:
            continue
        text = " ".join(filter(None, (row["Details"], row["Line_Text"])))
        for switch in _switches(snapshot, row):
            form = snapshot.forms.get(switch)
            if not (form and form.is_harmless(text)):
                yield Breach("BAT001", switch, "", 0, f"Batfish: {row['Type']}: {text}")


def _switches(snapshot: Snapshot, row: dict[str, Any]) -> set[str]:
    """Return the switches that an issue is about; an empty name where it does not say."""
    paths = [source["filename"] for source in row["Source_Lines"] or ()]
    names = {snapshot.origins.get(path, "") for path in paths}
    nodes = [node if isinstance(node, str) else node["name"] for node in row["Nodes"] or ()]
    names |= {snapshot.switches.get(node, "") for node in nodes}
    return names or {""}


def _references(snapshot: Snapshot, ask: Ask) -> Iterator[Breach]:
    for row in ask(questions.UNDEFINED):
        kind, name, path = row["Struct_Type"], row["Ref_Name"], row["File_Name"]
        switch = snapshot.origins.get(path, "")
        form = snapshot.forms.get(switch)
        if form and form.is_predefined(kind, name):
            continue
        line = min(row["Lines"]["lines"] or [0])
        yield Breach("BAT011", switch, "", _line(form, path, line), f"{kind} {name} does not exist")
