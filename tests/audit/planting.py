"""Faults planted in configuration texts by pattern and replacement, and the rule that fires."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from fabric.core.findings import Finding
from fabric.workflow.audit import audit


def findings(folder: Path, text: str) -> tuple[Finding, ...]:
    """Return what the audit says of a text."""
    file = folder / "switch.cfg"
    file.write_text(text, encoding="utf-8")
    return audit([file]).outcome.findings


def rules_of(folder: Path, text: str) -> set[str]:
    """Return the rules that speak about a text."""
    return {finding.rule for finding in findings(folder, text)}


def expect(
    folder: Path, clean: str, fault: tuple[str, str, str], *, one_place: bool = False
) -> None:
    """Plant a fault wherever its pattern matches, or in one place, and see its rule fire."""
    pattern, replacement, rule = fault
    wrong = re.sub(pattern, replacement, clean, count=int(one_place), flags=re.MULTILINE)
    assert wrong != clean
    every = findings(folder, wrong)
    fired = [finding for finding in every if finding.rule == rule]
    assert fired, every
    assert fired[0].position
    assert fired[0].position.line <= wrong.count("\n")


def fabric_findings(folder: Path, texts: Mapping[str, str], suffix: str) -> tuple[Finding, ...]:
    """Return what the audit says of all switches of a fabric, by their texts."""
    for name, text in texts.items():
        (folder / f"{name}{suffix}").write_text(text, encoding="utf-8")
    return audit([folder]).outcome.findings
