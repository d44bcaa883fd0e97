"""show buffer --observed: watermarks of the lossless groups, from devices or saved outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.exchange.values import text_of
from fabric.observe import snapshot_of
from fabric.observe.parsers import parsers, titled
from fabric.report.buffer_use import Peaks
from fabric.workflow.devices import Selection, chosen
from fabric.workflow.observe import observe

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fabric.workflow.observe import Seen
    from fabric.workflow.project import Project

FIELDS = ("priority_groups", "buffer_pools")
#: A file that people keep of a terminal.
SUFFIXES = (".txt", ".log")


def from_devices(
    project: Project,
    connections_file: Path | None,
    only: str,
    progress: Callable[[str, str], None],
    parallel: int = 0,
) -> list[Peaks]:
    """Read the watermarks of every selected switch, so many at a time; 0 for the default.

    Raises
    ------
    InputError
        When a device or the connections file is wrong.
    """
    selection = Selection(hosts=False, only=only, parallel=parallel)
    seen = observe(project, connections_file, selection, FIELDS, progress)
    return [
        Peaks(item.device, item.snapshot, item.error or _problem(item), failed=_failed(item))
        for item in seen
    ]


def _problem(item: Seen) -> str:
    if set(FIELDS) <= set(item.unread):
        return "not read on this system"
    return f"cannot read {', '.join(item.unknown)}" if item.unknown else ""


def _failed(item: Seen) -> bool:
    return bool(item.error) or "priority_groups" in item.unknown


def from_files(project: Project, folder: Path, only: str) -> list[Peaks]:
    """Read the watermarks of switches from files with their names, such as ``leaf1.txt``.

    Raises
    ------
    InputError
        When the folder is missing, or holds no file of a selected switch.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder")
    peaks = []
    for name in project.devices:
        files = [folder / f"{name}{suffix}" for suffix in SUFFIXES]
        file = next((file for file in files if file.is_file()), None)
        if name in chosen(project, Selection(hosts=False, only=only)) and file:
            peaks.append(_read(project, name, file))
    if not peaks:
        raise InputError(
            f"{folder}: there is no file of a switch; name the file of each switch after it, "
            f"such as {next(iter(project.devices))}.txt"
        )
    return peaks


def _read(project: Project, name: str, file: Path) -> Peaks:
    platform = project.devices[name].platform
    readings = {
        subject: reading
        for subject, reading in parsers[platform].readings.items()
        if reading[0] in FIELDS
    }
    if not readings:
        return Peaks(name, None, "not read on this system")
    texts = titled(platform, text_of(file))
    asked = {subject: readings[subject] for subject in texts if subject in readings}
    if not asked:
        return Peaks(name, None, f"{file}: there are no watermarks")
    snapshot = snapshot_of(name, asked, texts)
    problem = f"{file}: cannot read {', '.join(snapshot.unknown)}" if snapshot.unknown else ""
    return Peaks(name, snapshot, problem, failed=bool(problem))
