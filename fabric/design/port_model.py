"""What is decided for a port of a switch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fabric.design.host_model import HALF_BITS

if TYPE_CHECKING:
    from fabric.design.qos_model import PauseLevels, QosProfile
    from fabric.platforms.cage import Mode, Place
    from fabric.platforms.model import HeadroomRow
    from fabric.qos.headroom.terms import Headroom, Link
    from fabric.qos.headroom.verdict import Judgement
    from fabric.topology.pause_response import PauseResponse


@dataclass(frozen=True, slots=True, eq=False)
class HeadroomProfile:
    """Lossless buffer of a priority group at one speed and cable length.

    Parameters
    ----------
    cable_m : int
        Length of the cable.
    setting_m : int
        Length that the switch is set to: the step of the vendor's table where it has one, which
        is at least that of the cable, else the length of the cable.
    row : HeadroomRow or None
        Row of the vendor's table; None where there is no table (EOS) or it has none so long.
    law : Headroom or None
        What the headroom law of the ASIC asks for; None where a figure of it is not known.
    no_law : str
        Why ``law`` is None; else empty.
    link : Link
        Speed, length and frames that the headroom is for.
    judgement : Judgement or None
        What ``headroom_bytes`` is good for; None where that is not known.
    computed : bool
        Whether the switch computes its headroom by itself; then ``law`` is what it should come to.
    shares : bool
        Whether a computed headroom comes out of one that all groups share.
    peer : PauseResponse or None
        How long the peer goes on after a pause, where that is known.
    levels : PauseLevels or None
        Fill levels of its pauses, where they are fixed; None where ``dynamic_th`` decides.
    is_assumed : bool
        Whether no source has its threshold, so that ``dynamic_th`` is assumed.
    """

    speed_gbps: int
    speed_mbps: int
    cable_m: int
    setting_m: int
    row: HeadroomRow | None
    dynamic_th: int
    law: Headroom | None
    no_law: str
    link: Link
    judgement: Judgement | None
    computed: bool = False
    shares: bool = False
    peer: PauseResponse | None = None
    levels: PauseLevels | None = None
    is_assumed: bool = False

    @property
    def setting_words(self) -> str:
        """What follows the length of the cable where the switch is set to another one."""
        return "" if self.setting_m == self.cable_m else f", set to {self.setting_m} m"

    @property
    def headroom_bytes(self) -> int | None:
        """Headroom that the port has: as the inventory sets it, else as it is calculated."""
        return self.calculated_bytes if self.set_bytes is None else self.set_bytes

    @property
    def set_bytes(self) -> int | None:
        """Headroom that a pause buffer of the inventory leaves; None without one."""
        return self.levels.headroom_bytes if self.levels else None

    @property
    def calculated_bytes(self) -> int | None:
        """Headroom by the vendor's row, else by the law, else not known."""
        if self.row:
            return self.row.headroom_bytes
        return int(self.law.headroom_bytes) if self.law else None

    @property
    def is_estimate(self) -> bool:
        """Whether neither inventory, nor a row, nor the formula of the switch gives it."""
        return self.set_bytes is None and not (self.row or self.computed)

    @property
    def guaranteed_bytes(self) -> int:
        """Bytes of the group beside its headroom; NVIDIA's size holds both."""
        if self.row is None:
            law = self.law if self.computed else None
            if law is None or law.size_bytes is None:
                return 0
            return int(law.size_bytes - (0 if self.shares else law.headroom_bytes))
        return max(self.row.size_bytes - self.row.headroom_bytes, self.row.xon_threshold_bytes)


@dataclass(frozen=True, slots=True)
class PortDesign:
    """One port: a whole cage of the front panel, or a part of one.

    Parameters
    ----------
    cage : str
        Name of the whole port of its cage; equal to ``name`` where the cage is not broken out.
    place : Place
        Its cage on the front panel, and which part of it.
    kind : str
        ``host`` (access port of a NIC), ``uplink`` (routed, to the other tier), ``unused``.
    vlan : int or None
        Access VLAN of a host port; None where it is routed.
    address, ipv6 : str
        Interface addresses with prefix length of a routed port (``10.254.0.1/31``), else empty.
    qos : QosProfile or None
        Lossless policy; None on unused ports.
    headroom : HeadroomProfile or None
        Lossless buffer; None on unused ports and where PFC is off.
    vrf : str
        VRF of a routed host port of a tenant; empty for the default VRF, and in a VLAN.
    quarantined : bool
        Whether its NIC is of no tenant, so that it is shut down without VLAN, address and VRF.
    """

    name: str
    number: int
    alias: str
    lanes: tuple[int, ...]
    cage: str
    place: Place
    kind: Literal["host", "uplink", "unused"]
    enabled: bool
    speed_gbps: int
    speed_mbps: int
    speed_token: str
    mtu_bytes: int
    fec: str
    description: str
    cable_m: int
    peer: str
    peer_port: str
    vlan: int | None = None
    address: str = ""
    ipv6: str = ""
    qos: QosProfile | None = None
    headroom: HeadroomProfile | None = None
    vrf: str = ""
    quarantined: bool = False

    @property
    def announces_router(self) -> bool:
        """Whether it tells a NIC its prefix, so that the NIC makes its own address."""
        return self.kind == "host" and self.ipv6.endswith(f"/{HALF_BITS}")

    @property
    def lossless_groups(self) -> tuple[HeadroomProfile, ...]:
        """Its lossless buffer, once for each class."""
        return (self.headroom,) * len(self.qos.classes) if self.headroom and self.qos else ()

    @property
    def breakout(self) -> Mode | None:
        """How its cage is broken out, on the first port of the cage; else None."""
        return self.place.mode if self.place.part == 0 else None


@dataclass(frozen=True, slots=True)
class VlanDesign:
    """A VLAN with its gateway on this leaf."""

    vlan: int
    name: str
    rail: int
    network: str
    gateway: str
    prefix_length: int
    mtu_bytes: int
    vrf: str = ""

    @property
    def gateway_interface(self) -> str:
        """Gateway address with prefix length."""
        return f"{self.gateway}/{self.prefix_length}"
