"""check --changed-since: what a change brings, apart from what the inventory had before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.errors import HistoryError, InputError
from fabric.workflow.revision import Repository
from fabric.workflow.site import check_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fabric.core.findings import Finding, Severity
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
    known = _findings(repository, repository.commit(revision), revision, work, ignore)
    kept = tuple(
        finding
        for finding in outcome.findings
        if finding.severity >= fail_on or _key(finding) not in known
    )
    return replace(outcome, findings=kept), len(outcome.findings) - len(kept)


def _findings(
    repository: Repository, commit: str, revision: str, work: Work, ignore: Sequence[str]
) -> set[tuple[str, ...]]:
    """Return the findings of a commit; none where it has no inventory, or one that is not read."""
    try:
        with repository.copied(commit, revision) as folder:
            return {_key(finding) for finding in check_folder(folder, work, ignore).findings}
    except HistoryError:
        raise
    except InputError:
        return set()


def _key(finding: Finding) -> tuple[str, ...]:
    """Return what a finding is about, wherever it stands."""
    return finding.rule, finding.field, finding.device, finding.port, finding.message
