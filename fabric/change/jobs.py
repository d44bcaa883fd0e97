"""Jobs of a scheduler, as a command of the user lists them, and as a gate of a wave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.change.gates import PASSED, called
from fabric.core import hostlist
from fabric.core.errors import InputError, ProgramError
from fabric.exchange.jobs import parse_jobs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.change.rollout import Stage

#: Jobs that a message names.
_NAMED = 5


def listed(argv: Sequence[str], timeout_s: float) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each job that a command lists.

    Raises
    ------
    InputError
        When the command cannot be run, fails, or prints no list of jobs.
    """
    try:
        done = called(argv, {}, timeout_s)
    except ProgramError as error:
        raise InputError(f"the jobs cannot be listed: {error}") from error
    if done.code:
        said = " ".join(done.complaint.split())[:200]
        raise InputError(f"{argv[0]} ended with {done.code}: {said}")
    return parse_jobs(done.text, f"the output of {argv[0]}")


def on_hosts(jobs: Mapping[str, Sequence[str]], hosts: str) -> tuple[str, ...]:
    """Return the jobs that have a host of a range; all of them where the range is empty."""
    touched = {*hostlist.expand(hosts)} if hosts else None
    return tuple(name for name, own in jobs.items() if touched is None or touched & {*own})


def named(jobs: Sequence[str]) -> str:
    """Return the first of some jobs, and how many more there are."""
    more = len(jobs) - _NAMED
    return ", ".join(jobs[:_NAMED]) + (f" and {more} more" if more > 0 else "")


@dataclass
class FailedJobs:
    """No job fails on the hosts of a wave; behind a spine, on any host.

    Parameters
    ----------
    argv : sequence of str
        Command that lists failed jobs.
    timeout_s : float
        Seconds that it may take.
    """

    argv: Sequence[str]
    timeout_s: float
    name: str = "jobs"
    passed: str = PASSED
    _before: frozenset[str] = field(default_factory=frozenset)

    def begin(self, stage: Stage) -> list[str]:
        """Keep those that failed before; return why they cannot be listed."""
        failed, problems = self._failed(stage)
        self._before = frozenset(failed)
        return problems

    def after_change(self, stage: Stage) -> list[str]:
        """Return which failed since."""
        failed, problems = self._failed(stage)
        new = [name for name in failed if name not in self._before]
        return problems + ([f"failed since the wave began: {named(new)}"] if new else [])

    def after_soak(self, stage: Stage) -> list[str]:
        """Return which failed since."""
        return self.after_change(stage)

    def _failed(self, stage: Stage) -> tuple[Sequence[str], list[str]]:
        try:
            return on_hosts(listed(self.argv, self.timeout_s), stage.hosts), []
        except InputError as error:
            return (), [str(error)]
