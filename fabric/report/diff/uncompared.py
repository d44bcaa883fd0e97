"""What the forms that are published say where nothing could be compared."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.report.diff.html import page
from fabric.validate.report.markdown import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.core.errors import InputError

#: Findings that are listed; our choice. The rest is counted.
_MOST = 50
_TITLE = "Nothing was compared"


def _reasons(error: InputError) -> list[str]:
    lines = [str(finding) for finding in error.findings] or [str(error)]
    more = [counted(len(lines) - _MOST, "more error")] if len(lines) > _MOST else []
    return [*lines[:_MOST], *more]


def _markdown(reasons: Sequence[str]) -> str:
    return "\n".join([f"### {_TITLE}", "", *(f"- {plain(one)}" for one in reasons), "", ""])


def _html(reasons: Sequence[str]) -> str:
    items = [f"<li>{escape(one)}</li>" for one in reasons]
    return page(_TITLE, [f"<h1>{_TITLE}</h1>", "<ul>", *items, "</ul>"])


_FORMS: dict[str, Callable[[Sequence[str]], str]] = {"markdown": _markdown, "html": _html}


def uncompared(form: str, error: InputError) -> str:
    """Return why nothing was compared; empty in the forms that are not published."""
    return _FORMS[form](_reasons(error)) if form in _FORMS else ""
