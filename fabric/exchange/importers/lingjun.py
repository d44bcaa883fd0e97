"""Hosts and their switches as Alibaba published them for Lingjun: columns ip, DSW, PSW, ASW.

alibaba/alibaba-lingjun-dataset-2023, data/topo.csv: a core, an aggregation and a ToR switch for
each host, no links. ASW names repeat below other PSWs, so a leaf is the three names together. Host
names there are hashes, which are longer than names may be: they are numbered, and ``names.csv``
keeps what each stands for.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.exports import text_file
from fabric.core.hostlist import natural_key
from fabric.core.shown import quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.values import malformed, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.exchange.plant import Plant

#: Core, aggregation and ToR switch.
Leaf: TypeAlias = tuple[str, str, str]

_COLUMNS = ["ip", "DSW", "PSW", "ASW"]


def _read(path: Path, settings: Settings) -> Imported:
    if settings.rails is None:
        message = "the table does not contain the number of NICs per host"
        raise malformed(path, message, "set it with --rails, and the number of GPUs with --gpus")
    draft = Draft(str(path))
    by_leaf = _by_leaf(path, draft)
    plant, names = _plant(draft, by_leaf)
    text = "name,source\n" + "".join(f"{name},{word}\n" for name, word in names)
    why = "generated host names; names.csv maps them to the source"
    return Imported(
        plant,
        files=(text_file("lingjun", "names", "names.csv", text),),
        generated=True,
        remarks={("units", index): why for index in range(len(by_leaf))},
    )


def _by_leaf(path: Path, draft: Draft) -> dict[Leaf, list[str]]:
    reader = csv.reader(text_of(path).splitlines(keepends=True), strict=True)
    hosts: dict[Leaf, list[str]] = {}
    lines: dict[str, int] = {}
    try:
        header = next(reader, [])
        if header != _COLUMNS:
            message = f"the columns are {','.join(header)[:60]!a}"
            raise malformed(path, message, f"the first line must be {','.join(_COLUMNS)}")
        for row in reader:
            place = draft.place(reader.line_num)
            if len(row) != len(_COLUMNS) or not all(cell.isalnum() for cell in row):
                message = "expected four cells of letters and digits"
                draft.wrong("EXC006", message, "complete the row", place)
            elif row[0] in lines:
                message = f"host {quoted(row[0])} already appears on line {lines[row[0]]}"
                draft.wrong("EXC005", message, "remove one of them", place)
            else:
                lines[row[0]] = reader.line_num
                hosts.setdefault((row[1], row[2], row[3]), []).append(row[0])
    except csv.Error as error:
        raise malformed(path, f"not CSV: {error}", "quote the cells", reader.line_num) from error
    if not lines and not draft.findings:
        raise malformed(path, "the table has no hosts", "provide the complete table")
    return hosts


def _plant(draft: Draft, by_leaf: dict[Leaf, list[str]]) -> tuple[Plant, list[tuple[str, str]]]:
    """Return leaves by pod and hosts by number, and what the numbers stand for."""
    leaves = sorted(by_leaf, key=lambda leaf: [natural_key(part) for part in leaf])
    width = len(str(sum(len(hosts) for hosts in by_leaf.values())))
    names: list[tuple[str, str]] = []
    place = draft.place()
    for leaf in leaves:
        pod, unit = "-".join(leaf[:2]), "-".join(leaf)
        draft.device(f"{unit}-leaf", place, {"role": "leaf", "unit": unit, "pod": pod})
        for word in by_leaf[leaf]:
            name = f"host{len(names) + 1:0{width}d}"
            names.append((name, word))
            draft.device(name, place, {"kind": "host", "unit": unit, "pod": pod})
    for pod in dict.fromkeys("-".join(leaf[:2]) for leaf in leaves):
        draft.device(f"{pod}-spine01", place, {"role": "spine", "pod": pod})
    for number, _ in enumerate(dict.fromkeys(leaf[0] for leaf in leaves), 1):
        draft.device(f"core{number:02d}", place, {"role": "super-spine"})
    return draft.plant("lingjun"), names


importers.add("lingjun")(Importer(_read, has_roles=False, has_names=False))
