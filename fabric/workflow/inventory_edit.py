"""Edits of an inventory: read, changed in place, checked as a whole, then written."""

from __future__ import annotations

import difflib
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.intent.cabling import CSV_FILE, DOT_FILE
from fabric.intent.documents import KINDS, MAIN_FILE
from fabric.intent.inventory import load
from fabric.intent.yaml.file import read_text
from fabric.topology.realise import realise

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.intent.inventory import Intent
    from fabric.intent.yaml.file import Document


class Edited(NamedTuple):
    """What an edit changes: a diff of the files, and what comes next."""

    diff: str
    next_step: str


@dataclass
class InventoryEdit:
    """Texts of the files of an inventory, as they are to be.

    Parameters
    ----------
    folder : Path
        Folder with ``fabric.yaml``.
    dry_run : bool
        Whether files stay as they are.
    """

    folder: Path
    dry_run: bool = False
    _texts: dict[str, str | None] = field(default_factory=dict)
    _before: dict[str, str] = field(default_factory=dict)

    def text(self, file: str) -> str:
        """Return the text of a file below the folder, as edited so far."""
        text = self._texts.get(file)
        return text if text is not None else self._before.setdefault(file, self._now(file))

    def write(self, file: str, text: str | None) -> None:
        """Give a file a text; None removes it."""
        self._texts[file] = text

    def has(self, file: str) -> bool:
        """Tell whether there is a file, or will be."""
        return bool(self._texts.get(file)) or (self.folder / file).exists()

    @property
    def is_edited(self) -> bool:
        """Whether any file has another text."""
        return bool(self._texts)

    @staticmethod
    def file_of(document: Document, kind: str) -> str:
        """Return the path of a document below the folder."""
        name = Path(document.file).name
        return MAIN_FILE if name == MAIN_FILE else f"{kind}/{name}"

    def written(self, says: Callable[[Intent], bool], next_step: str) -> Edited:
        """Check the inventory with all edits, and write them.

        Parameters
        ----------
        says : callable
            Tells whether an inventory says what was asked for, and nothing else.

        Raises
        ------
        InputError
            When it would say something else, or a file changed meanwhile; nothing is written.
        """
        diff = "".join(self._diff(file, text) for file, text in sorted(self._texts.items()))
        with tempfile.TemporaryDirectory(prefix="rocefab-") as scratch:
            copy = Path(scratch)
            for name in (MAIN_FILE, CSV_FILE, DOT_FILE, *KINDS):
                source = self.folder / name
                if source.is_dir():
                    shutil.copytree(source, copy / name)
                elif source.exists():
                    shutil.copyfile(source, copy / name)
            self._store(copy, lambda path, text: path.write_text(text))
            self._check(copy, says)
        for file, text in self._before.items():
            if not (self.folder / file).exists() or self._now(file) != text:
                raise InputError(f"{file}: changed while this ran; run it again")
        if not self.dry_run:
            self._store(self.folder, lambda path, text: write_whole(path.resolve(), text.encode()))
        return Edited(diff, next_step)

    def _check(self, copy: Path, says: Callable[[Intent], bool]) -> None:
        """Load the inventory with all edits, and refuse one that says other things than asked."""
        is_added = any(not (self.folder / file).exists() for file in self._texts)
        try:
            intent = load(copy, str(self.folder))
        except InputError as error:
            if is_added or self._only_appends():
                raise self._refused(error) from error
            raise InputError(self._odd()) from None
        if not says(intent):
            raise InputError(self._odd())
        try:
            realise(intent)
        except InputError as error:
            raise self._refused(error) from error

    def _only_appends(self) -> bool:
        """Tell whether all that is new stands behind what there is, so that no layout is odd."""
        pairs = ((self._before.get(file) or "", text) for file, text in self._texts.items())
        return all(text is not None and text.startswith(before) for before, text in pairs)

    def _refused(self, error: InputError) -> InputError:
        """Return the error, with what its places are: the files as they would be."""
        files = ", ".join(sorted(self._texts))
        return InputError(f"nothing was written; {files} would have these errors", error.findings)

    def _odd(self) -> str:
        files = ", ".join(sorted(self._texts))
        return f"{files}: cannot edit this layout; write each field on its own line"

    def _now(self, file: str) -> str:
        return read_text(self.folder / file, file, root=self.folder, kind=FileKind.INVENTORY)

    def _store(self, folder: Path, write: Callable[[Path, str], object]) -> None:
        for file, text in self._texts.items():
            if text is None:
                (folder / file).unlink()
            else:
                (folder / file).parent.mkdir(exist_ok=True)
                write(folder / file, text)

    def _diff(self, file: str, text: str | None) -> str:
        path = self.folder / file
        old = path.read_text().splitlines(keepends=True) if path.exists() else []
        new = (text or "").splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, f"a/{file}", f"b/{file}"))
