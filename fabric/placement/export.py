"""Exports: files for schedulers, launchers and containers, made of the fabric and of a placement.

An exporter is a set of parts, each of which writes some files. Nothing is written to disk here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from fabric.core.artefact import Artefact
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.registry import Registry
from fabric.placement.environment import UserValue, environment, keep_users
from fabric.placement.job_host import Environment, job_host
from fabric.placement.nccl_release import newer_release
from fabric.placement.place import place

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from fabric.intent.yaml.file import Document
    from fabric.placement.job_host import Setting
    from fabric.placement.place import Placement
    from fabric.topology.model import Fabric


@dataclass(frozen=True)
class JobWords:
    """How the user calls the job, and what it runs; empty is not said."""

    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Order:
    """What is to be exported, and for which job.

    Parameters
    ----------
    nodes, gpus_per_node : int
        Size of the job; None takes all GPUs of a host.
    excluded : collection of str
        Hosts that take no part.
    nccl_version : str or None
        Release of NCCL in the image; None is what the inventory says.
    users : mapping
        Variables that the user has set; they stay as they are.
    template : Document or None
        Manifest of the user that is filled up.
    served : set of str or None
        Groups and versions that a cluster serves, ``group/version``; None asks no cluster.
    degraded : frozenset of str
        Hosts behind switches or links that are drained or degraded.
    """

    fabric: Fabric
    nodes: int = 1
    gpus_per_node: int | None = None
    excluded: Collection[str] = ()
    nccl_version: str | None = None
    users: Mapping[str, UserValue] = field(default_factory=dict)
    words: JobWords = field(default_factory=JobWords)
    template: Document | None = None
    served: frozenset[str] | None = None
    degraded: frozenset[str] = frozenset()

    @cached_property
    def job_name(self) -> str:
        """Name of the job: that of the user, that of the template, or ``job``."""
        metadata = self.template.data.get("metadata") if self.template else None
        named = metadata.get("name") if isinstance(metadata, dict) else None
        return self.words.name or (named if isinstance(named, str) else "") or "job"

    @cached_property
    def gpus(self) -> int:
        """GPUs of each host that the job uses."""
        return self.gpus_per_node or self.fabric.intent.fabric.host.gpus

    @cached_property
    def placement(self) -> Placement:
        """Hosts and ranks of the job."""
        return place(self.fabric, self.nodes, self.gpus, self.excluded)

    @cached_property
    def environments(self) -> dict[str, Environment]:
        """Our environment of each host of the placement."""
        return {
            host: environment(self.fabric, self.placement, host, self.nccl_version)
            for host in self.placement.hosts
        }

    @cached_property
    def bootstrap(self) -> str:
        """Interface outside of the rails, as the ranks see it."""
        return job_host(self.fabric, self.placement, self.placement.hosts[0]).bootstrap

    def settings(self, host: str) -> tuple[Setting, ...]:
        """Return the settings of a host, with those of the user kept."""
        return keep_users(self.environments[host], self.users)[0]

    @cached_property
    def alike(self) -> bool:
        """Whether all hosts of the placement have the same settings."""
        return len({tuple(env.values.items()) for env in self.environments.values()}) == 1

    @cached_property
    def notes(self) -> tuple[Finding, ...]:
        """What differs between our settings and those of the user, and an unknown release."""
        first = self.environments[self.placement.hosts[0]]
        return (*self._newer(), *keep_users(first, self.users)[1])

    def _newer(self) -> list[Finding]:
        """Return a note for each release of NCCL that is newer than those that are known."""
        traits = map(self.fabric.intent.host_traits, self.placement.hosts)
        used = {self.nccl_version} if self.nccl_version else {one.nccl_version for one in traits}
        return [note for text in sorted(filter(None, used)) if (note := newer_release(text))]

    def common(self, extra: tuple[Setting, ...] = ()) -> tuple[tuple[Setting, ...], list[Finding]]:
        """Return the settings of all hosts, after others, and what the user has otherwise.

        Raises
        ------
        InputError
            When they differ, so that one command line cannot carry them.
        """
        first = self.placement.hosts[0]
        ours = self.environments[first]
        for host, own in self.environments.items():
            if own.values != ours.values:
                names = sorted(
                    name for name, value in ours.values.items() if value != own.values.get(name)
                )
                message = f"{', '.join(names)} of {host} differ from those of {first}"
                fix = "run `rocefab export nccl --out` and install the files on the hosts"
                raise refused("PLC007", message, fix)
        kept, notes = keep_users(Environment(extra + ours.settings, ours.left_out), self.users)
        return kept, [*self._newer(), *notes]


@dataclass(frozen=True)
class Exported:
    """Files of a part, and what the user should know about them."""

    files: tuple[Artefact, ...]
    notes: tuple[Finding, ...] = ()


Part: TypeAlias = "Callable[[Order], Exported]"


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
    """

    parts: Mapping[str, Part]
    standard: tuple[str, ...] = ()
    separator: str | None = None


exporters: Registry[Exporter] = Registry("exporter", "fabric.placement.exporters")


def text_file(form: str, kind: str, path: str, text: str, *, executable: bool = False) -> Artefact:
    """Return a file of an export."""
    return Artefact("", form, kind, path, text.encode(), executable)


def quoted(text: str) -> str:
    """Return a word for a shell, always in quotes: a leading ``=`` means something to zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def refused(rule: str, message: str, fix: str, **place: object) -> InputError:
    """Return the error of an export that cannot be; ``place`` are fields of `Finding`."""
    finding = Finding(rule, Severity.ERROR, message, fix, **place)  # type: ignore[arg-type]
    return InputError("the export cannot be written", [finding])


def export(order: Order, exporter: Exporter, parts: tuple[str, ...]) -> Exported:
    """Return the files of the parts that are wanted.

    Raises
    ------
    InputError
        When there is no such part, or one cannot be written.
    """
    for name in parts:
        if name not in exporter.parts:
            message = f"unknown part {name[:40]!a}; available: {', '.join(exporter.parts)}"
            raise refused("PLC008", message, "select one of them with --what")
    names = parts or exporter.standard or tuple(exporter.parts)
    done = [exporter.parts[name](order) for name in dict.fromkeys(names)]
    notes = dict.fromkeys(note for item in done for note in item.notes)
    return Exported(tuple(file for item in done for file in item.files), tuple(notes))
