"""Jobs that run, as Slurm lists them: ``squeue --noheader --format='%i %N'`` (squeue(1))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity

if TYPE_CHECKING:
    from pathlib import Path

#: A longer list is no list of jobs; our choice: 100,000 jobs on 100 hosts each take half of it.
MOST_BYTES = 64 << 20


def read_jobs(file: Path) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each job of a file, as `parse_jobs` does.

    Raises
    ------
    InputError
        When the file cannot be read, or a line is no such line.
    """
    try:
        if file.stat().st_size > MOST_BYTES:
            raise InputError(f"{file}: larger than {MOST_BYTES >> 20} MiB; name a list of jobs")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the list of jobs cannot be read: {error}") from error
    return parse_jobs(text, str(file))


def parse_jobs(text: str, source: str) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each job that has some; a job that waits has none.

    Parameters
    ----------
    text : str
        A line for each job: its name, a blank, and its hosts as ranges. ``#`` begins a comment.
    source : str
        File or command, for errors.

    Raises
    ------
    InputError
        When a line is no such line.
    """
    jobs: dict[str, tuple[str, ...]] = {}
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        name, _, ranges = line.partition("#")[0].strip().partition(" ")
        try:
            if ranges.strip():
                _refuse_unprintable(name)
                jobs[name] = (*jobs.get(name, ()), *hostlist.expand(ranges.strip()))
        except ValueError as error:
            fix = "write a job and its hosts, such as 4711 gpu[001-004]"
            position = Position(source, number)
            findings.append(Finding("INT001", Severity.ERROR, str(error), fix, position=position))
    if findings:
        raise InputError("the list of jobs is wrong", findings)
    return jobs


def _refuse_unprintable(name: str) -> None:
    if not name.isprintable():
        raise ValueError("the name of the job has unprintable characters")
