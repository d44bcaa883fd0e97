"""Reading an inventory folder: which files belong to it, and all that is wrong with them."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import printable
from fabric.intent.cabling import CSV_FILE, DOT_FILE, read_csv
from fabric.intent.cabling_dot import read_dot
from fabric.intent.yaml.file import Document, input_error, leads_inside, load_yaml, read_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabric.intent.cabling import Cabling

MAIN_FILE = "fabric.yaml"
SITE_FOLDER = "fabrics"
KINDS = ("devices", "hosts", "platforms", "tenants")
#: Facts about defects, which are no YAML (docs/reference/defects.md).
DEFECTS_FOLDER = "defects"
_FACT_ENDING = ".toml"
_ENDINGS = (".yaml", ".yml")
_READERS = {CSV_FILE: read_csv, DOT_FILE: read_dot}


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of an inventory folder, by what they describe.

    Parameters
    ----------
    fabric : Document
        ``fabric.yaml``.
    devices, hosts, platforms, tenants : list of Document
        The files of ``devices/``, ``hosts/``, ``platforms/`` and ``tenants/``, sorted by name.
    cabling : Cabling or None
        The cables of ``cabling.csv`` or ``cabling.dot``.
    defects : list of (str, str)
        Path in messages and text of the files of ``defects/``, sorted by name.
    """

    fabric: Document
    devices: list[Document] = field(default_factory=list)
    hosts: list[Document] = field(default_factory=list)
    platforms: list[Document] = field(default_factory=list)
    tenants: list[Document] = field(default_factory=list)
    cabling: Cabling | None = None
    defects: list[tuple[str, str]] = field(default_factory=list)

    @property
    def all(self) -> list[Document]:
        """All YAML files."""
        return [self.fabric, *self.devices, *self.hosts, *self.platforms, *self.tenants]


def read_folder(folder: Path, shown_as: str | None = None) -> Folder:
    """Read all files of an inventory folder.

    Parameters
    ----------
    folder : Path
        The folder that holds ``fabric.yaml``.
    shown_as : str, optional
        How messages name the folder; default: as given.

    Raises
    ------
    InputError
        With the findings of all files, sorted by file and line.
    """
    reader = _Reader(folder, shown_as or folder.as_posix())
    contents = reader.read()
    if reader.findings or contents is None:
        raise input_error(reader.findings, reader.shown)
    return contents


class _Reader:
    """Reads the files of one folder and collects what is wrong."""

    def __init__(self, folder: Path, shown: str) -> None:
        self.folder = folder
        self.shown = shown
        self.findings: list[Finding] = []

    def read(self) -> Folder | None:
        names = self._names(self.folder, "")
        if self.findings:
            return None
        if MAIN_FILE not in names and not self._is_misspelt(names):
            self._add("INT001", "", f"there is no {MAIN_FILE} in this folder", self._other(names))
            return None
        self._check_strays(names)
        fabric = self._load(MAIN_FILE) if MAIN_FILE in names else None
        by_kind = {kind: self._load_kind(kind) for kind in KINDS if kind in names}
        cabling = self._cabling([name for name in _READERS if name in names])
        defects = self._defects() if DEFECTS_FOLDER in names else []
        return Folder(fabric, **by_kind, cabling=cabling, defects=defects) if fabric else None

    def _other(self, names: Iterable[str]) -> str:
        """Return which folder to name in place of this one."""
        below = [name for name in names if (self.folder / name / MAIN_FILE).is_file()]
        if not below:
            return "name an inventory folder, or create one with `rocefab init`"
        return f"name an inventory in it: {printable(hostlist.in_short(below))}"

    def _defects(self) -> list[tuple[str, str]]:
        facts = []
        for name in self._names(self.folder / DEFECTS_FOLDER, DEFECTS_FOLDER):
            relative = f"{DEFECTS_FOLDER}/{name}"
            if not name.endswith(_FACT_ENDING):
                if name.lower().endswith(_ENDINGS):
                    self._add("INT018", relative, "not read", "facts about defects are TOML files")
                continue
            path, shown = self.folder / relative, self._shown(relative)
            try:
                text = read_text(path, shown, root=self.folder, kind=FileKind.DEFECT)
            except InputError as error:
                self.findings.extend(error.findings)
            else:
                facts.append((shown, text))
        return facts

    def _cabling(self, names: list[str]) -> Cabling | None:
        if len(names) > 1:
            self._add("INT031", names[1], f"{names[0]} also exists", "remove one of them")
        if len(names) != 1:
            return None
        [name] = names
        path, shown = self.folder / name, self._shown(name)
        try:
            text = read_text(path, shown, root=self.folder, kind=FileKind.CABLING)
        except InputError as error:
            self.findings.extend(error.findings)
            return None
        cabling, findings = _READERS[name](text, shown)
        self.findings.extend(findings)
        return cabling

    def _load(self, relative: str) -> Document | None:
        try:
            return load_yaml(self.folder / relative, self._shown(relative), root=self.folder)
        except InputError as error:
            self.findings.extend(error.findings)
            return None

    def _load_kind(self, kind: str) -> list[Document]:
        documents = []
        for name in self._names(self.folder / kind, kind):
            relative = f"{kind}/{name}"
            if name.endswith(".yaml"):
                document = self._load(relative)
                if document:
                    documents.append(document)
            elif name.lower().endswith(_ENDINGS):
                better = f"{kind}/{name.rpartition('.')[0]}.yaml"
                self._add("INT018", relative, "not read", f"did you mean '{printable(better)}'?")
        return documents

    def _names(self, folder: Path, relative: str) -> list[str]:
        """Return the names in a folder, without hidden ones; report a folder that has none."""
        try:
            if not leads_inside(folder, self.folder):
                message = "the link points outside the inventory folder"
                self._add("INT011", relative, message, "replace the link with the folder")
                return []
            return sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
        except (OSError, RuntimeError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error)).lower()
            message = f"cannot be read as a folder: {printable(reason)}"
            near = "" if relative or folder.exists() else _near(folder)
            fix = f"did you mean '{near}'?" if near else "check the path and its permissions"
            self._add("INT001", relative, message, fix)
            return []

    @staticmethod
    def _is_misspelt(names: list[str]) -> bool:
        """Tell whether one of the names is ``fabric.yaml`` with a slip."""
        stems = (name.lower().rpartition(".") for name in names)
        return any(
            f"{dot}{ending}" in _ENDINGS and _meant(stem, ("fabric", *KINDS)) == "fabric"
            for stem, dot, ending in stems
        )

    def _check_strays(self, names: list[str]) -> None:
        """Report what looks as if it should be read."""
        for name in names:
            if name == MAIN_FILE or name in (*KINDS, DEFECTS_FOLDER):
                continue
            if name == SITE_FOLDER and MAIN_FILE in names:
                fix = f"move {MAIN_FILE} and its files to {SITE_FOLDER}/NAME/"
                self._add("INT018", name, "the folder is not read", fix)
                continue
            stem, dot, ending = name.lower().rpartition(".")
            if f"{dot}{ending}" in _ENDINGS:
                meant = _meant(stem, ("fabric", *KINDS))
                self._add("INT018", name, "not read", _file_fix(meant, known=MAIN_FILE in names))
            elif (self.folder / name).is_dir() and _meant(name, (*KINDS, DEFECTS_FOLDER)):
                fix = f"did you mean '{_meant(name, (*KINDS, DEFECTS_FOLDER))}/'?"
                self._add("INT018", name, "the folder is not read", fix)

    def _add(self, rule: str, relative: str, message: str, fix: str) -> None:
        position = Position(self._shown(relative))
        self.findings.append(Finding(rule, Severity.ERROR, message, fix, position=position))

    def _shown(self, relative: str) -> str:
        if self.shown in ("", "."):
            return printable(relative) or "."
        return printable("/".join(part for part in (self.shown.rstrip("/"), relative) if part))


def _near(folder: Path) -> str:
    """Return the inventory folder with the closest name beside one that is missing, if any."""
    try:
        beside = {one.name: one for one in folder.parent.iterdir() if (one / MAIN_FILE).is_file()}
    except OSError:
        return ""
    close = difflib.get_close_matches(folder.name, beside, n=1)
    return printable(beside[close[0]].as_posix()) if close else ""


def _meant(name: str, choices: tuple[str, ...]) -> str | None:
    matches = difflib.get_close_matches(name.lower(), choices, n=1, cutoff=0.75)
    return matches[0] if matches else None


def _file_fix(meant: str | None, *, known: bool) -> str:
    if meant == "fabric":
        return "remove it" if known else f"did you mean '{MAIN_FILE}'?"
    if meant:
        return f"did you mean a file in '{meant}/'?"
    folders = ", ".join(f"'{kind}/'" for kind in KINDS[:-1])
    return f"move it to {folders} or '{KINDS[-1]}/', or out of the inventory folder"
