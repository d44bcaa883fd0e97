"""Configuration files of all switches of a project: rendered, from a folder or from devices."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from fabric.change.planner import open_driver
from fabric.core.errors import DeviceError, FileError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_text
from fabric.observe.configuration import WHOLE, readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.breach import Breach
from fabric.workflow.devices import executor, project_connections
from fabric.workflow.project import Project
from fabric.workflow.revision import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fabric.core.artefact import Artefact
    from fabric.devices.driver import Connection
    from fabric.observe.configuration import Configured
    from fabric.workflow.work import Work

    Progress = Callable[[str, str], None]
    Readings = dict[tuple[object, ...], Configured]


def whole(artefacts: Sequence[Artefact]) -> Artefact:
    """Return the file of a switch that holds its whole configuration."""
    return next(item for kind in WHOLE for item in artefacts if item.kind == kind)


class Before(NamedTuple):
    """Where the files from before a change are.

    Parameters
    ----------
    folder : Path or None
        A folder with them; None where they are those that ``project`` renders.
    project : Project or None
        The inventory of that time, with its cables; None where it is not known.
    """

    folder: Path | None = None
    project: Project | None = None


@contextmanager
def files_before(against: str, inventory: Path, work: Work) -> Iterator[Before | None]:
    """Give the files from before a change; the inventory is there as long as the context is.

    Parameters
    ----------
    against : str
        A folder, or a git revision of the inventory; empty for none.

    Raises
    ------
    InputError
        When it is neither, or the inventory of the revision is wrong.
    """
    if not against or Path(against).is_dir():
        yield Before(Path(against)) if against else None
        return
    repository = Repository(inventory)
    with repository.copied(repository.commit(against), against) as folder:
        yield Before(project=Project(folder, work))


@contextmanager
def running_files(
    project: Project,
    connections_file: Path | None,
    keep: Path | None,
    progress: Progress,
    parallel: int = 0,
) -> Iterator[Path]:
    """Give a folder with the running configuration of every switch, laid out as by ``render``.

    Parameters
    ----------
    keep : Path, optional
        A new or empty folder, which stays; default: a temporary one.
    parallel : int
        How many switches are read at the same time; 0 for the default.

    Raises
    ------
    InputError
        When ``keep`` has files, or the connections file is wrong.
    DeviceError
        When a switch cannot be read; nothing is proved of the others.
    """
    if keep and keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        message = f"{keep} is not an empty folder; running configurations would overwrite its files"
        fix = "specify a new folder, or leave out --running to prove the files in this one"
        raise InputError("nothing was read", [Finding("INT001", Severity.ERROR, message, fix)])
    reachable = project_connections(project, connections_file)
    with TemporaryDirectory(prefix="rocefab-") as place:
        for name, text in _running(project, reachable, progress, parallel).items():
            path = whole(project.switch_artefacts[name]).path
            _write(keep or Path(place), path, text.encode())
        yield keep or Path(place)


def _running(
    project: Project, reachable: dict[str, Connection], progress: Progress, parallel: int
) -> dict[str, str]:
    """Return the running configuration of every switch."""
    texts = {}
    with executor(len(project.devices), parallel) as pool:
        futures = {name: pool.submit(_ask, reachable[name]) for name in project.devices}
        for name, future in futures.items():
            texts[name] = future.result()
            progress(name, "read")
    return texts


def _ask(connection: Connection) -> str:
    driver = open_driver(connection)
    try:
        text = driver.read_running(())["config"]
    finally:
        driver.close()
    if not text.strip():
        raise DeviceError(connection.device, "its running configuration is empty")
    return text


def _write(folder: Path, path: str, content: bytes) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content)


def read_files(
    project: Project,
    folder: Path | None,
    *,
    is_before: bool = False,
    known: Readings | None = None,
) -> tuple[dict[str, Configured], list[Breach], list[Finding]]:
    """Return what the file of each switch says, the switches without a reader, and bad files.

    Among the files from before a change (``is_before``), those of switches that it adds are absent.

    Parameters
    ----------
    known : dict, optional
        What files say that were read before, by system and text; gets what is read now.
    """
    known = {} if known is None else known
    files: dict[str, Configured] = {}
    unread, findings = [], []
    for name, design in project.devices.items():
        if is_before and not texts_of(project, name, folder):
            continue
        if design.platform not in readers:
            message = f"no reader knows {design.platform}; its file is not proved"
            unread.append(Breach("BAT016", name, "", 0, message))
            continue
        try:
            texts = texts_of(project, name, folder)
            key = design.platform, *sorted(texts.items())
            if key not in known:
                known[key] = readers[design.platform](texts)
            files[name] = known[key]
        except (FileError, UnreadableError, KeyError) as error:
            missing = isinstance(error, KeyError)
            reason = f"there is no {error.args[0]} file" if missing else str(error)
            message = f"the configuration cannot be read: {reason}"
            fix = "write the folder with `rocefab render`, or lay the files out in the same way"
            findings.append(Finding("BAT001", Severity.ERROR, message, fix, device=name))
    return files, unread, findings


def texts_of(project: Project, name: str, folder: Path | None) -> dict[str, str]:
    """Return the files of a switch by kind: as rendered, or from the same path in a folder."""
    artefacts = project.switch_artefacts[name]
    if folder is None:
        return {item.kind: item.text for item in artefacts}
    return {
        item.kind: read_text(folder / item.path, FileKind.RENDERED)
        for item in artefacts
        if (folder / item.path).exists()
    }
