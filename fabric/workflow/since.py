"""check --changed-since: what a change brings, apart from what the inventory had before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.errors import HistoryError, InputError
from fabric.validate.same_findings import JudgedSide, devices_of, same_findings
from fabric.workflow.revision import Repository
from fabric.workflow.site import check_projects, projects_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fabric.core.findings import Severity
    from fabric.validate.runner import Outcome
    from fabric.workflow.work import Work


def without_known(
    outcome: Outcome,
    folder: Path,
    revision: str,
    work: Work,
    ignore: Sequence[str],
    fail_on: Severity,
) -> tuple[Outcome, int]:
    """Return an outcome without the findings that a revision has too, and how many these are.

    Findings that fail the check stay, so that the verdict is that of the whole check.

    Parameters
    ----------
    outcome : Outcome
        Of the whole check of the folder as it is now.
    folder : Path
        Inventory folder in a git repository.
    revision : str
        What it is compared with.
    fail_on : Severity
        From which severity on a finding is a failure.

    Raises
    ------
    InputError
        When there is no such revision, or no repository, or it lacks files of the revision.
    """
    repository = Repository(folder)
    before = _side(repository, repository.commit(revision), revision, work, ignore)
    after = JudgedSide(outcome.findings, frozenset(), str(folder))
    known = {id(finding) for _, finding in same_findings(before, after)} if before else set()
    listed = tuple(
        finding
        for finding in outcome.findings
        if finding.severity >= fail_on or id(finding) not in known
    )
    return replace(outcome, findings=listed), len(outcome.findings) - len(listed)


def _side(
    repository: Repository, commit: str, revision: str, work: Work, ignore: Sequence[str]
) -> JudgedSide | None:
    """Return what is found at a commit; None where it has no inventory, or one that is not read."""
    try:
        with repository.copied(commit, revision) as folder:
            projects = projects_in(folder, work)
            findings = check_projects(projects, ignore).findings
            devices = (devices_of(project.fabric) for project in projects.values())
            return JudgedSide(findings, frozenset().union(*devices), str(folder))
    except HistoryError:
        raise
    except InputError:
        return None
