"""A site: every fabric in turn, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.intent.site import fabric_folders, is_site, load_site
from fabric.report.table import Table
from fabric.topology.site import Members
from fabric.validate.runner import together
from fabric.workflow.check import check, why_together
from fabric.workflow.nic_profiles import check_profiles, without_idle_waivers
from fabric.workflow.project import Project
from fabric.workflow.render import Rendered, render_files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fabric.core.findings import Finding
    from fabric.validate.runner import Outcome
    from fabric.workflow.work import Work

__all__ = [
    "check_folder",
    "check_projects",
    "check_site",
    "is_site",
    "names_of",
    "projects_in",
    "projects_of",
    "render_site",
    "table_of_site",
    "why_together",
]


def projects_of(site: Path, work: Work | None = None) -> dict[str, Project]:
    """Return a project for every fabric of a site, by name.

    Raises
    ------
    InputError
        With everything that is wrong in any of them.
    """
    members = Members(load_site(site))
    return {name: Project(path, work, members) for name, path in fabric_folders(site).items()}


def projects_in(folder: Path, work: Work | None = None) -> dict[str, Project]:
    """Return a project for every fabric of a site, or for the one of an inventory folder.

    Raises
    ------
    InputError
        With everything that is wrong in any of them.
    """
    return projects_of(folder, work) if is_site(folder) else {"": Project(folder, work)}


def check_folder(folder: Path, work: Work, ignore: Sequence[str]) -> Outcome:
    """Check an inventory folder, or every fabric of a site.

    Raises
    ------
    InputError
        When it cannot be read.
    """
    return check_projects(projects_in(folder, work), ignore)


def check_projects(
    projects: dict[str, Project], ignore: Sequence[str], nic_profiles: Sequence[Path] = ()
) -> Outcome:
    """Check the fabrics of a folder, as `projects_in` returns them.

    Parameters
    ----------
    nic_profiles : sequence of Path
        What others wrote on the NICs of the inventory, which has one fabric.

    Raises
    ------
    InputError
        When it cannot be judged.
    """
    if "" not in projects:
        return check_site(projects, ignore)
    project = projects[""]
    pairs = check_profiles(project, nic_profiles, ignore) if nic_profiles else None
    outcome = check(project, ignore)
    return without_idle_waivers(outcome, pairs).merged(pairs) if pairs else outcome


def check_site(projects: dict[str, Project], ignore: Sequence[str] = ()) -> Outcome:
    """Run the rules over every fabric; what two of them say alike is said once.

    Raises
    ------
    InputError
        With the errors of all fabrics, when one of them cannot be judged.
    """
    outcomes: list[Outcome] = []
    errors: list[Finding] = []
    for project in projects.values():
        try:
            outcomes.append(check(project, ignore))
        except InputError as error:
            errors += error.findings
    if errors:
        errors += [one for outcome in outcomes for one in outcome.at_least(Severity.ERROR)]
        raise _refused(projects, errors)
    outcome = together(outcomes)
    return replace(outcome, findings=tuple(dict.fromkeys(outcome.findings)))


def render_site(
    projects: dict[str, Project], out: Path, *, force: bool = False
) -> dict[str, Rendered]:
    """Write every fabric below a folder of its name, and return what was written of each.

    Raises
    ------
    InputError
        When a fabric does not pass its check; nothing is written then.
    OutputFolderError
        When a folder holds files of somebody else, or edited ones, and ``force`` is not given.
    """
    errors = check_site(projects).at_least(Severity.ERROR)
    if errors:
        raise _refused(projects, errors)
    return {
        f"{name}/": render_files(project, out / name, force=force)
        for name, project in projects.items()
    }


def table_of_site(projects: dict[str, Project], make: Callable[[Project], Table]) -> Table:
    """Return the tables of all fabrics as one, with the fabric in front of each row."""
    tables = {name: make(project) for name, project in projects.items()}
    headers = next(iter(tables.values())).headers
    rows = tuple((name, *row) for name, table in tables.items() for row in table.rows)
    return Table(("fabric", *headers), rows)


def names_of(projects: dict[str, Project]) -> list[str]:
    """Return the fabrics of the site of some projects, as `projects_in` returns them."""
    site = projects[""].site if "" in projects else None
    return [*(site.fabrics if site else projects)]


def _refused(projects: dict[str, Project], findings: Sequence[Finding]) -> InputError:
    distinct = list(dict.fromkeys(findings))
    folders = ", ".join(project.intent.folder for project in projects.values())
    message = f"{counted(len(distinct), 'error')} in {folders}; no changes were made"
    return InputError("; ".join([message, *why_together(distinct, projects)]), distinct)
