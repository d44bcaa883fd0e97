"""Where the inventory says what a proof found broken in a file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from fabric.prove.batfish.forms import snapshot_writers
from fabric.prove.rules import PROOF_RULES, TENANT_RULES
from fabric.render.explain import placed_lines
from fabric.report.explain import answer_line
from fabric.validate.world import Place
from fabric.workflow.configurations import texts_of

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.core.artefact import Artefact
    from fabric.core.findings import Finding
    from fabric.observe.configuration import Configured
    from fabric.prove.breach import Breach
    from fabric.render.explain import PlacedLine
    from fabric.workflow.project import Project

_BGP_RULES = ("BAT003", "BAT004", "BAT010", "BAT011", "BAT012", "BAT013", "BAT018")


class Places:
    """Finds the inventory value that a breach comes from.

    Parameters
    ----------
    files : dict of str to Configured
        What the file of each switch says.
    folder : Path, optional
        Where the files are; default: what is rendered.
    """

    def __init__(
        self, project: Project, files: dict[str, Configured], folder: Path | None = None
    ) -> None:
        self._project = project
        self._folder = folder
        self._kinds = {name: configured.file for name, configured in files.items()}
        for name, design in project.devices.items():
            if name not in files and design.platform in snapshot_writers:
                self._kinds[name] = snapshot_writers[design.platform].kind
        self._lines = cache(self._lines_of)

    def finding(self, breach: Breach) -> Finding:
        """Return a breach as a finding, with the line of the file and of the inventory."""
        rule = PROOF_RULES[breach.rule]
        where = f"{self._artefact(breach.device).path}:{breach.line}: " if breach.line else ""
        return rule.finding(
            f"{where}{breach.message}",
            rule.fix,
            place=self._explained(breach) or self._place(breach),
            device=breach.device,
            port=breach.port,
            severity=breach.severity,
        )

    def _artefact(self, device: str) -> Artefact:
        kind = self._kinds[device]
        return next(item for item in self._project.switch_artefacts[device] if item.kind == kind)

    def _lines_of(self, device: str) -> dict[int, PlacedLine]:
        """Return the lines of the file of a switch by their number."""
        artefact = self._artefact(device)
        if self._folder:
            text = texts_of(self._project, device, self._folder)[artefact.kind]
            artefact = replace(artefact, content=text.encode())
        return {line.number: line for line in placed_lines([artefact])}

    def _explained(self, breach: Breach) -> Place | None:
        """Return the inventory value that the line of a breach is rendered from.

        The line that begins a port is rendered from the switch model: that says nothing.
        """
        has_line = breach.line and breach.rule != "BAT009"
        line = self._lines(breach.device).get(breach.line) if has_line else None
        if line is None:
            return None
        answer = answer_line(self._project, breach.device, line, line.text.strip())
        values = answer.values if answer else ()
        written = [item for item in values if item.position and not item.field.endswith("sku")]
        return Place(written[0].field, written[0].position) if written else None

    def _place(self, breach: Breach) -> Place:
        model = self._project.model
        if not breach.device:
            return model.place("name")
        if breach.rule == "BAT009":
            return model.policy_place("mtu.port_bytes", breach.device, breach.port)
        if breach.rule in _BGP_RULES:
            return model.place("bgp")
        if breach.rule in TENANT_RULES:
            return model.place("tenancy")
        row = self._project.fabric.switch_row.get(breach.device)
        unit = int(self._project.fabric.switches.unit[row]) if row is not None else -1
        return model.place("units", unit) if unit >= 0 else model.place("spines")
