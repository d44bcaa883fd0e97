"""Free texts in a configuration of NX-OS: banners, and jobs of the scheduler.

A banner runs from one delimiter to the next. A job is a text up to ``end-job`` that is not indented
(ciscoconfparse test of NX-OS blank lines, captured on a device).
"""

from __future__ import annotations

from fabric.observe.configuration.texts import header_ends

JOB = "scheduler job name "


def text_ends(line: str) -> tuple[str, ...]:
    """Return the patterns of the lines that end the texts behind a line."""
    return (r"^\s*end-job\s*$",) if line.strip().startswith(JOB) else header_ends(line)
