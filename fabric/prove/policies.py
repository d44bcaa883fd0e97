"""What the routing policies of the files let through, for all prefixes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.observe.configuration.model import BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.observe.configuration import Configured, PolicyTerm, PrefixMatch
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Prefixes, ascending; a row is the identity of one.

    Parameters
    ----------
    network : array of int, shape (n,)
        First address; of objects for IPv6.
    length : array of int, shape (n,)
        Prefix length.
    bits : int
        Bits of an address.
    """

    network: Ints
    length: Ints
    bits: int = BITS

    def __len__(self) -> int:
        return len(self.network)

    def matching(self, entry: PrefixMatch) -> Bools:
        """Return which prefixes an entry of a prefix list is about, shape (n,)."""
        shift = self.bits - entry.prefix_length
        inside = np.asarray(self.network >> shift == entry.network >> shift, dtype=np.bool_)
        fitting: Bools = inside & (self.length >= entry.low) & (self.length <= entry.high)
        return fitting


def permitted(switch: Configured, policy: str | None, prefixes: Prefixes, source: str) -> Bools:
    """Return which prefixes a policy of a switch permits, shape (n,).

    Parameters
    ----------
    policy : str or None
        Its name; without one, and where it does not exist, everything is permitted (the latter
        is a finding).
    source : str
        ``connected``, ``aggregate`` or ``bgp``: where the routes come from.
    """
    everything = np.ones(len(prefixes), dtype=np.bool_)
    if not policy or policy not in switch.policies:
        return everything
    open_, result = everything.copy(), ~everything
    for term in switch.policies[policy]:
        if term.source not in ("", source):
            continue
        hit = open_ & _matches(switch, term, prefixes)
        result |= hit & term.permit
        open_ &= ~hit
    return result


def _matches(switch: Configured, term: PolicyTerm, prefixes: Prefixes) -> Bools:
    """Return which prefixes a term is about; a prefix list that does not exist matches nothing."""
    if not term.prefix_lists and not term.prefixes:
        return np.ones(len(prefixes), dtype=np.bool_)
    hit = _list_permits(term.prefixes, prefixes)
    for name in term.prefix_lists:
        hit |= _list_permits(switch.prefix_lists.get(name, ()), prefixes)
    return hit


def _list_permits(entries: Sequence[PrefixMatch], prefixes: Prefixes) -> Bools:
    open_ = np.ones(len(prefixes), dtype=np.bool_)
    result = ~open_
    for entry in entries:
        hit = open_ & prefixes.matching(entry)
        result |= hit & entry.permit
        open_ &= ~hit
    return result


def undefined(switch: Configured) -> list[tuple[int, str]]:
    """Return line and words of each policy and prefix list that is used and does not exist."""
    bgp, missing = switch.bgp, []
    uses = [(item.line, item.policy) for item in bgp.originations] if bgp else []
    for peer in bgp.peers.values() if bgp else ():
        names = (
            *(peer.policy_in, peer.policy_out, peer.policy_in6, peer.policy_out6),
            *(peer.policy_in_evpn, peer.policy_out_evpn),
        )
        uses += [(peer.line, name) for name in names if name]
    for line, name in uses:
        if name and name not in switch.policies:
            missing.append((line, f"routing policy {name}"))
    for terms in switch.policies.values():
        for term in terms:
            missing += [
                (term.line, f"prefix list {name}")
                for names, known in (
                    (term.prefix_lists, switch.prefix_lists),
                    (term.prefix_lists6, switch.prefix_lists6),
                )
                for name in names
                if name not in known
            ]
    return missing
