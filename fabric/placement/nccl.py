"""NCCL settings for a placement, each with its reason, and what is left out and why.

Names, defaults and grammar: NVIDIA/nccl, tags v2.12.7-1 to v2.30.7-1 (``src/transport/net_ib.cc``,
``src/graph/topo.cc``), environment page of the NCCL user guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.placement.gids import fixed_index
from fabric.placement.job_host import Environment, LeftOut, Setting
from fabric.placement.nccl_release import REASONS, UNKNOWN, Reads
from fabric.topology.routed import no_prefix, rail_length

if TYPE_CHECKING:
    from fabric.placement.job_host import JobHost
    from fabric.topology.model import Fabric

#: 4.096 us * 2^22 = 17 s (NVIDIA NCCL documentation, NCCL_IB_TIMEOUT; default 20). Our choice:
#: rides out a routing change on a large fabric.
TIMEOUT = 22
#: Where ``rocefab export nccltopo`` is to be put on a virtual machine.
TOPOLOGY_FILE = "/etc/rocefab/nccl-topo.xml"


def nccl_environment(job: JobHost) -> Environment:
    """Return the NCCL settings of the ranks on one host, and what is left out."""
    settings = [*_bootstrap(job)]
    if job.traits.nic.link_layer in {"roce", "infiniband"}:
        settings += [*_devices(job), *_connections(job)]
    if job.roce:
        settings += [*_gid(job), *_class(job), *_subnets(job)]
    settings += [*_rings(job), *_topology(job)]
    names = {item.name for item in settings}
    absent = {**REASONS, **_own_reasons(job)}
    return Environment(
        tuple(settings),
        tuple(LeftOut(name, reason) for name, reason in absent.items() if name not in names),
    )


def _bootstrap(job: JobHost) -> list[Setting]:
    reason = "bootstrap uses the management network; the equals sign matches the full name"
    return [Setting("NCCL_SOCKET_IFNAME", f"={job.bootstrap}", reason)]


def _devices(job: JobHost) -> list[Setting]:
    if not job.names_known:
        return []
    reason = "the NICs of the rails in use; the equals sign matches full names"
    names = list(job.devices)
    if job.release.reads(Reads.RAIL_IDS):
        planes = job.fabric.intent.fabric.planes > 1
        names = [
            f"{name}:1:{rail}:{port if planes else 0}"
            for name, (rail, port) in zip(names, job.ports, strict=True)
        ]
        reason += "; port, rail and plane follow the name"
    settings = [Setting("NCCL_IB_HCA", f"={','.join(names)}", reason)]
    if job.release.reads(Reads.RAIL_IDS):
        reason = "NICs are fused within a rail only, by the rails in NCCL_IB_HCA"
        settings.append(Setting("NCCL_NET_MERGE_POLICY", "RAIL", reason))
    return settings + _fusion(job)


def _fusion(job: JobHost) -> list[Setting]:
    if not job.dual_port:
        return []
    why = "the two ports of a card are two rails; fused, traffic would change rails on its way"
    settings = []
    if job.release.reads(Reads.MERGE_NICS):
        settings.append(Setting("NCCL_IB_MERGE_NICS", "0", why))
    if job.release.reads(Reads.MERGE_LEVEL):
        settings.append(Setting("NCCL_NET_MERGE_LEVEL", "LOC", why))
    return settings


def _gid(job: JobHost) -> list[Setting]:
    if job.release.reads(Reads.GID_SEARCH):
        family, reason = "AF_INET", "the rails have IPv4 addresses"
        if job.is_ipv6:
            family, reason = "AF_INET6", "RDMA uses the IPv6 addresses of the rails"
        return [
            Setting("NCCL_IB_ROCE_VERSION_NUM", "2", "RoCEv2: the fabric routes"),
            Setting("NCCL_IB_ADDR_FAMILY", family, reason),
            Setting(
                "NCCL_IB_ADDR_RANGE",
                str(job.pool),
                "the GID is found by its address; no index is fixed, as indexes move",
            ),
        ]
    index = fixed_index(job.fabric, job.name)
    if index is None:
        return []
    reason = (
        f"NCCL {job.release} searches no GID and takes index 0, which is RoCEv1; a NIC with one "
        f"IPv4 address has its RoCEv2 GID at {index}: compare with show_gids"
    )
    return [Setting("NCCL_IB_GID_INDEX", str(index), reason)]


def _subnets(job: JobHost) -> list[Setting]:
    file = job.fabric.intent.fabric
    if not (file.host.nccl_subnet_aware and job.release.reads(Reads.SUBNETS)) or no_prefix(file):
        return []
    aware = Setting("NCCL_IB_SUBNET_AWARE_ROUTING", "1", "host.nccl_subnet_aware")
    if job.is_ipv6:
        return [aware]
    length = str(rail_length(file))
    reason = f"a rail is a /{length}; the subnet of a NIC has no NIC of another host in it"
    return [aware, Setting("NCCL_IB_SUBNET_PREFIX_LEN", length, reason)]


def _class(job: JobHost) -> list[Setting]:
    reason = f"DSCP {job.dscp} << 2: the class that the fabric does not drop"
    return [Setting("NCCL_IB_TC", job.class_byte, reason)]


def _connections(job: JobHost) -> list[Setting]:
    pairs = queue_pairs(job.fabric)
    reason = "more queue pairs give ECMP more UDP source ports to spread"
    if pairs == 1:
        reason = "one queue pair: the fabric spreads packets itself, or the inventory sets one"
    settings = [
        Setting("NCCL_IB_TIMEOUT", str(TIMEOUT), "17 s, enough to outlast a routing change"),
        Setting("NCCL_IB_QPS_PER_CONNECTION", str(pairs), reason),
    ]
    release = job.release
    if pairs > 1 and release.reads(Reads.SPLIT_DATA) and not release.reads(Reads.SPLIT_DATA_OFF):
        reason = (
            f"messages alternate between the queue pairs; NCCL 2.{Reads.SPLIT_DATA[0]} to "
            f"2.{Reads.SPLIT_DATA_OFF[0] - 1} split each message across all by default"
        )
        settings.append(Setting("NCCL_IB_SPLIT_DATA_ON_QPS", "0", reason))
    return settings


def queue_pairs(fabric: Fabric) -> int:
    """Return the queue pairs of a connection: one where switches spread packet by packet."""
    file = fabric.intent.fabric
    is_set = "nccl_queue_pairs" in file.host.model_fields_set
    return 1 if file.ecmp.mode == "per-packet" and not is_set else file.host.nccl_queue_pairs


def _rings(job: JobHost) -> list[Setting]:
    if job.placement.rails_connected:
        reason = "prefer the same rail; the spines connect the others"
        return [Setting("NCCL_CROSS_NIC", "2", reason)]
    return [
        Setting("NCCL_CROSS_NIC", "0", "no spine connects the rails: a ring must stay on its rail"),
        Setting("NCCL_PXN_DISABLE", "0", "GPUs hand data over NVLink to the NIC of the right rail"),
    ]


def _topology(job: JobHost) -> list[Setting]:
    has_addresses = job.traits.nic.pci_addresses and job.traits.gpu.pci_addresses
    if not (job.traits.virtual_machine and has_addresses):
        return []
    reason = (
        "the virtual machine hides which NIC is near which GPU; `rocefab export nccltopo` writes "
        "the topology"
    )
    return [Setting("NCCL_TOPO_FILE", TOPOLOGY_FILE, reason)]


_SEARCH = ("NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE")
_ROCE = (*_SEARCH, "NCCL_IB_TC")
_VERBS = ("NCCL_IB_HCA", "NCCL_IB_TIMEOUT", "NCCL_IB_QPS_PER_CONNECTION")


def _own_reasons(job: JobHost) -> dict[str, str]:
    """Return reasons that depend on the host, over those that hold everywhere."""
    own: dict[str, str] = {}
    if not job.roce:
        layer = job.traits.nic.link_layer
        why = f"the NICs do not run RoCE ({layer})"
        own |= dict.fromkeys(_ROCE, why)
        if layer != "infiniband":
            own |= dict.fromkeys(_VERBS, f"{why}: NCCL is left to find its network")
    elif not job.names_known:
        own["NCCL_IB_HCA"] = (
            "virtual functions get their names when the pod starts; with RDMA namespaces set to "
            "exclusive the pod sees only its own"
        )
    if job.roce and not job.release.reads(Reads.GID_SEARCH):
        why = f"NCCL {job.release} does not read it"
        own |= dict.fromkeys(_SEARCH, why)
        changes = "with IPv6 it follows the order of addresses" if job.is_ipv6 else ""
        own["NCCL_IB_GID_INDEX"] = (
            f"NCCL {job.release} needs it, and it is not known here: read it with "
            "show_gids, and set it only if it is the same on all NICs; "
            f"{changes or 'with macvlan it changes'}, so use NCCL 2.26 or newer"
        )
    file = job.fabric.intent.fabric
    if file.host.nccl_subnet_aware:
        why = no_prefix(file) or "read from 2.30.7 on"
        own |= dict.fromkeys(("NCCL_IB_SUBNET_AWARE_ROUTING", "NCCL_IB_SUBNET_PREFIX_LEN"), why)
        if job.is_ipv6:
            why = "NCCL compares 64 bits of IPv6 addresses: a rail is a /64"
            own["NCCL_IB_SUBNET_PREFIX_LEN"] = no_prefix(file) or why
    if job.release is UNKNOWN:
        own["NCCL_NET_MERGE_POLICY"] = "read from 2.30.7 on; host.nccl_version is not known"
    return own
