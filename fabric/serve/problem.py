"""Errors over HTTP: problem details of RFC 9457, with our findings as a member."""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from fabric.core.errors import NeverFitsError, NoRoomError
from fabric.core.findings import Finding, Severity
from fabric.validate.report.plain_json import finding_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.core.errors import InputError

#: RFC 9457, section 3.
MEDIA_TYPE = "application/problem+json"
#: Findings in one answer; a client that sends more wrong names has seen enough.
MAX_FINDINGS = 100


class Problem(Exception):  # noqa: N818 - RFC 9457 calls it a problem
    """An answer that is an error.

    Parameters
    ----------
    status : int
        Status code, 400 to 599.
    detail : str
        What is wrong with this request.
    findings : sequence of Finding
        Each thing that is wrong, with its field and what to do.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        findings: Sequence[Finding] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.findings = tuple(findings)
        self.headers = dict(headers or {})

    def as_dict(self) -> dict[str, Any]:
        """Return the members of the problem; the title is that of the status code."""
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail,
            "findings": [finding_json(one) for one in self.findings[:MAX_FINDINGS]],
        }

    def content(self) -> bytes:
        """Return the body of the answer."""
        return json.dumps(self.as_dict()).encode()

    def response(self) -> Response:
        """Return the answer."""
        return Response(self.content(), self.status, self.headers, MEDIA_TYPE)


def refused(status: int, rule: str, field: str, message: str, fix: str) -> Problem:
    """Return a problem with one finding."""
    finding = Finding(rule, Severity.ERROR, message, fix, field)
    return Problem(status, message, [finding])


def problem_of(error: InputError) -> Problem:
    """Return the problem of a request that the rooms below did not take.

    A job that has no place now is a conflict with the state of the fabric (409); all else is wrong
    in itself (422), as is a job that never fits.
    """
    later = isinstance(error, NoRoomError) and not isinstance(error, NeverFitsError)
    status = HTTPStatus.CONFLICT if later else HTTPStatus.UNPROCESSABLE_ENTITY
    findings = error.findings or [Finding("SRV004", Severity.ERROR, str(error))]
    return Problem(status, str(error), findings)


def internal() -> Problem:
    """Return the problem of an error that is ours."""
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    return refused(status, "SRV014", "", "an internal error", "please report it, with the log")
