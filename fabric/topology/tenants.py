"""The tenants of a fabric, and the tenant of each NIC port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.intent.tenancy_model import LOCAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.intent.inventory import Located
    from fabric.intent.tenancy_model import Tenancy, Tenant

#: Row in ``Tenants`` of a NIC without a tenant.
UNASSIGNED = -1
#: The same of a NIC in quarantine, where the two are told apart.
QUARANTINED = -2


@dataclass(frozen=True, eq=False)
class Tenants:
    """The tenants of a fabric in the order of the inventory, and the tenant of each NIC port.

    Parameters
    ----------
    items : tuple of Located
        What the inventory says of each tenant.
    tenancy : Tenancy
        How they are kept apart.
    of_nic : array of int, shape (NIC ports,)
        Row in ``items``; ``UNASSIGNED`` for a NIC without a tenant.
    """

    items: tuple[Located[Tenant], ...]
    tenancy: Tenancy
    of_nic: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the tenants."""
        return tuple(one.value.name for one in self.items)

    @property
    def is_local(self) -> bool:
        """Whether the traffic of tenants stays on its leaf."""
        return self.tenancy.form == LOCAL

    @cached_property
    def quarantined(self) -> NDArray[np.bool_]:
        """Whether each NIC port is in quarantine: of no tenant, and shut down."""
        alone: NDArray[np.bool_] = self.of_nic == UNASSIGNED
        return alone & (self.tenancy.unassigned == "quarantine")

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """Row of the tenant of each NIC port; ``UNASSIGNED``, or ``QUARANTINED``."""
        return np.where(self.quarantined, QUARANTINED, self.of_nic)

    def reached(self, leaves: NDArray[np.int64], nic: int) -> NDArray[np.bool_]:
        """Return which NIC ports a NIC port reaches in its tenant.

        Parameters
        ----------
        leaves : array of int, shape (NIC ports,)
            Leaf of each.
        """
        same: NDArray[np.bool_] = self.of_nic == self.of_nic[nic]
        return same & (leaves == leaves[nic]) if self.is_local else same

    def groups(self, nics: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the rows of some NIC ports by their tenant, without those of no tenant."""
        return [nics[self.of_nic[nics] == row] for row in range(len(self))]

    def row(self, name: str) -> int | None:
        """Return the row of a tenant by its name; None where there is none."""
        return self.names.index(name) if name in self.names else None

    def name_of(self, nic: int) -> str:
        """Return the tenant of the NIC in a row of ``fabric.nics``; empty without one."""
        row = int(self.of_nic[nic])
        return "" if row == UNASSIGNED else self.items[row].value.name

    def devices(self, row: int, device_of_nic: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of the hosts, or leaves, of which a tenant has a NIC port, or several.

        Parameters
        ----------
        row : int
            Row of the tenant; ``UNASSIGNED`` for NICs without one.
        device_of_nic : array of int, shape (NIC ports,)
            Row of the host, or leaf, of each.
        """
        return np.unique(device_of_nic[self.of_nic == row])

    def partners(self, row: int) -> tuple[int, ...]:
        """Return the rows of the tenants that a tenant reaches by a service, as either end."""
        return self._partners[row]

    @cached_property
    def _partners(self) -> tuple[tuple[int, ...], ...]:
        by_name = {name: row for row, name in enumerate(self.names)}
        partners: list[set[int]] = [set() for _ in self.items]
        for row, item in enumerate(self.items):
            for other in {by_name[name] for name in item.value.services if name in by_name}:
                partners[row].add(other)
                partners[other].add(row)
        return tuple(tuple(sorted(rows)) for rows in partners)


def vni_of(tenancy: Tenancy, tenant: Tenant) -> int:
    """Return the VNI of a tenant."""
    return tenancy.vni_first + tenant.id


def route_target(tenancy: Tenancy, tenant: Tenant) -> str:
    """Return the route target of a tenant."""
    return f"{tenancy.target_asn}:{vni_of(tenancy, tenant)}"


def vrf_name(tenant: Tenant) -> str:
    """Return the VRF of a tenant: SONiC demands that it begins with Vrf."""
    return f"Vrf{tenant.id}"
