"""What rules look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from fabric.intent.classes import ONE_CLASS, class_values
from fabric.platforms.catalogue import Skus
from fabric.validate.ends import End, Pair, nic_cables, pairs
from fabric.validate.kinds import LosslessKind, lossless_kinds
from fabric.validate.origins import Place
from fabric.validate.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.designs import Designs
    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.platforms.model import Sku
    from fabric.qos.deadlock import Proof
    from fabric.topology.site import Site

__all__ = ["Configuration", "LosslessKind", "Model", "Place", "World"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A policy field that differs at the two ends of a cable; ``end`` is the one to blame."""

    pair: Pair
    field: str
    here: object
    there: object
    place: Place
    end: End


class Configuration(Protocol):
    """A configuration of one switch, as its system reads it."""

    @property
    def device(self) -> str:
        """Switch name, or the file that it was read from."""

    @property
    def is_rendered(self) -> bool:
        """Whether it comes of an inventory."""

    def place(self, *path: str) -> Place | None:
        """Return where a part of it stands, where it is a file."""


class SchemaJudge(Protocol):
    """Validates a configuration by the schema of its release."""

    def answer(self, config: Mapping[str, Any]) -> Any:
        """Return what the schema says of it."""


@dataclass(frozen=True)
class Model(Places):
    """The stages of one inventory, from intent to design, and the fabrics beside it."""

    devices: Mapping[str, DeviceDesign]
    hosts: Mapping[str, HostDesign]
    site: Site | None = None

    @property
    def one_spine_asn(self) -> str:
        """What to do where spines have AS numbers that let traffic turn up again at a leaf."""
        if (self.fabric.switches.pod >= 0).any():
            return "use one AS number for the spines of each pod, and one for the super-spines"
        return f"set AS {self.intent.fabric.bgp.spine_asn} on all spines"

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Every distinct pair of policies that meet on a cable."""
        return pairs(self.fabric, self.resolver)

    @cached_property
    def nic_cables(self) -> tuple[tuple[int, int], ...]:
        """Row of ``fabric.nics`` of every distinct kind of NIC cable, and how many there are."""
        return tuple(nic_cables(self.fabric, self.resolver))

    @cached_property
    def proof(self) -> Proof:
        """Whether lossless traffic can wait for itself, now and after each single failure."""
        from fabric.qos.deadlock import prove

        return prove(self.fabric, self.resolver)

    def blamed(self, policy_field: str, *ends: End) -> tuple[Place, End]:
        """Return the end with the most specific origin of a policy field, and that origin."""
        listed = policy_field in ONE_CLASS and any(end.policy.classes for end in ends)
        name = "classes" if listed else policy_field
        places = [(self.policy_place(name, end.device, end.port), end) for end in ends]
        return max(places, key=lambda item: item[0].specific)

    def mismatches(self, *fields: str) -> Iterator[Mismatch]:
        """Yield every policy field that differs between the two ends of some cable."""
        for pair in self.pairs:
            for name in fields if pair.left.policy is not pair.right.policy else ():
                left, right = (class_values(end.policy, name) for end in (pair.left, pair.right))
                if left != right:
                    place, end = self.blamed(name, pair.left, pair.right)
                    current, other = (left, right) if end is pair.left else (right, left)
                    yield Mismatch(pair, name, current, other, place, end)

    @cached_property
    def lossless_kinds(self) -> tuple[LosslessKind, ...]:
        """Every distinct lossless buffer of host ports and of uplinks, by their first port."""
        return lossless_kinds(self.fabric, self.devices)

    def host_ends(self) -> tuple[End, ...]:
        """Return one host for every distinct policy of hosts."""
        return tuple({id(p.left.policy): p.left for p in self.pairs if p.kind == "host"}.values())


def model_of(designs: Designs) -> Model:
    """Return the stages of an inventory in the form that rules read."""
    stages = (designs.intent, designs.fabric, designs.resolver, designs.devices, designs.hosts)
    return Model(*stages, designs.site)


@dataclass(frozen=True)
class World:
    """What there is to judge: a whole model, single configurations, or both.

    Parameters
    ----------
    model : Model or None
        The stages of an inventory.
    configurations : tuple of Configuration
        Rendered here, or read from a file or a switch.
    skus : mapping
        Switch models by name; those of the catalogue, and of the inventory where there is one.
    yang : SchemaJudge or None
        Models that the configurations are validated by.
    row_by_row : bool
        Whether each row keeps its own finding, where else those that differ in the port alone are
        one.
    """

    model: Model | None = None
    configurations: tuple[Configuration, ...] = ()
    skus: Mapping[str, Sku] = field(default_factory=Skus)
    yang: SchemaJudge | None = None
    row_by_row: bool = False
