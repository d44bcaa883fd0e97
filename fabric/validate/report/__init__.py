"""Report forms of findings: for people, programs and CI systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.registry import Registry, import_modules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.validate.rule import Rule
    from fabric.validate.runner import Outcome

    Report = Callable[[Outcome, Sequence[Rule]], str]

report_forms: Registry[Report] = Registry("report form")


def reports() -> dict[str, Report]:
    """Return every report form by name."""
    import_modules(__name__, __path__)
    return dict(report_forms.items())
