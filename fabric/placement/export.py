"""What exports for schedulers, launchers and containers are made of: the fabric and a placement."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core.exports import refused
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.environment import environment, keep_users
from fabric.placement.job_host import DEFAULT_IMAGE, Environment, JobImage, UserValue, job_host
from fabric.placement.nccl_release import newer_release
from fabric.placement.place import placed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.core.findings import Finding
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
    hosts : tuple of str
        Rank exactly these hosts; empty chooses them.
    tenant : str
        Tenant whose hosts the job uses; empty for hosts without a tenant.
    job : JobImage
        What the job brings.
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
    hosts: tuple[str, ...] = ()
    tenant: str = ""
    job: JobImage = DEFAULT_IMAGE
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
        nodes, excluded = len(self.hosts) or self.nodes, tuple(self.excluded)
        query = Query(nodes, self.gpus, hosts=self.hosts, exclude=excluded, tenant=self.tenant)
        return placed(Engine(self.fabric), query)

    @cached_property
    def environments(self) -> dict[str, Environment]:
        """Our environment of each host of the placement."""
        return {
            host: environment(self.fabric, self.placement, host, self.job)
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
        own = self.job.nccl_version
        used = {own} if own else {one.nccl_version for one in traits}
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
        every = replace(ours, settings=extra + ours.settings)
        kept, notes = keep_users(every, self.users)
        return kept, [*self._newer(), *notes]
