"""Report forms of findings: for people, programs and CI systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.validate.reported import Reported

    Report = Callable[[Reported], str]

report_forms: Registry[Report] = Registry("report form", __name__)


def reports() -> dict[str, Report]:
    """Return every report form by name."""
    return dict(report_forms.items())
