"""init --tenants: customers that share the hosts of a new fabric."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.intent.tenancy_model import LOCAL
from fabric.platforms import platforms
from fabric.platforms.features import is_rendered

if TYPE_CHECKING:
    from fabric.platforms.model import Sku
    from fabric.topology.sizing import Need

#: What carries a tenant over the spines, of a leaf and of a spine.
_OF_LEAVES, _OF_SPINES = ("tenant_evpn", "vxlan_routing", "tunnel_qos"), ("tenant_evpn",)


def form_of(leaf: Sku, spine: Sku) -> str:
    """Return how switches keep tenants apart: EVPN over the spines where they can, else local."""
    can = [is_rendered(name, leaf) for name in _OF_LEAVES]
    can += [is_rendered(name, spine) for name in _OF_SPINES]
    sessions = {platforms[model.nos].evpn_sessions for model in (leaf, spine)}
    return "evpn" if all(can) and len(sessions) == 1 else LOCAL


def tenants_line(count: int, leaf: Sku, spine: Sku) -> tuple[str, ...]:
    """Return the line of the tenants; none where there are none."""
    if not count:
        return ()
    form = form_of(leaf, spine)
    line = f"{counted(count, 'tenant')}, form {form}"
    if form == LOCAL:
        names = " and ".join(dict.fromkeys((leaf.name, spine.name)))
        line += f": no traffic of a tenant between leaves, because {names} cannot carry it"
    return (f"{line}.",)


def tenants_section(count: int, hosts: int, width: int, form: str, vteps: str) -> str:
    """Return the sections of tenants with as many hosts each; empty without tenants.

    Parameters
    ----------
    width : int
        Digits of the number of a host.
    vteps : str
        Pool of tunnel end points; empty: the loopbacks.
    """
    if not count:
        return ""
    own = f", vteps: {vteps}" if vteps else ""
    ends = (number * hosts // count for number in range(count + 1))
    lines = "".join(
        f'  - {{name: tenant{number}, id: {number}, hosts: "{host_range(low + 1, high, width)}"}}\n'
        for number, (low, high) in enumerate(pairwise(ends), start=1)
    )
    return (
        "\n# A VRF for each tenant. NICs that no tenant has are shut down: give new hosts to one.\n"
        f"tenancy: {{form: {form}{own}, unassigned: quarantine}}\ntenants:\n{lines}"
    )


def host_range(first: int, last: int, width: int) -> str:
    """Return the names of some hosts that follow each other."""
    numbers = f"[{first:0{width}}-{last:0{width}}]" if first < last else f"{last:0{width}}"
    return f"gpu{numbers}"


def routed_addresses(need: Need, leaves: int, ports: int) -> int:
    """Return the addresses of a pool of routed NIC ports, as the fabric cuts it.

    Parameters
    ----------
    leaves : int
        Leaves of a rail in a plane.
    ports : int
        NICs of a rail that a leaf has ports for.
    """
    rails = 1 << (need.rails - 1).bit_length()
    of_rail = leaves << (ports - 1).bit_length() + 1
    return need.planes * rails << (of_rail - 1).bit_length()
