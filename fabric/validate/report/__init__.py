"""Report forms of findings: for people, programs and CI systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.validate.reported import Reported

    Report = Callable[[Reported], str]

report_forms: Registry[Report] = Registry("report form", __name__)


def reports() -> dict[str, Report]:
    """Return every report form by name."""
    return dict(report_forms.items())


def report_in(form: str) -> Report:
    """Return a report form; raise InputError, which names all forms, for another name."""
    forms = reports()
    if form not in forms:
        raise InputError(f"unknown report form {form!r}; known forms: {', '.join(sorted(forms))}")
    return forms[form]
