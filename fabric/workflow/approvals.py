"""approve: approvals of a plan, in a file or from the service."""

from __future__ import annotations

import ipaddress
import os
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fabric.change.actor import user
from fabric.change.approvals import (
    MOST_BYTES,
    NAME,
    Approvals,
    demanded,
    parse_approvals,
    read_approvals,
)
from fabric.change.model import read_plan
from fabric.core.errors import InputError, PlanError, ServiceError
from fabric.core.files import write_whole

if TYPE_CHECKING:
    from fabric.change.model import Plan

__all__ = ["NAME", "Approvals", "approvals_of", "approve", "file_of"]

#: Environment variable with the token of the service.
TOKEN_VARIABLE = "ROCEFAB_TOKEN"  # noqa: S105 - the name of a variable
#: Seconds that the service has for an answer, our choice.
_TIMEOUT_S = 30


def file_of(plan_file: Path) -> Path:
    """Return where `rocefab approve` writes the approvals of a plan file."""
    return plan_file.with_name(f"{plan_file.name}.approvals")


def approve(plan_file: Path, *, withdraw: bool = False) -> tuple[Path, Approvals, int]:
    """Approve a plan as the account that runs this, or withdraw that.

    Returns
    -------
    Path, Approvals, int
        The file that was written, what it has, and how many approvals the plan needs.

    Raises
    ------
    PlanError
        When the account made the plan or has no usable name, or the approvals are of another plan.
    InputError
        When the file of approvals cannot be read or written.
    """
    plan, path, name = read_plan(plan_file), file_of(plan_file), user()
    _check_person(plan, name, withdraw=withdraw)
    before = read_approvals(path) if path.exists() else Approvals(plan_sha256=plan.sha256)
    if before.plan_sha256 != plan.sha256:
        raise PlanError(f"{path} is of another plan; remove it to begin again")
    after = before.withdrawn(name) if withdraw else before.given(name)
    try:
        write_whole(path, (after.model_dump_json(indent=1) + "\n").encode())
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error
    return path, after, demanded(plan)


def _check_person(plan: Plan, name: str, *, withdraw: bool) -> None:
    """Raise PlanError where an account cannot approve a plan."""
    if not NAME.fullmatch(name):
        raise PlanError(
            f"the name of this account, {name!a}, is not one of visible ASCII characters; approve "
            "the plan on the page of `rocefab serve`, with a token that has a name"
        )
    author = plan.origin.author if plan.origin else ""
    if not author and not withdraw:
        raise PlanError("the plan does not say who made it; run `rocefab plan` again")
    if author.casefold() == name.casefold() and not withdraw:
        raise PlanError(f"{name} made this plan; another person has to approve it")


def approvals_of(plan: Plan, source: str) -> Approvals:
    """Return the approvals of a plan.

    Parameters
    ----------
    source : str
        File of approvals, or URL of the service, which is asked with the token in
        ``ROCEFAB_TOKEN``.

    Raises
    ------
    InputError
        When there are none in a form that can be read, or the URL is not safe for a token.
    ServiceError
        When the service does not answer, or does not have the plan.
    """
    if "://" not in source:
        return read_approvals(Path(source))
    _check_url(source)
    url = f"{source.rstrip('/')}/v1/plans/{plan.sha256}/approvals"
    token = os.environ.get(TOKEN_VARIABLE, "")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - checked above
    opener = urllib.request.build_opener(_NoRedirect)
    try:
        with opener.open(request, timeout=_TIMEOUT_S) as answer:
            return parse_approvals(answer.read(MOST_BYTES + 1), source)
    except urllib.error.HTTPError as error:
        raise ServiceError(source, _meaning(error.code)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise ServiceError(source, f"approvals cannot be read: {reason}") from error


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A token goes to the address that the user named, and to no other."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Follow no redirect; it is an error then."""


def _check_url(url: str) -> None:
    """Raise InputError for a URL on which others could read a token."""
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname and "@" not in parts.netloc:
        return
    if parts.scheme == "http" and _is_loopback(parts.hostname or ""):
        return
    raise InputError(
        f"--approvals: {url!r} is not https://HOST:PORT, or http:// on this machine; specify the "
        f"address of `rocefab serve`, and its token in {TOKEN_VARIABLE}"
    )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _meaning(status: int) -> str:
    known = {
        401: f"it wants a valid token in {TOKEN_VARIABLE}",
        404: "it does not have this plan; send the plan file to /v1/plans",
    }
    return known.get(status, f"it answered {status}")
