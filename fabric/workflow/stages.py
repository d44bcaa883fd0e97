"""Stages that are made device by device: functions of one input, and the form of what they make.

They stand here, so that a process that works for another finds them; what they need is imported
when something is made, not when everything is kept.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign, HostDesign
    from fabric.platforms.model import Sku
    from fabric.validate.runner import Outcome


def rendered_switch(design: DeviceDesign) -> list[Artefact]:
    """Return the files of a switch."""
    from fabric.render import render_device

    return render_device(design)


def rendered_host(design: HostDesign) -> list[Artefact]:
    """Return the files of a host."""
    from fabric.systems.host.render import render_host

    return render_host(design)


def _files_to_bytes(files: list[Artefact]) -> bytes:
    rows = [[f.device, f.platform, f.kind, f.path, f.text, f.executable] for f in files]
    return json.dumps(rows).encode()


def _files_from_bytes(content: bytes) -> list[Artefact]:
    return [
        Artefact(device, platform, kind, path, text.encode(), executable)
        for device, platform, kind, path, text, executable in json.loads(content)
    ]


ARTEFACTS = (_files_to_bytes, _files_from_bytes)


def judged_config(config: tuple[str, bytes, Sku]) -> Outcome:
    """Return what the rules say of a CONFIG_DB, given with the name and model of its switch."""
    from fabric.validate.runner import run
    from fabric.validate.world import World

    device, content, model = config
    tables = {device: json.loads(content)}
    return run(World(sonic=tables, skus={model.name: model}, is_rendered=True))


def _outcome_to_bytes(outcome: Outcome) -> bytes | None:
    """Return bytes to keep; a rule that failed itself may do better next time."""
    if outcome.broken or any(finding.position for finding in outcome.findings):
        return None
    rows = [
        [f.rule, int(f.severity), f.message, f.fix, f.field, f.device, f.port]
        for f in outcome.findings
    ]
    return json.dumps([rows, outcome.checked, outcome.skipped]).encode()


def _outcome_from_bytes(content: bytes) -> Outcome:
    from fabric.validate.runner import Outcome

    rows, checked, skipped = json.loads(content)
    findings = tuple(
        Finding(rule, Severity(severity), message, fix, field, None, device, port)
        for rule, severity, message, fix, field, device, port in rows
    )
    return Outcome(findings, tuple(checked), tuple(skipped), ())


OUTCOMES = (_outcome_to_bytes, _outcome_from_bytes)
