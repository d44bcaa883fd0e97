"""The forms of a difference by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.report.diff.html import html
from fabric.report.diff.markdown import markdown
from fabric.report.diff.model import json_schema
from fabric.report.diff.text import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.report.diff.model import Diff


def plain_json(diff: Diff) -> str:
    """Return all of it as JSON; `docs/reference/formats.md` says what the members mean."""
    return json.dumps(diff.as_dict(), indent=2) + "\n"


def schema() -> str:
    """Return the JSON Schema of the JSON form."""
    body = {"$schema": "https://json-schema.org/draft/2020-12/schema", **json_schema()}
    return json.dumps(body, indent=2) + "\n"


FORMS: dict[str, Callable[[Diff], str]] = {
    "text": text,
    "json": plain_json,
    "markdown": markdown,
    "html": html,
}
