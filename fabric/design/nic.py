"""What single settings of a NIC come to: DCQCN parameters, receive buffers, the MAC of its leaf."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.qos.dcqcn.presets import CONNECTX, PUBLISHED
from fabric.qos.dcqcn.registers import settings

if TYPE_CHECKING:
    from fabric.intent.host_model import NicTraits
    from fabric.intent.inventory import Intent
    from fabric.intent.policy import LosslessPolicy
    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.qos.dcqcn.registers import Place, Setting

#: Where each driver takes DCQCN parameters; the others have no such place, or not these names.
DCQCN_PLACES: dict[str, Place] = {"mlx5-ofed": "sysfs", "mlx5": "debugfs"}
#: Receive buffers of mlx5 and priorities (Linux mlx5 en/port_buffer.h, MLX5E_MAX_BUFFER).
BUFFERS = 8
#: The name of the set that is computed for the speed of a port.
COMPUTED = "rocefab"


def parameter_set(name: str, speed_gbps: int) -> ParameterSet:
    """Return a DCQCN parameter set by its name.

    Parameters
    ----------
    name : str
        ``connectx``, ``paper``, one of the published ones, or ``rocefab``.
    speed_gbps : int
        Speed of the NIC in Gb/s.

    Raises
    ------
    ValueError
        When none can be computed for the speed.
    """
    if name == COMPUTED:
        from fabric.qos.dcqcn.recommend import Need, recommend

        return recommend(Need(speed_gbps=speed_gbps)).parameters
    return next(published for published in PUBLISHED if published.name == name)


def dcqcn_settings(
    nic: NicTraits, policy: LosslessPolicy, speed_gbps: int, place: Place
) -> tuple[Setting, ...]:
    """Return the raw DCQCN figures of a NIC for one place; CNPs are marked as the policy says.

    Parameters
    ----------
    nic : NicTraits
        What the inventory says of the NIC.
    policy : LosslessPolicy
        Policy of the host: ECN and DSCP of CNPs.
    speed_gbps : int
        Speed of the NIC in Gb/s.
    place : str
        ``sysfs``, ``debugfs`` or ``mlxconfig``.

    Raises
    ------
    ValueError
        When a figure does not fit the register of the NIC, or no set can be computed.
    """
    only_first = nic.dcqcn_set is None
    if nic.driver not in DCQCN_PLACES or (only_first and nic.first_cnp_rate_mbps is None):
        return ()
    named = parameter_set(nic.dcqcn_set or CONNECTX.name, speed_gbps)
    parameters = named.with_first_cnp(nic.first_cnp_rate_mbps)
    marks = replace(
        parameters.notification_point, cnp_dscp=policy.cnp_dscp, cnp_pcp=policy.cnp_traffic_class
    )
    every = settings(
        replace(parameters, notification_point=marks), place, nic.byte_counter_unit_bytes
    )
    return tuple(one for one in every if not only_first or one.parameter == "first_cnp_rate_mbps")


def receive_buffer_bytes(nic: NicTraits) -> tuple[int, ...]:
    """Return the sizes of the receive buffers: 0 for lossy priorities, 1 for the lossless one."""
    own = nic.receive_buffers
    return (own.lossy_bytes, own.lossless_bytes, *[0] * (BUFFERS - 2)) if own else ()


def leaf_macs(intent: Intent) -> dict[str, str]:
    """Return the MAC address of each switch whose override tells it."""
    return {
        name: override.value.mac
        for name, overrides in intent.device_overrides.items()
        for override in overrides
        if override.value.mac
    }
