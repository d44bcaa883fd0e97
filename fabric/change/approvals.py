"""Approvals of a plan: who approved which plan, and when."""

from __future__ import annotations

import hmac
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from fabric.core.clock import clock
from fabric.core.errors import InputError, PlanError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import read_bytes
from fabric.core.validation import own_words
from fabric.intent.demanded import approvals_demanded

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.change.model import Plan

#: More bytes are no approvals, from wherever they come.
MOST_BYTES = FileKind.APPROVALS.most_bytes
_MOST = 1000
#: Who approves, and whose a token is: visible characters of ASCII.
NAME = re.compile(r"[!-~]{1,128}")

Name = Annotated[str, StringConstraints(pattern=rf"^{NAME.pattern}$")]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False, description="Unix time in seconds.")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Approval(BaseModel):
    """That a person approved a plan; one that was withdrawn does not count."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name
    at: Seconds
    withdrawn: Seconds | None = None

    def __str__(self) -> str:
        return f"{self.name} at {clock(self.at)}"


class Approvals(BaseModel):
    """All approvals of one plan, in the form of a file.

    Parameters
    ----------
    plan_sha256 : str
        SHA-256 of the plan file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["rocefab-approvals-1"] = "rocefab-approvals-1"
    plan_sha256: Digest
    approvals: Annotated[tuple[Approval, ...], Field(max_length=_MOST)] = ()

    def given(self, name: str) -> Self:
        """Return the approvals with one more; an earlier one of the same name is replaced."""
        rest = self._without(name)
        return self.model_copy(update={"approvals": (*rest, Approval(name=name, at=time.time()))})

    def withdrawn(self, name: str) -> Self:
        """Return the approvals after a person has withdrawn; nothing changes without one."""
        now = time.time()
        changed = (
            one.model_copy(update={"withdrawn": now})
            if _same(one.name, name) and one.withdrawn is None
            else one
            for one in self.approvals
        )
        return self.model_copy(update={"approvals": tuple(changed)})

    def counting(self, others: Collection[str]) -> list[Approval]:
        """Return the approvals that count: one per person.

        Parameters
        ----------
        others : collection of str
            People who do not count, such as the author of the plan.
        """
        without = {name.casefold() for name in others}
        valid = [one for one in self.approvals if one.withdrawn is None]
        by_name = {one.name.casefold(): one for one in valid}
        return [one for name, one in by_name.items() if name not in without]

    def _without(self, name: str) -> list[Approval]:
        return [one for one in self.approvals if not _same(one.name, name)]


def approvers(plan: Plan, approvals: Approvals | None, account: str) -> list[Approval]:
    """Return the approvals of a plan that count for an account that applies it.

    None counts of a plan that does not say who made it: its author may be among them.

    Raises
    ------
    PlanError
        When they are approvals of another plan.
    """
    if approvals is None:
        return []
    if not hmac.compare_digest(approvals.plan_sha256, plan.sha256):
        raise PlanError(
            f"the approvals are of plan {approvals.plan_sha256[:12]}, and this is plan "
            f"{plan.sha256[:12]}; ask for approval of this plan"
        )
    author = plan.origin.author if plan.origin else ""
    return approvals.counting({account, author}) if author else []


def needed(plan: Plan) -> int:
    """Return how many people must approve a plan, as its inventory had it."""
    by_rollout = plan.rollout.policy.approvals if plan.rollout else 0
    return max(by_rollout, plan.origin.approvals if plan.origin else 0)


def demanded(plan: Plan, inventory: Path | None = None) -> int:
    """Return how many people must approve a plan: a file that was edited does not lower it.

    Parameters
    ----------
    inventory : Path or None
        Folder that says it now; None is the one of the plan, where it is on this machine.

    Raises
    ------
    InputError
        When the inventory says it wrongly.
    """
    if inventory is None and plan.origin and plan.origin.is_here():
        inventory = Path(plan.origin.inventory)
    return max(needed(plan), approvals_demanded(inventory) if inventory else 0)


def read_approvals(path: Path) -> Approvals:
    """Return the approvals of a file.

    Raises
    ------
    InputError
        When it cannot be read, or is no file of approvals.
    """
    return parse_approvals(read_bytes(path, FileKind.APPROVALS), str(path))


def parse_approvals(content: bytes, source: str) -> Approvals:
    """Return the approvals of a text; ``source`` is how messages name it.

    Raises
    ------
    InputError
        When it is no file of approvals.
    """
    try:
        if len(content) <= MOST_BYTES:
            return Approvals.model_validate_json(content)
        reason = f"it has more than {MOST_BYTES:,} bytes"
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {own_words(first['msg'])}".removeprefix(": ")
    raise InputError(f"{source}: no approvals: {reason}; `rocefab approve PLAN` writes them")


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
