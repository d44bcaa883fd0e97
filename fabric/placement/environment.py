"""The environment of a job: ours, with what the user has set kept as it is.

Reading an environment that a user has written: ``NAME=value`` lines, as in ``nccl.conf``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.placement.gid_search import lost_gid
from fabric.placement.job_host import (
    DEFAULT_IMAGE,
    Environment,
    JobImage,
    Setting,
    UserValue,
    job_host,
)
from fabric.placement.libraries import library_environment
from fabric.placement.nccl import nccl_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric


_LINE = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
_QUOTES = ("'", '"')


def environment(
    fabric: Fabric, placement: Placement, host: str, image: JobImage = DEFAULT_IMAGE
) -> Environment:
    """Return the environment of the ranks on one host of a placement.

    Parameters
    ----------
    image : JobImage
        What the job brings.

    Raises
    ------
    InputError
        When there is no such release, or no such class.
    """
    job = job_host(fabric, placement, host, image)
    nccl, others = nccl_environment(job), library_environment(job)
    return Environment(nccl.settings + others.settings, nccl.left_out + others.left_out, job.pools)


def keep_users(
    ours: Environment, users: Mapping[str, UserValue]
) -> tuple[tuple[Setting, ...], list[Finding]]:
    """Return our settings with those of the user in their place, and what differs.

    Nothing that the user has set is changed or removed. What differs is told, with our value and
    its reason; what we leave out on purpose is told with that reason.
    """
    kept = {name: Setting(name, item.value, "set by the user") for name, item in users.items()}
    mine = {item.name: item for item in ours.settings}
    merged = tuple({**mine, **kept}.values())
    return merged, [*_differing(mine, users), *_left_out(ours, users), *lost_gid(ours, users)]


def _differing(mine: Mapping[str, Setting], users: Mapping[str, UserValue]) -> list[Finding]:
    return [
        Finding(
            "PLC010",
            Severity.WARNING,
            f"{name} is {item.value!a} and is kept; rocefab would set {mine[name].value!a}: "
            f"{mine[name].reason}",
            "remove it unless you have a specific reason",
            position=item.position,
        )
        for name, item in users.items()
        if name in mine and not mine[name].means(item.value)
    ]


def _left_out(ours: Environment, users: Mapping[str, UserValue]) -> list[Finding]:
    reasons = {item.name: item.reason for item in ours.left_out}
    return [
        Finding(
            "PLC011",
            Severity.INFO,
            f"{name} is {item.value!a} and is kept; rocefab does not set it: {reasons[name]}",
            position=item.position,
        )
        for name, item in users.items()
        if name in reasons
    ]


def read_environment(text: str, shown_as: str) -> dict[str, UserValue]:
    """Return the variables of the text of a file, each with its line.

    Lines are ``NAME=value``, perhaps after ``export``; one pair of quotes around a value is taken
    off, nothing in it is expanded. ``#`` begins a comment line.

    Raises
    ------
    InputError
        With every line that is not of this form, or names a variable again.
    """
    values: dict[str, UserValue] = {}
    findings: list[Finding] = []
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(" \t\r")
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if not match or not stripped.isprintable():
            what = f"{stripped[:40]!a} is not a variable assignment"
            findings.append(_finding(shown_as, number, what, "use the form NAME=value"))
        elif match[1] in values:
            what = f"{match[1]} is set twice"
            findings.append(_finding(shown_as, number, what, "remove one of the lines"))
        else:
            values[match[1]] = UserValue(_unquoted(match[2]), Position(shown_as, number))
    if findings:
        raise _refused(findings)
    return values


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in _QUOTES
    return text[1:-1] if quoted else text


def _finding(file: str, line: int, message: str, fix: str) -> Finding:
    return Finding("PLC006", Severity.ERROR, message, fix, position=Position(file, line))


def _refused(findings: list[Finding]) -> InputError:
    return InputError("the environment cannot be read", findings)
