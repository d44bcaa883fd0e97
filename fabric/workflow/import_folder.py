"""A new inventory folder, made beside its place and put there once it holds."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import InputError, OutputFolderError
from fabric.core.findings import Finding, Severity
from fabric.exchange.inventory import SECTIONS_OF_BASE
from fabric.exchange.network import plant
from fabric.intent.inventory import load
from fabric.topology import realise

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.core.artefact import Artefact
    from fabric.exchange.plant import Plant

_SHOWN = 100
_NO_PORT = "there is no port "


@dataclass(frozen=True)
class Folder:
    """A folder that is being made.

    Parameters
    ----------
    staging : Path
        Where its files are for now.
    output : Path
        Where it will be.
    """

    staging: Path
    output: Path

    def realised(self, files: Iterable[Artefact]) -> Plant:
        """Write files, and return the network that they describe.

        Raises
        ------
        InputError
            When they describe none; each finding quotes the line that it is about.
        """
        for file in files:
            target = self.staging / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.content)
        try:
            return plant(realise(load(self.staging, str(self.output))))
        except InputError as error:
            error.findings = tuple(self._quoting(finding) for finding in error.findings)
            error.add_note(
                f"the source does not make a valid inventory; {self.output} was not written"
            )
            sections = sorted({*map(_section, error.findings)} & SECTIONS_OF_BASE)
            if sections:
                error.add_note(
                    f"a generated line can be given: write {' and '.join(sections)} into a YAML "
                    "file as fabric.yaml has it, and specify the file with --base"
                )
            other = next((one for one in error.findings if _NO_PORT in one.message), None)
            if other is not None:
                switch = other.message.partition(" on ")[2].partition(",")[0]
                error.add_note(
                    f"a port that is missing may mean another model: --model {switch}=NAME; "
                    "`rocefab show platforms` lists them; or a breakout: set it in a --base"
                )
            raise

    def place(self) -> None:
        """Put the folder in its place."""
        self.staging.chmod(0o755)
        self.staging.replace(self.output)

    def _quoting(self, finding: Finding) -> Finding:
        place = finding.position
        if place is None or not place.file.startswith(f"{self.output}/"):
            return finding
        file = self.staging / place.file.removeprefix(f"{self.output}/")
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        line = lines[place.line - 1].strip() if place.line <= len(lines) else ""
        message = f"{finding.message}, in the generated line {line[:_SHOWN]!r}"
        return replace(finding, message=message)


def _section(finding: Finding) -> str:
    """Return the section of ``fabric.yaml`` that a finding is about; empty for other files."""
    file, _, path = finding.field.partition(".")
    return path.partition(".")[0].partition("[")[0] if file == "fabric" else ""


@contextmanager
def new_folder(output: Path) -> Iterator[Folder]:
    """Yield a folder to be made; what is not placed vanishes.

    Raises
    ------
    OutputFolderError
        When it cannot be written.
    """
    parent = output.absolute().parent
    staging = None
    try:
        parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{output.name}.", suffix=".new", dir=parent))
        yield Folder(staging, output)
    except OSError as error:
        message = f"{output} cannot be written: {error}; choose another output folder"
        raise OutputFolderError(message) from error
    finally:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)


def refuse_used(output: Path) -> None:
    """Refuse a folder that holds something.

    Raises
    ------
    OutputFolderError
        When it does, or is none.
    """
    if output.is_symlink() or (output.exists() and (not output.is_dir() or any(output.iterdir()))):
        message = f"{output} is not empty"
        finding = Finding("EXC011", Severity.ERROR, message, "specify a new folder with --out")
        raise OutputFolderError("nothing was written", [finding])
