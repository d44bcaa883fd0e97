"""Answers of the tools that no other interface describes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from fabric.serve.replies import BrokenRule, FindingReply
from fabric.serve.replies_map import Count


class FindingsReply(BaseModel):
    """What rules say: the counts are of all findings, the list is one page."""

    counts: Annotated[dict[str, Count], Field(description="Findings by severity.")]
    findings: list[FindingReply]
    checked: Annotated[Count, Field(description="Rules that were looked at.")]
    broken: Annotated[list[BrokenRule], Field(description="Rules that failed themselves.")]
    next: Annotated[int | None, Field(description="Offset of the next page; null at the end.")]


class ExplainReply(BaseModel):
    """What a line, a port, a rule or a defect is."""

    answers: list[dict[str, Any]]


class StatusReply(BaseModel):
    """Runs of the journal, or devices of a run."""

    rows: list[dict[str, Any]]
    next: Annotated[int | None, Field(description="Offset of the next page; null at the end.")]
