"""Plans that were sent for review, and their approvals: files in the state folder."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from http import HTTPStatus
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from fabric.core.errors import FileError, InputError, PlanError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.user_files import read_bytes, read_text
from fabric.serve.problem import Problem, problem_of, refused
from fabric.serve.scopes import APPROVE
from fabric.workflow.approvals import Approvals
from fabric.workflow.review import Brief, Plan, brief, parse_plan

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.serve.scopes import Grant

#: Plans that are kept at a time, of all and of those that a person sent; our choice.
MOST_PLANS, MOST_OF_A_PERSON = 50, 20
#: Plans that are kept parsed, our choice.
_PARSED = 4
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONFLICT = HTTPStatus.CONFLICT


class Review(BaseModel):
    """Who sent a plan and when, and who approved it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    by: str
    at: float
    approvals: Approvals


class Reviews:
    """The plans of a service. All calls come one after the other, from one thread.

    Parameters
    ----------
    folder : Path
        Made where it is missing, for this user alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._parsed: OrderedDict[str, Plan] = OrderedDict()
        self._briefs: dict[str, Brief] = {}

    def names(self) -> list[str]:
        """Return the SHA-256 of all plans, the newest first."""
        files = [one for one in self._folder.glob("*.review") if _SHA256.fullmatch(one.stem)]
        return [one.stem for one in sorted(files, key=lambda one: -self.review(one.stem).at)]

    def add(self, plan: Plan, by: str) -> str:
        """Keep a plan, and return its SHA-256; one that is here already stays as it is.

        Raises
        ------
        Problem
            409 when there are too many.
        """
        name = plan.sha256
        if self._path(name).exists():
            return name
        self._check_room(by)
        self._folder.mkdir(exist_ok=True, mode=0o700)
        write_whole(self._folder / f"{name}.json", plan.to_json().encode(), 0o600)
        self.write(name, Review(by=by, at=time.time(), approvals=Approvals(plan_sha256=name)))
        return name

    def _check_room(self, by: str) -> None:
        senders = [self.review(name).by for name in self.names()]
        fix = "DELETE those that are done with"
        if len(senders) >= MOST_PLANS:
            raise refused(_CONFLICT, "SRV013", "", f"{MOST_PLANS} plans are kept already", fix)
        if by and senders.count(by) >= MOST_OF_A_PERSON:
            message = f"{MOST_OF_A_PERSON} plans of {by} are kept already"
            raise refused(_CONFLICT, "SRV013", "", message, fix)

    def plan(self, name: str) -> Plan:
        """Return a plan; raise Problem (404) where there is none."""
        self.review(name)
        if name not in self._parsed:
            path = self._folder / f"{name}.json"
            try:
                plan = parse_plan(read_text(path, FileKind.PLAN), "the plan")
            except (ValueError, InputError, PlanError) as error:
                raise _damaged(name) from error
            if plan.sha256 != name:
                raise _damaged(name)
            self._parsed[name] = plan
            while len(self._parsed) > _PARSED:
                self._parsed.popitem(last=False)
        return self._parsed[name]

    def brief(self, name: str) -> Brief:
        """Return what a list needs of a plan; raise Problem (404) where there is none."""
        if name not in self._briefs:
            self._briefs[name] = brief(self.plan(name))
        return self._briefs[name]

    def review(self, name: str) -> Review:
        """Return what is known of a plan; raise Problem (404) where there is none."""
        self._check(name)
        try:
            content = read_bytes(self._path(name), FileKind.APPROVALS)
            return Review.model_validate_json(content)
        except (FileError, ValidationError) as error:
            raise _damaged(name) from error

    def write(self, name: str, review: Review) -> None:
        """Write what is known of a plan; it is on disk when this returns."""
        write_whole(self._path(name), review.model_dump_json().encode(), 0o600)

    def about(self, name: str) -> str:
        """Return whose plan it is and who approved it, as far as that can be read.

        Raises
        ------
        Problem
            404 where there is none.
        """
        self._check(name)
        try:
            review, plan = self.review(name), self.brief(name)
        except Problem:
            return "which was damaged"
        who = ", ".join(str(one) for one in review.approvals.counting(())) or "nobody"
        return f"made by {plan.author!a}, sent by {review.by!a}, approved by {who}"

    def drop(self, name: str) -> None:
        """Remove a plan and its approvals."""
        self._check(name)
        self._path(name).unlink()
        (self._folder / f"{name}.json").unlink(missing_ok=True)
        self._parsed.pop(name, None)
        self._briefs.pop(name, None)

    def _check(self, name: str) -> None:
        if not _SHA256.fullmatch(name) or not self._path(name).exists():
            message, fix = "there is no plan with this SHA-256", "GET /v1/plans lists them"
            raise refused(HTTPStatus.NOT_FOUND, "SRV011", "sha256", message, fix)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.review"


def plan_of(content: bytes) -> Plan:
    """Return the plan that a body holds; raise Problem (422) for what is no plan."""
    try:
        return parse_plan(content.decode(), "the body")
    except UnicodeDecodeError as error:
        raise _wrong("the body is not UTF-8") from error
    except InputError as error:
        raise problem_of(error) from error
    except PlanError as error:
        raise _wrong(str(error)) from error


def approved(review: Review, author: str, caller: Grant, stale: str) -> Review:
    """Return the review after a person has approved.

    Parameters
    ----------
    author : str
        Account that made the plan, or empty.
    caller : Grant
        What the token of the person may do, and the name of it.
    stale : str
        Why the plan cannot be applied any more, or empty.

    Raises
    ------
    Problem
        403 or 409, as `why_not` says.
    """
    status, reason, fix = why_not(review, author, caller, stale)
    if reason:
        raise refused(status, "SRV013", "", reason, fix)
    return review.model_copy(update={"approvals": review.approvals.given(caller.name)})


def why_not(review: Review, author: str, caller: Grant, stale: str) -> tuple[int, str, str]:
    """Return status, reason and fix where a person may not approve; the reason is empty else."""
    name = caller.name
    if APPROVE not in caller.scopes:
        reason = f"the token has the scope {caller}"
        return HTTPStatus.FORBIDDEN, reason, f"use a token of scope {APPROVE}"
    if not name:
        fix = "add the name of the person to the line of the token"
        return HTTPStatus.FORBIDDEN, "the request has no token with a name", fix
    if not author:
        return _CONFLICT, "the plan does not say who made it", "run `rocefab plan` again"
    if not review.by:
        fix = "DELETE it, and send it again with a token that has a name"
        return _CONFLICT, "who sent the plan is not known", fix
    if name.casefold() in {author.casefold(), review.by.casefold()}:
        reason = f"{name} made this plan or sent it"
        return HTTPStatus.FORBIDDEN, reason, "another person has to approve it"
    if stale:
        return _CONFLICT, stale, "run `rocefab plan` again, and send the new plan"
    return HTTPStatus.OK, "", ""


def _wrong(message: str) -> Problem:
    fix = "send the file that `rocefab plan --out` wrote, unchanged"
    return refused(HTTPStatus.UNPROCESSABLE_ENTITY, "SRV013", "", message, fix)


def _damaged(name: str) -> Problem:
    message = f"the plan {name} in the state folder is damaged"
    return refused(_CONFLICT, "SRV013", "sha256", message, "DELETE it, and send it again")
