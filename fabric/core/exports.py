"""The forms that are exported: for schedulers, launchers and programs that describe networks.

An exporter is a set of parts, each of which writes some files. Nothing is written to disk here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from fabric.core.artefact import Artefact
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Result = TypeVar("Result")


class About(StrEnum):
    """What the parts of an exporter are made of."""

    JOB = "job"  # fabric.placement.export.Order
    FABRIC = "fabric"  # fabric.exchange.plant.Plant
    MONITORING = "monitoring"  # fabric.exchange.plant.Plant
    LAB = "lab"  # fabric.exchange.lab.Lab
    NODES = "nodes"  # fabric.placement.exporters.node_health.NodeHealth
    PARTS = "parts"  # fabric.workflow.exporters.bom.PartsOrder
    ACCOUNT = "account"  # fabric.workflow.exporters.rights.Account
    ANSIBLE = "ansible"  # fabric.workflow.exporters.ansible.AnsibleOrder
    BOOT = "boot"  # fabric.workflow.exporters.ztp.Ztp
    RAILS = "rails"  # fabric.workflow.rails.Rails


@dataclass(frozen=True)
class Exported:
    """Files of a part, and what the user should know about them."""

    files: tuple[Artefact, ...]
    notes: tuple[Finding, ...] = ()


#: Options of a job that choose its hosts, those of its settings, and those of its manifest.
PLACED_OPTIONS = ("--nodes", "--gpus-per-node", "--exclude", "--hosts", "--tenant")
SETTINGS_OPTIONS = (*PLACED_OPTIONS, "--nccl-version", "--class", "--environment")
_MANIFEST = ("--template", "--cluster-versions", "--name", "--image", "--command")
MANIFEST_OPTIONS = (*SETTINGS_OPTIONS, *_MANIFEST)
JOB_OPTIONS = (*MANIFEST_OPTIONS, "--degraded")

Part: TypeAlias = "Callable[[Any], Exported]"


@dataclass(frozen=True)
class Exporter:
    """A form of export.

    Parameters
    ----------
    parts : mapping
        What it can write, by name.
    standard : tuple of str
        Parts that are written when none is named; empty is all.
    separator : str or None
        What stands between files on stdout; None means that only one file can be printed.
    about : About
        What its parts are made of.
    lost : frozenset of str
        Fields of a fabric that do not come back, as `Plant.without` names them.
    title : str
        What it is, as `export list` prints it.
    options : mapping
        Options of the command line that a part uses, for parts that use fewer than all of what
        the exporter is about.
    """

    parts: Mapping[str, Part]
    standard: tuple[str, ...] = ()
    separator: str | None = None
    about: About = About.JOB
    lost: frozenset[str] = frozenset()
    title: str = ""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def written(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return the parts that are written, each once: those that are named, or the usual ones."""
        return tuple(dict.fromkeys(parts or self.standard or self.parts))


exporters: Registry[Exporter] = Registry(
    "exporter",
    "fabric.placement.exporters",
    "fabric.exchange.exporters",
    "fabric.workflow.exporters",
)


def text_file(form: str, kind: str, path: str, text: str, *, executable: bool = False) -> Artefact:
    """Return a file of an export."""
    return Artefact("", form, kind, path, text.encode(), executable)


def refused(rule: str, message: str, fix: str, **place: object) -> InputError:
    """Return the error of an export that cannot be; ``place`` are fields of `Finding`."""
    finding = Finding(rule, Severity.ERROR, message, fix, **place)  # type: ignore[arg-type]
    return InputError("the export cannot be written", [finding])


def export(subject: object, exporter: Exporter, parts: tuple[str, ...] = ()) -> Exported:
    """Return the files of the parts that are wanted.

    Parameters
    ----------
    subject : object
        What the exporter is about.

    Raises
    ------
    InputError
        When there is no such part, or one cannot be written.
    """
    for name in parts:
        if name not in exporter.parts:
            message = f"unknown part {name[:40]!a}; available: {', '.join(exporter.parts)}"
            raise refused("PLC008", message, "select one of them with --what")
    written = [partial(exporter.parts[name], subject) for name in exporter.written(parts)]
    done = together(*written)
    notes = dict.fromkeys(note for item in done for note in item.notes)
    return Exported(tuple(file for item in done for file in item.files), tuple(notes))


def together(*steps: Callable[[], Result]) -> list[Result]:
    """Return the results of all steps; what they miss is said of all of them at once.

    Raises
    ------
    InputError
        With the findings of every step that raises one.
    """
    results: list[Result] = []
    wrong: dict[Finding, None] = {}
    for step in steps:
        try:
            results.append(step())
        except InputError as error:
            if type(error) is not InputError or not error.findings:
                raise
            wrong |= dict.fromkeys(error.findings)
            headline = str(error)
    if wrong:
        raise InputError(headline, tuple(wrong))
    return results


def with_part(name: str) -> list[str]:
    """Return the names of the forms that have a part, such as ``kueue``."""
    return [form for form, exporter in exporters.items() if name in exporter.parts]


def forms(about: About) -> list[str]:
    """Return the names of the forms that are made of something."""
    return [name for name, exporter in exporters.items() if exporter.about is about]
