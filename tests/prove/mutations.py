"""Files without one line, and what is proved of a fabric with such a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

from fabric.observe.configuration import Configured, readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.engine import Engine
from fabric.workflow.project import Project
from tests.prove.fabrics import Texts

_COMMENTS = "!#"


@dataclass(frozen=True)
class Mutation:
    """A file without a line: ``label`` is the line below those that it stands in."""

    label: str
    files: Callable[[], dict[str, str]]


@dataclass(frozen=True)
class Subject:
    """A fabric whose files are proved, one of them without a line."""

    project: Project
    texts: Texts
    files: dict[str, Configured]

    @classmethod
    def of(cls, project: Project, texts: Texts) -> Subject:
        files = {
            name: readers[project.devices[name].platform](text) for name, text in texts.items()
        }
        return cls(project, texts, files)

    def samples(self) -> list[str]:
        """Return one switch of each system and role."""
        firsts: dict[tuple[str, str], str] = {}
        for name, design in self.project.devices.items():
            firsts.setdefault((design.platform, design.role), name)
        return list(firsts.values())

    def form(self, name: str) -> str:
        """Return the system of a switch, and what is special about its BGP."""
        design = self.project.devices[name]
        if not design.bgp.neighbours:
            return f"{design.platform}, alone"
        if design.platform == "eos" and not design.unnumbered_ports:
            return "eos, numbered"
        is_managed = "BGP_GLOBALS" in self.texts[name][self.files[name].file]
        return design.platform + (", managed" if is_managed else "")

    def mutations(self, name: str) -> Iterator[Mutation]:
        """Yield the file of a switch without each line; of lines that say the same, the first."""
        kind, texts = self.files[name].file, self.texts[name]
        kinds = {port.name: port.kind for port in self.project.devices[name].ports}
        rows = _rows if texts[kind].lstrip().startswith("{") else _lines
        seen = set()
        for label, without in rows(texts[kind]):
            ports = {kinds[word] for word in re.split(r"[\s|.]+", label) if word in kinds}
            key = re.sub(r"\d+", "N", label), *sorted(ports)
            if key not in seen:
                seen.add(key)
                words = f"{label} ({', '.join(ports)})" if ports else label
                yield Mutation(words, lambda cut=without: {**texts, kind: cut()})

    def is_missed(self, name: str, mutation: Mutation) -> bool:
        """Return whether the proof fails without the line."""
        try:
            reading = readers[self.project.devices[name].platform](mutation.files())
        except UnreadableError:
            return True
        if plain(reading) == plain(self.files[name]):
            return False
        project = self.project
        files = {**self.files, name: reading}
        return bool(Engine(project.fabric, project.devices, project.hosts, files).prove().breaches)


def plain(value: Any) -> Any:
    """Return what a reading says, without the lines where it says it."""
    if is_dataclass(value):
        return {
            row.name: plain(getattr(value, row.name)) for row in fields(value) if row.name != "line"
        }
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(plain(getattr(value, name)) for name in value._fields if name != "line")
    if isinstance(value, dict):
        is_vlans = all(isinstance(row, int) for row in value.values())
        return sorted(value) if is_vlans else {key: plain(row) for key, row in value.items()}
    if isinstance(value, list):
        return [plain(row) for row in value]
    return value


def _lines(text: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield each line with those that it stands in, and the text without it and what it holds."""
    rows = text.split("\n")
    above: list[tuple[int, str]] = []
    for number, row in enumerate(rows):
        indent = _indent(row)
        above = [(depth, words) for depth, words in above if depth < indent]
        if _is_empty(row):
            continue
        end = number + 1
        while end < len(rows) and not _is_empty(rows[end]) and _indent(rows[end]) > indent:
            end += 1
        label = " / ".join([*(words for _, words in above), row.strip()])
        yield label, partial(_without_lines, rows, number, end)
        above.append((indent, row.strip()))


def _without_lines(rows: list[str], first: int, end: int) -> str:
    return "\n".join([*rows[:first], *[""] * (end - first), *rows[end:]])


def _is_empty(row: str) -> bool:
    return not row.strip() or row.strip()[0] in _COMMENTS


def _indent(row: str) -> int:
    return len(row) - len(row.lstrip())


def _rows(text: str) -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield each row and each field of a CONFIG_DB, and the database without it."""
    tables = json.loads(text)
    for table, rows in tables.items():
        for key, row in rows.items():
            for field in (None, *row):
                label = f"{table}|{key}" + (f".{field}" if field else "")
                yield label, partial(_without_row, tables, table, key, field)


def _without_row(
    tables: dict[str, dict[str, dict[str, Any]]], table: str, key: str, field: str | None
) -> str:
    rows = dict(tables[table])
    if field is None:
        del rows[key]
    else:
        rows[key] = {name: value for name, value in rows[key].items() if name != field}
    rest = {**tables, table: rows}
    return json.dumps({name: part for name, part in rest.items() if part}, indent=1)
