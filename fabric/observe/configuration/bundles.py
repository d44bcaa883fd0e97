"""Ports that are bundled into one: what the lines of a bundle say holds for its members."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from fabric.observe.configuration.lossless import PortPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

P = TypeVar("P", bound=PortPolicy)


def join(ports: dict[str, P], members: Mapping[str, str]) -> list[tuple[P, P]]:
    """Give members what their bundles say, and take these out of the ports.

    Parameters
    ----------
    ports : dict of str to PortPolicy
        Ports and bundles by name.
    members : mapping of str to str
        Bundle of each member; one without lines of its own says nothing.

    Returns
    -------
    list of pair of PortPolicy
        Each member with its bundle, for what a system has besides.
    """
    pairs = [
        (ports[name], ports[bundle])
        for name, bundle in members.items()
        if name in ports and bundle in ports
    ]
    for port, bundle in pairs:
        port.negotiated = bundle.negotiated if port.pfc_on is None else port.negotiated
        port.add(bundle)
        port.vlans |= bundle.vlans
        port.enabled = port.enabled and bundle.enabled
        port.routed = port.routed if bundle.routed is None else bundle.routed
        port.tagged = port.tagged or bundle.tagged
        if bundle.mtu_bytes and (bundle.mtu_bytes.line or port.mtu_bytes is None):
            port.mtu_bytes = bundle.mtu_bytes
    for _, bundle in pairs:
        ports.pop(bundle.name, None)
    return pairs
