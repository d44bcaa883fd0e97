"""draw: a picture of the network as SVG, PNG or a page, with the state of its cables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_json, wrong
from fabric.report.picture_details import details
from fabric.topology.cabling import HARMLESS, CableVerdict
from fabric.topology.clos import clos
from fabric.topology.drawing import cable_states
from fabric.topology.drawing_layout import picture

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from fabric.design.designs import Designs
    from fabric.design.port_model import PortDesign
    from fabric.topology.cabling import End, Judged
    from fabric.topology.drawing import CableStates, Picture


#: Verdicts on cables without a link.
_NO_LINK = frozenset({CableVerdict.MISSING, CableVerdict.SHUT})
SUFFIXES = (".svg", ".png", ".html")


@dataclass
class Marks:
    """Ends of cables that are wrong or missing, or that fail a rule of the lossless path.

    Parameters
    ----------
    read : set of End
        Ends of cables that are known to be right, wrong or missing.
    is_checked : bool
        Whether the rules of the lossless path were run.
    """

    wrong: set[End] = field(default_factory=set)
    missing: set[End] = field(default_factory=set)
    failing: set[End] = field(default_factory=set)
    read: set[End] = field(default_factory=set)
    is_checked: bool = False

    def add_findings(self, ends: set[End]) -> None:
        """Take in the ports that fail a rule, after the rules were run."""
        self.failing |= ends
        self.is_checked = True

    def add_cabling(self, judged: Iterable[tuple[End, End, CableVerdict]]) -> None:
        """Take in the verdicts on cables; what nobody planned has no line of its own."""
        for near, far, verdict in judged:
            if verdict not in (CableVerdict.UNKNOWN, CableVerdict.QUARANTINE):
                self.read |= {near, far}
            if verdict not in {*HARMLESS, CableVerdict.UNEXPECTED}:
                ends = self.missing if verdict in _NO_LINK else self.wrong
                ends |= {near, far}


def draw(designs: Designs, file: Path, marks: Marks) -> Picture:
    """Write a picture of the network; the suffix of the file says which kind.

    Raises
    ------
    InputError
        When the suffix is another one, matplotlib is missing, or the file cannot be written.
    """
    if file.suffix not in SUFFIXES:
        raise InputError(f"{file}: unsupported format; use one of {', '.join(SUFFIXES)}")
    network = clos(designs.fabric)
    states = cable_states(
        designs.fabric,
        network,
        wrong=marks.wrong,
        missing=marks.missing,
        failing=marks.failing,
        read=marks.read,
        is_checked=marks.is_checked,
    )
    drawn = picture(designs.fabric, network, states)
    content = _written(file.suffix, drawn, designs, states)
    try:
        write_whole(file, content)
    except OSError as error:
        raise InputError(f"{file}: {(error.strerror or str(error)).lower()}") from error
    return drawn


def _written(suffix: str, drawn: Picture, designs: Designs, states: CableStates) -> bytes:
    if suffix == ".png":
        from fabric.render.picture_png import png

        try:
            return png(drawn)
        except ImportError as error:
            message = "PNG needs matplotlib; install it with: pip install 'rocefab[plots]'"
            raise InputError(message) from error
    if suffix == ".svg":
        from fabric.render.picture_svg import svg

        return svg(drawn).encode()
    from fabric.render.picture_page import page

    return page(drawn, details(designs, states)).encode()


def failing_ends(designs: Designs, fail_on: Severity = Severity.ERROR) -> set[End]:
    """Return the switch ports that a rule of the lossless path (QOS...) speaks of.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    fail_on : Severity
        Findings of this severity, or worse.

    Notes
    -----
    A rule names one port of those that are alike: all ports with the same settings and the same
    buffer are taken with it. A finding on a device alone is one on all its ports.
    """
    from fabric.validate.runner import each_finding
    from fabric.validate.world import World, model_of

    ends: set[End] = set()
    for finding in each_finding(World(model_of(designs))):
        if finding.rule.startswith("QOS") and finding.severity >= fail_on:
            ends |= _ends(designs, finding)
    return ends


def _ends(designs: Designs, finding: Finding) -> set[End]:
    if finding.device in designs.hosts:
        nics = designs.hosts[finding.device].nics
        return {(nic.leaf, nic.leaf_port) for nic in nics if finding.port in {"", nic.interface}}
    device = designs.devices.get(finding.device)
    ports = device.ports if device else ()
    kinds = {_kind(port) for port in ports if port.name == finding.port}
    if not kinds:
        return {(finding.device, port.name) for port in ports}
    return {
        (name, port.name)
        for name, other in designs.devices.items()
        for port in other.ports
        if _kind(port) in kinds
    }


def _kind(port: PortDesign) -> tuple[object, ...]:
    return port.kind, port.qos, id(port.headroom)


def judged_ends(judged: Iterable[Judged]) -> list[tuple[End, End, CableVerdict]]:
    """Return the planned ends of cables with their verdicts."""
    return [(item.near, item.far, item.verdict) for item in judged]


def read_cabling(file: Path) -> list[tuple[End, End, CableVerdict]]:
    """Return the verdicts of a file that ``rocefab cabling --format json`` wrote.

    Raises
    ------
    FileError
        When the file cannot be read, or is something else.
    """
    data = read_json(file, FileKind.CABLING_REPORT)
    try:
        return [
            (_end(item["near"]), _end(item["far"]), CableVerdict(item["verdict"]))
            for item in data["cables"]
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"not a cabling report: {error}"
        raise wrong(file, FileKind.CABLING_REPORT, reason, 1) from error


def _end(text: str) -> End:
    device, _, port = text.partition(" ")
    return device, port
