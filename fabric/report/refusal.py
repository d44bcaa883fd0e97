"""Why a command has no answer, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.formats import with_form
from fabric.validate.report.plain_json import finding_json

if TYPE_CHECKING:
    from fabric.core.errors import FabricError


def as_dict(error: FabricError) -> dict[str, Any]:
    """Return plain data: the headline, and findings as `check --format json` has them."""
    findings = error.findings if isinstance(error, InputError) else ()
    told = {"error": str(error), "findings": [finding_json(finding) for finding in findings]}
    return with_form("error", told)
