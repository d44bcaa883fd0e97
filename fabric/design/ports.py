"""Parts of port designs that many ports share: each is computed once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_mbps
from fabric.design.pause_buffer import has_open_size, largest_headroom_bytes, rendered_levels
from fabric.design.port_model import PortDesign
from fabric.design.qos import (
    HeadroomInput,
    headroom_profile,
    lossless_frame_bytes,
    rendered_threshold,
    with_headroom,
)
from fabric.platforms import platforms

if TYPE_CHECKING:
    from fabric.design.port_model import HeadroomProfile
    from fabric.intent.model import FabricFile
    from fabric.intent.policy import LosslessPolicy
    from fabric.platforms.cage import Place
    from fabric.platforms.model import Sku
    from fabric.topology.pause_response import PauseResponse


@dataclass(frozen=True, slots=True)
class HeadroomKind:
    """What the headroom of a switch depends on, besides port and policy.

    ``longest_m`` is the length of its longest lossless cable, where its ports have one setting.
    """

    model: Sku
    computes: bool
    pattern_bytes: int
    longest_m: int
    shares: bool = False


@dataclass(frozen=True, slots=True)
class Front:
    """What a port is by its model and speed alone."""

    name: str
    alias: str
    lanes: tuple[int, ...]
    cage: str
    place: Place
    speed_gbps: int
    speed_mbps: int
    speed_token: str
    fec: str

    @classmethod
    def of(cls, model: Sku, number: int, speed_gbps: int) -> Front:
        """Return the facts of a port (from 1) at a speed."""
        return cls(
            name=model.port(number),
            alias=model.alias(number),
            lanes=tuple(model.lanes(number)),
            cage=model.cage(number),
            place=model.place(number),
            speed_gbps=speed_gbps,
            speed_mbps=gbps_to_mbps(speed_gbps),
            speed_token=model.speed_token(number, speed_gbps),
            fec=_fec(model.nos, speed_gbps),
        )


class PortParts:
    """What ports of one fabric share."""

    def __init__(self, file: FabricFile) -> None:
        self._usual_gbps = file.speeds.uplink_gbps or file.speeds.host_gbps
        self._fronts: dict[tuple[Sku, int, int], Front] = {}
        self._idle: dict[tuple[Sku, int, int], PortDesign] = {}
        self._headrooms: dict[tuple[object, ...], HeadroomProfile] = {}

    def headroom(
        self,
        kind: HeadroomKind,
        policy: LosslessPolicy,
        front: Front,
        cable_m: int,
        tunnel_bytes: int = 0,
        peer: PauseResponse | None = None,
    ) -> HeadroomProfile:
        """Return the lossless buffer of a port with a policy and a cable."""
        mtu = policy.mtu
        frame_bytes = lossless_frame_bytes(mtu, tunnel_bytes)
        link = (front.speed_gbps, len(front.lanes), cable_m)
        threshold = rendered_threshold(kind.model, policy)
        levels = rendered_levels(kind.model, policy)
        key = (kind, *link, mtu.port_bytes, frame_bytes, threshold, levels, peer)
        if key not in self._headrooms:
            figures = HeadroomInput(
                speed_gbps=front.speed_gbps,
                cable_m=cable_m,
                setting_m=platforms[kind.model.nos].cable_setting_m(cable_m, kind.longest_m),
                lanes=len(front.lanes),
                port_mtu_bytes=mtu.port_bytes,
                lossless_frame_bytes=frame_bytes,
                dynamic_th=threshold,
                levels=levels,
                pattern_frame_bytes=kind.pattern_bytes,
                computed=kind.computes,
                shares=kind.shares,
                peer=peer,
            )
            self._headrooms[key] = headroom_profile(kind.model, figures)
        return self._headrooms[key]

    def with_pause_buffers(
        self, ports: tuple[PortDesign, ...], model: Sku
    ) -> tuple[PortDesign, ...]:
        """Return ports with the headroom that pause buffers without a size leave them.

        Such a buffer has room for the longest cable of its switch.
        """
        if not any(has_open_size(port, model) for port in ports):
            return ports
        largest = largest_headroom_bytes(ports)
        if largest is None:
            return ports
        return tuple(
            replace(port, headroom=self._set(port.headroom, model, largest))
            if port.headroom and has_open_size(port, model)
            else port
            for port in ports
        )

    def _set(self, profile: HeadroomProfile, model: Sku, set_bytes: int) -> HeadroomProfile:
        key = (id(profile), set_bytes)
        if key not in self._headrooms:
            self._headrooms[key] = with_headroom(model, profile, set_bytes)
        return self._headrooms[key]

    def front(self, model: Sku, number: int, speed_gbps: int) -> Front:
        """Return what a port (from 1) is by its model and speed."""
        key = (model, number, speed_gbps)
        if key not in self._fronts:
            self._fronts[key] = Front.of(model, number, speed_gbps)
        return self._fronts[key]

    def unused(self, model: Sku, number: int, mtu_bytes: int) -> PortDesign:
        """Return the design of a port (from 1) without a cable."""
        key = (model, number, mtu_bytes)
        if key not in self._idle:
            speed_gbps = _idle_speed_gbps(model, number, self._usual_gbps)
            front = self.front(model, number, speed_gbps)
            self._idle[key] = PortDesign(
                name=front.name,
                number=number,
                alias=front.alias,
                lanes=front.lanes,
                cage=front.cage,
                place=front.place,
                kind="unused",
                enabled=False,
                speed_gbps=speed_gbps,
                speed_mbps=front.speed_mbps,
                speed_token=front.speed_token,
                mtu_bytes=mtu_bytes,
                fec=front.fec,
                description="",
                cable_m=0,
                peer="",
                peer_port="",
            )
        return self._idle[key]


def _fec(nos: str, speed_gbps: int) -> str:
    lowest = platforms[nos].explicit_rs_fec_from_gbps
    return "rs" if lowest is not None and speed_gbps >= lowest else ""


def _idle_speed_gbps(model: Sku, number: int, wanted_gbps: int) -> int:
    """Return the speed of an unused port: that of the uplinks where it can run at it."""
    offered = model.speeds_of(number)
    alike = not model.places and not model.kinds
    return wanted_gbps if wanted_gbps in offered or alike else max(offered)
