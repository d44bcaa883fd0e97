"""The commit that our own code is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import ProgramError
from fabric.programs.git import FILES, LINK, opened, same

if TYPE_CHECKING:
    from pathlib import Path


def commit_of(top: Path) -> str:
    """Return the commit of a checkout, with ``-dirty`` where a file of the commit differs.

    Empty where the folder is no checkout itself, or git cannot tell.
    """
    try:
        with opened(top) as git:
            if git is None or git.checkout.top != top.resolve():
                return ""
            commit = git.named("HEAD^{commit}")
            rows = git.rows(commit) if commit else []
    except ProgramError:
        return ""
    files = (row for row in rows if row.mode in (LINK, *FILES))
    return commit if all(same(row, top / row.name) for row in files) else f"{commit}-dirty"
