"""Jobs that run, as Slurm lists them: ``squeue --noheader --format='%i %N'`` (squeue(1))."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import read_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path


#: Hosts of all jobs together; a limit that we chose: 100,000 jobs on 100 hosts each have as many.
MOST_HOSTS = 10_000_000


def read_jobs(file: Path) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each job of a file, as `parse_jobs` does.

    Raises
    ------
    InputError
        When the file cannot be read, or a line is no such line.
    """
    return parse_jobs(read_text(file, FileKind.JOBS), str(file))


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
    jobs: dict[str, list[str]] = {}
    findings = []
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        name, ranges = (*line.partition("#")[0].split(None, 1), "", "")[:2]
        try:
            if ranges.strip():
                _refuse_unprintable(name)
                hosts = hostlist.expand(ranges.strip())
                count += len(hosts)
                if count > MOST_HOSTS:
                    raise InputError(f"{source}:{number}: more than {MOST_HOSTS:,} hosts of jobs")
                jobs.setdefault(name, []).extend(hosts)
        except ValueError as error:
            words = hostlist.worded(error, "write a job and its hosts, such as 4711 gpu[001-004]")
            position = Position(source, number)
            findings.append(Finding("INT001", Severity.ERROR, *words, position=position))
    if findings:
        raise InputError("the list of jobs is wrong", findings)
    return {name: tuple(hosts) for name, hosts in jobs.items()}


def strange_hosts(
    jobs: Mapping[str, tuple[str, ...]], known: Collection[str], source: Path
) -> list[str]:
    """Return the hosts of jobs that an inventory does not have: a cluster may have others too.

    Raises
    ------
    InputError
        When a name is none, or the inventory has none of the hosts: it is another list then.
    """
    strange = [host for hosts in jobs.values() for host in hosts if host not in known]
    if odd := [host for host in strange if len(host.split()) > 1] or (
        strange if len(strange) == sum(map(len, jobs.values())) else []
    ):
        fix = "print the jobs with squeue --noheader --format='%i %N'"
        raise InputError(f"{source}: {odd[0][:40]!a} is not a host of the inventory; {fix}")
    return list(dict.fromkeys(strange))


def _refuse_unprintable(name: str) -> None:
    if not name.isprintable():
        raise ValueError("the name of the job has unprintable characters")
