"""What is simulated: nodes, cables with the settings of both ends, and streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.qos.simulate.classes import Ingress, LossyPool, LossyQueue, PortClass, SimulatedClass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet

#: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and gap 20 (InfiniBand Architecture
#: Specification, annex A17; IEEE 802.3 clause 4).
OVERHEAD_BYTES = 82
#: The same with the header of IPv6 (RFC 8200 section 3).
IPV6_OVERHEAD_BYTES = OVERHEAD_BYTES + 20
#: Outer Ethernet 14, IPv4 20, UDP 8 and VXLAN 8 (RFC 7348 section 5), as tunnels end at IPv4
#: loopbacks. The outer header is marked, and its mark goes into the packet where the tunnel ends
#: (RFC 6040).
VXLAN_BYTES = 50
#: Time in which the flows of an incast start: the ns-3 scripts of Canel et al., Understanding
#: Incast Bursts in Modern Datacenters, IMC 2024, "with Meta's datacenter parameters" (jitterUs).
#: Flows that start at one instant stay in phase, and queue least.
START_SPREAD_US = 100.0
#: Levels of a queue that a switch compares: 8 in SAI (opencomputeproject/SAI inc/saiarsprofile.h,
#: SAI_ARS_PROFILE_ATTR_QUANT_BAND_0 to 7), and in Broadcom's DLB, there by bytes sent and cells
#: queued (Juniper, Customize Egress Port Link Quality Metrics for DLB). Spectrum has five grades,
#: by three thresholds of the buffer (Mellanox/SwitchRouterSDK-interfaces @ 3ddf6078
#: SDK/sources/sx_api_adaptive_routing.h, sx_api_ar_congestion_threshold_set).
LEVELS = 8
#: A PFC frame: 64 bytes and 20 of preamble and gap (IEEE 802.3 annex 31D).
FRAME_BYTES = 84


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end of a cable.

    Parameters
    ----------
    node : int
        Number of the switch or host.
    ingress : Ingress or None
        None at a host.
    marking : CongestionPoint or None
        What the egress marks; None marks nothing.
    response_ns : float
        Time from the arrival of a PFC frame until the egress stops, or goes on.
    detection_ms : float
        After so long a pause the watchdog drops; 0 is off.
    weight : float
        Part of the first class of the scheduler; see :class:`PortClass`.
    lossy : LossyQueue or None
        Limit of the egress queue of the first class, where it may be dropped.
    more : tuple of PortClass
        What the other classes have here; those that are missing have nothing, and weight 1.
    """

    node: int
    ingress: Ingress | None = None
    marking: CongestionPoint | None = None
    response_ns: float = 0.0
    detection_ms: float = 0.0
    weight: float = 1.0
    lossy: LossyQueue | None = None
    more: tuple[PortClass, ...] = ()

    def classes(self, count: int) -> tuple[PortClass, ...]:
        """Return what each of so many classes has here."""
        first = PortClass(
            ingress=self.ingress,
            marking=self.marking,
            detection_ms=self.detection_ms,
            weight=self.weight,
            lossy=self.lossy,
        )
        return (first, *self.more, *[PortClass()] * count)[:count]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cable:
    """A cable; its egress ports are 2i, away from ``near``, and 2i + 1.

    Parameters
    ----------
    delay_ns : float
        From end to end; it delays packets and pauses.
    tunnel_bytes : int
        Header of a tunnel that each packet has on this cable besides.
    latency_ns : float
        Delay of the devices; it delays acknowledgements and notices, once for each direction, as
        it lies behind the buffer that a pause protects.
    """

    near: End
    far: End
    speed_gbps: float
    delay_ns: float
    latency_ns: float = 0.0
    tunnel_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A queue pair that sends.

    Parameters
    ----------
    path : tuple of int
        Egress ports, the host's first.
    size_bytes : int or None
        None sends until the end.
    window_bytes : int
        Bytes on their way at most; 0 is no window.
    after : int or None
        Number of the stream whose end starts this one: the receiver admits them in turn.
    class_number : int
        Its class, by the place in :attr:`Scenario.classes`.
    rate_gbps : float or None
        Rate of a stream without congestion control, which repeats nothing, headers included; None
        has the reaction point of the scenario.
    """

    path: tuple[int, ...]
    size_bytes: int | None = None
    start_us: float = 0.0
    window_bytes: int = 0
    after: int | None = None
    class_number: int = 0
    rate_gbps: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Storm:
    """An egress port that is told to pause, whatever its peer can take."""

    port: int
    start_us: float
    stop_us: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A run.

    Parameters
    ----------
    shared_bytes : tuple of int or None
        Shared pool of each switch; None is a host.
    reaction : str
        ``dcqcn``, ``off``, ``hpcc``, ``delay`` or ``aimd``.
    parameters : ParameterSet
        Settings of the NICs; ``dcqcn`` uses all, the others the additive step and the least rate.
    names : tuple of str
        Name of each egress port.
    routes : mapping of (int, int) to tuple of int
        Equal egress ports of a switch towards a receiver, by the last port of a path and the
        number of the switch. Switches choose one for each packet; empty: the ports of the paths.
    places : bool
        Whether receivers place packets that arrive out of order; else they ask for the missing
        one, and the sender goes back to it. For ``routes``.
    classes : tuple of SimulatedClass
        The classes of all ports.
    lossy_pools : tuple of LossyPool or None
        Pool of the queues of each node that may drop; empty: the shared one.
    levels : int
        Levels of the queues that switches compare where they choose, >= 2.
    assumed : tuple of str
        What is assumed of switches, in words; for those who read the outcome.
    """

    shared_bytes: tuple[int | None, ...]
    cables: tuple[Cable, ...]
    streams: tuple[Stream, ...]
    parameters: ParameterSet
    reaction: str = "dcqcn"
    storms: tuple[Storm, ...] = ()
    payload_bytes: int = 4096
    overhead_bytes: int = OVERHEAD_BYTES
    duration_us: float = 15_000.0
    sample_us: float = 10.0
    seed: int = 1
    delay_target_us: float = 10.0
    names: tuple[str, ...] = ()
    routes: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    places: bool = True
    classes: tuple[SimulatedClass, ...] = (SimulatedClass(),)
    lossy_pools: tuple[LossyPool | None, ...] = ()
    levels: int = LEVELS
    assumed: tuple[str, ...] = ()

    def row(self, port: int, class_number: int) -> int:
        """Return the row of a class at a port; see :mod:`fabric.qos.simulate.state`."""
        return class_number * 2 * len(self.cables) + port

    def place(self, row: int) -> tuple[str, SimulatedClass]:
        """Return the name of the port of a row, and its class."""
        number, port = divmod(row, 2 * len(self.cables))
        return self.names[port], self.classes[number]

    def row_name(self, row: int) -> str:
        """Return the name of the port of a row, with the class where there are several."""
        name, own = self.place(row)
        return f"{name} {own.name}" if len(self.classes) > 1 else name
