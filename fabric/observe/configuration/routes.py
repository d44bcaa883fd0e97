"""Routes of one family in lines of BGP: fields about IPv6 end with 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from fabric.observe.configuration.blocks import network
from fabric.observe.configuration.model import (
    Aggregate,
    Bgp,
    BgpTemplate,
    Configured,
    Origination,
)


class Process(Bgp):
    """The BGP process, and the switch whose VRFs it has too."""

    __slots__ = ("switch",)

    switch: Configured


OwnerT = TypeVar("OwnerT", Bgp, BgpTemplate)


@dataclass(frozen=True, slots=True)
class Routes(Generic[OwnerT]):
    """Routes of a family, of the process or of a session: the target of lines about them."""

    of: OwnerT
    is_ipv6: bool

    def set(self, name: str, value: object) -> None:
        """Set a field that each family has."""
        setattr(self.of, f"{name}6" if self.is_ipv6 else name, value)


def of_process(bgp: Bgp, _: int, family: str) -> Routes[Bgp]:
    """Return the routes that a process has of a family, ``ipv4`` or ``ipv6``."""
    return Routes(bgp, family == "ipv6")


def originate(
    routes: Routes[Bgp],
    line: int,
    prefix: str,
    mask: str | None = None,
    policy: str | None = None,
) -> None:
    """Add a network that is announced."""
    announced = network(prefix, mask)
    routes.of.originations.append(Origination(announced, policy or "", line, routes.is_ipv6))


def redistribute(routes: Routes[Bgp], line: int, policy: str | None = None) -> None:
    """Announce all connected networks."""
    routes.of.originations.append(Origination(None, policy or "", line, routes.is_ipv6))


def summarise(
    routes: Routes[Bgp], line: int, prefix: str, mask: str | None = None, only: str | None = None
) -> None:
    """Add a prefix that is announced for longer ones; with ``only``, in place of them."""
    summary = network(prefix, mask)
    routes.of.aggregates.append(Aggregate(*summary, line, bool(only), routes.is_ipv6))


def set_policy(routes: Routes[BgpTemplate], _: int, policy: str, way: str) -> None:
    """Set the policy of a session, ``in`` or ``out``."""
    routes.set(f"policy_{way}", policy)


def max_paths(routes: Routes[Bgp], _: int, paths: str) -> None:
    """Set how many equal paths are used."""
    routes.set("max_paths", int(paths))
