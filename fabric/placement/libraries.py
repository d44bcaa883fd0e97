"""Settings of what else runs beside NCCL: UCX, Gloo, Horovod, TACO.

Names and defaults: openucx/ucx ``src/uct/ib/base/ib_iface.c`` (``IB_TRAFFIC_CLASS`` auto is 106 on
RoCE), PyTorch distributed environment variables, Horovod environment variables, Tencent Cloud
documentation of TACO Train (LightCC).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted, noun
from fabric.placement.job_host import Environment, LeftOut, Setting

if TYPE_CHECKING:
    from fabric.placement.job_host import JobHost

#: Bytes up to which LightCC reduces in two dimensions, its own default (1 GiB).
TWO_DIMENSIONS_UP_TO_BYTES = 1_073_741_824


def library_environment(job: JobHost) -> Environment:
    """Return the settings of UCX, Gloo and TensorPipe, and what is left out."""
    settings, absent = [], [LeftOut("UCX_IB_GID_INDEX", _ucx_gid(job)), *_LEFT_OUT]
    if job.roce and job.names_known:
        devices = ",".join(f"{name}:1" for name in job.devices)
        settings.append(Setting("UCX_NET_DEVICES", devices, "as NCCL_IB_HCA"))
    else:
        absent.append(LeftOut("UCX_NET_DEVICES", "as NCCL_IB_HCA"))
    if job.roce:
        reason = "as NCCL_IB_TC; the default of UCX is 106"
        settings.append(Setting("UCX_IB_TRAFFIC_CLASS", job.class_byte, reason))
        reachability = _reachability(job)
        settings += [reachability] if isinstance(reachability, Setting) else []
        absent += [reachability] if isinstance(reachability, LeftOut) else []
    reason = "Gloo is TCP: never on the rails"
    settings.append(Setting("GLOO_SOCKET_IFNAME", job.bootstrap, reason))
    settings.append(Setting("TP_SOCKET_IFNAME", job.bootstrap, "TensorPipe is TCP as well"))
    return Environment(tuple(settings), tuple(absent))


_LEFT_OUT = (
    LeftOut("UCX_IB_SL", "auto by default: priorities follow from DSCP"),
    LeftOut("UCX_TLS", "UCX picks its transports; naming them loses shared memory and NVLink"),
    LeftOut("UCX_IB_NUM_PATHS", "auto by default"),
)


def _ucx_gid(job: JobHost) -> str:
    """Return what UCX does with its GID index left alone.

    openucx/ucx ``src/uct/ib/base/ib_device.c`` (``roce_prio``: RoCEv2 of IPv4, then of IPv6), pull
    request 10939 of October 2025 (of IPv6 a routable one first).
    """
    if not job.is_ipv6:
        return "auto by default: the RoCEv2 entry of the address is found"
    if len(job.pools) > 1:
        return "auto by default: UCX takes the RoCEv2 GID of IPv4 first, which the NICs have too"
    return (
        "auto by default: from October 2025 on (openucx/ucx pull request 10939) UCX takes a "
        "routable GID; older ones take the first, which is link-local: read the index with "
        "show_gids, and set it only if it is the same on all NICs"
    )


def _reachability(job: JobHost) -> Setting | LeftOut:
    """Return how UCX asks whether a NIC reaches another: from 1.19 on by the routing table.

    openucx/ucx pull request 10135 (the check), issues 10996 and 11035 (1.19.0 reads the main table
    alone).
    """
    name, version = "UCX_IB_ROCE_REACHABILITY_MODE", job.traits.ucx_version
    why = "UCX 1.19.0 reads the main routing table alone, and each NIC has its own table"
    if version not in _READS_MAIN_TABLE:
        if version is None:
            return LeftOut(name, f"{why}; host.ucx_version is not known")
        return LeftOut(name, "UCX 1.18 and older do not ask for routes, 1.19.1 reads all tables")
    if not job.placement.rails_connected:
        return LeftOut(name, f"{why}; but `all` would be wrong where no spine connects the rails")
    return Setting(name, "all", why)


#: A line without its last number is its oldest release.
_READS_MAIN_TABLE = ("1.19", "1.19.0")


def horovod_settings(gpus_per_host: int) -> tuple[Setting, ...]:
    """Return the settings of Horovod: reduce in the host, then once per rail.

    Parameters
    ----------
    gpus_per_host : int
        GPUs that the job uses on each host, >= 1.
    """
    reason = (
        f"the {counted(gpus_per_host, 'GPU')} of a host {noun(gpus_per_host, 'reduces', 'reduce')} "
        "over NVLink first; then equal local ranks meet, which stay on their rail"
    )
    return (
        Setting("HOROVOD_HIERARCHICAL_ALLREDUCE", "1", reason),
        Setting("HOROVOD_HIERARCHICAL_ALLGATHER", "1", reason),
    )


def taco_settings(gpus_per_host: int) -> tuple[Setting, ...]:
    """Return the settings of LightCC: its inner group must be the GPUs of a host.

    Parameters
    ----------
    gpus_per_host : int
        GPUs that the job uses on each host, >= 1.
    """
    return (
        Setting("LIGHT_2D_ALLREDUCE", "1", "reduce inside of the host, then across hosts"),
        Setting(
            "LIGHT_INTRA_SIZE",
            str(gpus_per_host),
            "GPUs of a host in this job; another number makes inner groups cross the network",
        ),
        Setting(
            "LIGHT_HIERARCHICAL_THRESHOLD",
            str(TWO_DIMENSIONS_UP_TO_BYTES),
            "larger messages go in one dimension; the default, written down",
        ),
    )
