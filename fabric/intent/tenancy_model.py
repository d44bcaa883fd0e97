"""Tenants: customers that share the fabric and must not reach each other."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fabric.intent.policy import Model
from fabric.intent.scalars import Loose, Name, Names, Network, formed

#: A type 1 route distinguisher has 16 bits for it (RFC 4364 section 4.2).
TenantId = Annotated[int, Field(ge=1, le=65_535)]
TENANT_NAME = r"^[a-z]([a-z0-9-]{0,13}[a-z0-9])?$"
TENANT_FORM = "1 to 15 lower-case letters, digits and hyphens, starting with a letter"
#: Linux takes 15 characters as a name of an interface, and systems show tenants in their place.
TenantName = Annotated[
    str,
    formed(TENANT_NAME, TENANT_FORM),
]
Rail = Annotated[int, Field(ge=0, le=63)]
#: Form of tenants whose traffic stays on its leaf.
LOCAL = "local"


class Tenancy(Model):
    """How the fabric keeps its tenants apart."""

    form: Literal["evpn", "local"] = Field(
        description="evpn: a VRF and VNI for each tenant, over the spines by EVPN type 5 routes; "
        "local: a VRF on each leaf, whose traffic stays on that leaf."
    )
    unassigned: Literal["keep", "quarantine"] = Field(
        "keep",
        description="NICs without a tenant. keep: they stay in the default VRF; quarantine: their "
        "ports are shut down.",
    )
    vni_first: int = Field(
        50_000,
        ge=1,
        le=16_700_000,
        description="VNI of a tenant = this + its id.",
    )
    target_asn: int = Field(
        65_000, ge=1, le=65_535, description="Route target of a tenant = this:VNI."
    )
    vlan_first: int = Field(
        3000,
        ge=2,
        le=4093,
        description="VLAN behind the VNI of a tenant = this + its id, on systems that need one.",
    )
    vteps: Network | None = Field(
        None,
        description="Pool of tunnel end points, in the places of the loopbacks, for systems that "
        "have tunnels on a second loopback; default: the loopbacks.",
    )
    retired: Annotated[tuple[TenantId, ...], Loose] = Field(
        (),
        description="Ids of removed tenants, which no new tenant takes before "
        "`rocefab tenant release-id`.",
    )


class Tenant(Model):
    """A customer: the hosts or single NICs that it has, and what they reach."""

    name: TenantName = Field(description="Name of the tenant.")
    id: TenantId = Field(description="Number of the tenant, from which VRF and VNI follow.")
    hosts: Names | None = Field(
        None, description="Hosts that it has with all their NICs, as a range."
    )
    nics: dict[Name, Annotated[tuple[Rail, ...], Loose]] = Field(
        {}, description="NICs that it has of other hosts: host name, and rails from 0."
    )
    pools: Annotated[tuple[Network, ...], Loose] = Field(
        (),
        max_length=2,
        description="Pools of its NICs, in the order and of the length of those of the fabric, "
        "which are the default.",
    )
    services: Annotated[tuple[TenantName, ...], Loose] = Field(
        (), description="Tenants with shared: true that it reaches, and that reach it."
    )
    shared: bool = Field(
        False,  # noqa: FBT003
        description="Whether it is a service that other tenants may reach.",
    )


class TenantsFile(Model):
    """``tenants/*.yaml``."""

    tenants: Annotated[tuple[Tenant, ...], Loose] = Field(
        min_length=1, description="Tenants; a name and an id stand once in all files."
    )
