"""Slurm: ``topology.conf`` as a tree or as blocks, and ``topology.yaml``.

Formats: SchedMD/slurm, manual pages of topology.conf and topology.yaml. Words of a line are
``KEY=VALUE``, in any case of the key; a comment starts with ``#``, and a line that ends with a
backslash continues in the next one. Of several topologies in ``topology.yaml`` a tree is read, that
of the cluster first; blocks are read where there is no tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import found, listed, quoted
from fabric.exchange.draft import Draft
from fabric.exchange.forms import Imported, Importer, Settings, importers
from fabric.exchange.switch_tree import Switch, SwitchTree
from fabric.exchange.values import malformed, text_of
from fabric.intent.yaml.file import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fabric.exchange.draft import Place
    from fabric.intent.yaml.file import Document

    Row = dict[str, str]

_WORD = re.compile(r'\s*([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|(\S+))(?=\s|$)')
#: Keys by kind of line, the first one the name; ``LinkSpeed`` is not used by Slurm either.
_LINES = {
    "switchname": {"switchname", "nodes", "switches", "linkspeed"},
    "blockname": {"blockname", "nodes"},
    "blocksizes": {"blocksizes"},
}
_KINDS = {"tree": ("switches", "switch", "children"), "block": ("blocks", "block", "")}
_OTHERS = ("flat", "ring", "torus3d")


def _read(path: Path, settings: Settings) -> Imported:
    draft = Draft.of(path, settings)
    tree = SwitchTree(draft, settings)
    if path.suffix.lower() in {".yaml", ".yml"}:
        return _from_yaml(path, draft, tree)
    kinds = set()
    for number, line in _lines(text_of(path)):
        kinds.add(_line(line, draft.place(number), draft, tree))
    if {"switchname", "blockname"} <= kinds:
        message = "the file has both SwitchName and BlockName"
        draft.wrong("EXC006", message, "keep the lines of one topology", draft.place())
    return tree.imported(joined="blockname" in kinds)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines that hold something, each with its number."""
    start, whole = 1, ""
    for number, line in enumerate(text.splitlines(), 1):
        start = start if whole else number
        whole += line.partition("#")[0].rstrip()
        if whole.endswith("\\"):
            whole = whole[:-1] + " "
            continue
        if whole.strip():
            yield start, whole
        whole = ""
    if whole.strip():
        yield start, whole


def _line(line: str, place: Place, draft: Draft, tree: SwitchTree) -> str:
    """Take a line in; return its kind."""
    words: Row = {}
    at = 0
    while at < len(line):
        match = _WORD.match(line, at)
        key = match[1].lower() if match else ""
        if match is None or key in words:
            message = f"{quoted(line[at:].strip())} is not KEY=VALUE, each key once"
            draft.wrong("EXC006", message, "correct the line", place)
            return ""
        words[key] = match[2] or match[3] or ""
        at = match.end()
    kind = next((kind for kind in _LINES if kind in words), "")
    wrong = sorted(words.keys() - _LINES.get(kind, set()))
    if not kind or wrong:
        message = f"{quoted(wrong[0])} is not a keyword of this line"
        fix = "use SwitchName with Nodes or Switches, BlockName with Nodes, or BlockSizes"
        draft.wrong("EXC006", message, fix, place)
    elif kind == "blocksizes":
        _check_sizes(words[kind].split(","), place, draft)
    else:
        below = words.get("switches", "")
        _take(kind, (words[kind], words.get("nodes", ""), below), place, (draft, tree))
    return kind


def _take(
    kind: str, words: tuple[str, str, str], place: Place, into: tuple[Draft, SwitchTree]
) -> None:
    """Take a switch or a block in: its name, its hosts, and what is below it."""
    (name, nodes, below), (draft, tree) = words, into
    if "[" in name or "," in name:
        message = f"{quoted(name)} is a range"
        draft.wrong("EXC006", message, "write a line for each switch", place)
    elif bool(nodes) == bool(below) and not kind.startswith("block"):
        word = "both hosts and switches" if nodes else "neither hosts nor switches"
        draft.wrong("EXC006", f"{quoted(name)} has {word}", "name one of them", place)
    else:
        hosts = tree.names(nodes, place) if nodes else ()
        tree.add(Switch(name, place, hosts, tree.names(below, place) if below else ()))


def _check_sizes(words: list[Any], place: Place, draft: Draft) -> None:
    """Refuse sizes that Slurm refuses: each is the first times a power of two, and they rise."""
    sizes = [int(str(word)) if str(word).isdecimal() else 0 for word in words]
    doubles = {sizes[0] << level for level in range(16)} if sizes else set()
    if not sizes or 0 in sizes or not doubles.issuperset(sizes) or sizes != sorted(set(sizes)):
        message = f"{quoted(','.join(map(str, words)))} are not sizes of blocks"
        fix = "use one number, then doubles of it, as in 8,16,32"
        draft.wrong("EXC006", message, fix, place)


def _from_yaml(path: Path, draft: Draft, tree: SwitchTree) -> Imported:
    document = load_yaml(path, str(path), listed=True)
    reader = _Yaml(document, draft, tree)
    entries = [(at, entry) for at in document.data if (entry := reader.entry(int(at)))]
    ordered = sorted(
        entries, key=lambda item: ("tree" not in item[1], not item[1].get("cluster_default"))
    )
    if not ordered and not draft.findings:
        raise malformed(path, "no topology is a tree or of blocks", "provide one of them")
    for at, entry in ordered[:1]:
        reader.take(int(at), entry)
    done = tree.imported(joined=bool(ordered) and "tree" not in ordered[0][1])
    others = [str(entry.get("topology", at)) for at, entry in ordered[1:]]
    if not others:
        return done
    message = f"other topologies of the file are ignored: {listed(others, 'and')}"[:300]
    place = Position(draft.file)
    note = Finding("EXC012", Severity.WARNING, message, "import one at a time", position=place)
    return Imported(done.plant, (*done.notes, note), generated=True, remarks=done.remarks)


class _Yaml:
    """Reads the lists of a ``topology.yaml``."""

    def __init__(self, document: Document, draft: Draft, tree: SwitchTree) -> None:
        self._document, self._draft, self._tree = document, draft, tree

    def entry(self, at: int) -> dict[str, Any]:
        """Return a topology if it is a tree or of blocks."""
        keys = {"topology", "cluster_default", *_KINDS, *_OTHERS}
        entry = self._mapping((at,), self._document.data[at], keys)
        return entry if entry.keys() & _KINDS.keys() else {}

    def take(self, at: int, entry: dict[str, Any]) -> None:
        """Take the switches or blocks of a topology in."""
        kind = "tree" if "tree" in entry else "block"
        rows, name, below = _KINDS[kind]
        known = {rows, "block_sizes"} if kind == "block" else {rows}
        body = self._mapping((at, kind), entry[kind], known)
        if "block_sizes" in body:
            sizes = body["block_sizes"]
            place = self._place((at, kind, "block_sizes"))
            _check_sizes(sizes if isinstance(sizes, list) else [sizes], place, self._draft)
        listed_rows = body.get(rows)
        if not isinstance(listed_rows, list):
            self._wrong((at, kind), f"{rows} is not a list")
            return
        for number, row in enumerate(listed_rows):
            where = (at, kind, rows, number)
            words = self._mapping(where, row, {name, "nodes", below} - {""})
            texts = [self._text(where, words, key) for key in (name, "nodes", below)]
            if isinstance(row, dict) and not texts[0]:
                self._wrong(where, f"{name} is missing")
            elif texts[0] and None not in texts:
                into = (self._draft, self._tree)
                _take(name, (texts[0], texts[1] or "", texts[2] or ""), self._place(where), into)

    def _text(self, where: tuple[str | int, ...], words: dict[str, Any], key: str) -> str | None:
        value = words.get(key, "")
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        self._wrong((*where, key), f"{key} must be text such as n[001-008], found {found(value)}")
        return None

    def _mapping(
        self, where: tuple[str | int, ...], value: object, known: set[str]
    ) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._wrong(where, f"expected a mapping, found {found(value)}")
            return {}
        for key in value:
            if key not in known:
                self._wrong((*where, key), f"unknown key {quoted(str(key))}")
        return value

    def _place(self, where: tuple[str | int, ...]) -> Place:
        position = self._document.position(where)
        return self._draft.place(position.line, position.column)

    def _wrong(self, where: tuple[str | int, ...], message: str) -> None:
        fix = "see the manual page of topology.yaml"
        self._draft.wrong("EXC006", message, fix, self._place(where))


importers.add("slurm")(Importer(_read, has_roles=False))
