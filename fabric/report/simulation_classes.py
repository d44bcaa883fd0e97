"""simulate: the classes of a run, and what each has at a port of the design."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.design.configured import no_pmax
from fabric.design.pool import lossy_queues
from fabric.intent.classes import class_named
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.ecn.edge import stored_bytes, unmarked
from fabric.qos.simulate.classes import LossyPool, LossyQueue, PortClass, SimulatedClass
from fabric.qos.thresholds import alpha
from fabric.report.buffers import ingress_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import HostQos
    from fabric.intent.classes import LosslessClass
    from fabric.qos.simulate.scenario import End
    from fabric.report.simulation_settings import Load, Settings

#: Name of the class whose packets may be dropped.
LOSSY = "lossy"
#: Largest log2(alpha) of the inventory: such a queue takes 128/129 of its pool.
_ALL_OF_IT = 7


def weights(shares: Mapping[str, float], chosen: Mapping[str, float]) -> dict[str, float]:
    """Return the weight of each class at a port.

    Parameters
    ----------
    shares : mapping of str to float
        Weights as designed.
    chosen : mapping of str to float
        Percent of some classes; the others divide the rest as before.

    Raises
    ------
    InputError
        When there is no such class, or nothing is left for the others.
    """
    if unknown := sorted(chosen.keys() - shares.keys()):
        known = ", ".join(shares)
        raise InputError(f"share.{unknown[0]}: the run has no such class; it has {known}")
    if not chosen:
        return dict(shares)
    left = 100 - sum(chosen.values())
    others = sum(share for name, share in shares.items() if name not in chosen)
    if left < 0 or (others and not left):
        raise InputError(f"the shares come to {100 - left:g} percent; the other classes need some")
    return {name: chosen.get(name, share * left / (others or 1)) for name, share in shares.items()}


def reject_unknown(settings: Settings, names: Sequence[str]) -> None:
    """Reject settings with thresholds of a class that a run does not have.

    Raises
    ------
    InputError
        With the first such class.
    """
    if unknown := sorted(settings.class_marking.keys() - {*names}):
        known = ", ".join(names)
        raise InputError(f"marking.{unknown[0]}: the run has no such class; it has {known}")


def with_classes(end: End, classes: Sequence[PortClass]) -> End:
    """Return an end of a cable with these classes."""
    first = classes[0]
    return replace(
        end,
        ingress=first.ingress,
        marking=first.marking,
        detection_ms=first.detection_ms,
        weight=first.weight,
        lossy=first.lossy,
        more=tuple(classes[1:]),
    )


@dataclass(frozen=True, slots=True)
class RunClasses:
    """The classes of a run on a fabric.

    Parameters
    ----------
    names : tuple of str
        Lossless classes, that of the incast first.
    marking : CongestionPoint or None
        Thresholds of all classes and switches, before a switch rounds them; None takes those of
        the design.
    """

    names: tuple[str, ...]
    load: Load
    settings: Settings
    marking: CongestionPoint | None

    @property
    def has_lossy(self) -> bool:
        """Whether there is traffic that may be dropped."""
        return self.load.lossy_gbps > 0

    def simulated(self, port: PortDesign) -> tuple[SimulatedClass, ...]:
        """Return the classes, with the priorities that they have at a port."""
        reject_unknown(self.settings, self.names)
        own = [
            SimulatedClass(name=name, pfc_priority=self._class(port, name).pfc_priority)
            for name in self.names
        ]
        lossy = [SimulatedClass(name=LOSSY, pfc_priority=None)] if self.has_lossy else []
        return (*own, *lossy)

    def at_port(self, device: DeviceDesign, port: PortDesign) -> tuple[PortClass, ...]:
        """Return what each class has at a port of a switch.

        Raises
        ------
        InputError
            When the port has no such class, or its headroom is not known.
        """
        group, qos = port.headroom, port.qos
        if group is None or qos is None or group.headroom_bytes is None:
            why = "PFC is off" if group is None else "its headroom is not known"
            raise InputError(f"{device.name} {port.name} cannot be simulated: {why}")
        own = {name: self._class(port, name) for name in self.names}
        designed: dict[str, float] = {name: own_class.percent for name, own_class in own.items()}
        if self.has_lossy:
            designed[LOSSY] = next(q.percent or 1 for q in qos.queues if q.kind == "default")
        parts = weights(designed, self.settings.shares)
        classes = [
            PortClass(
                ingress=ingress_of(group),
                marking=self._marking(device, name, own_class),
                detection_ms=qos.watchdog.detection_ms if qos.watchdog.enabled else 0,
                weight=parts[name],
            )
            for name, own_class in own.items()
        ]
        if self.has_lossy:
            limit = LossyQueue(alpha=_lossy_alpha(device, port), reserve_bytes=_reserve(port))
            classes.append(PortClass(weight=parts[LOSSY], lossy=limit))
        return tuple(classes)

    def assumed(self, device: DeviceDesign, port: PortDesign) -> Iterator[str]:
        """Yield what is assumed of the marking of a port, as the switch does not get it."""
        rule = no_pmax(device.sku)
        for name in self.names if rule else ():
            marking = self._marking(device, name, self._class(port, name))
            if marking and not self.settings.class_marking.get(name, self.marking):
                lack = f"{device.sku.name} gets no Pmax ({rule})"
                yield f"Pmax {marking.pmax_percent:g} % assumed: {lack}"

    def at_nic(self, qos: HostQos) -> tuple[PortClass, ...]:
        """Return what each class has at a NIC: its part of the ETS scheduler."""
        percent = {own_class.name: float(own_class.percent) for own_class in qos.classes}
        designed = {name: percent.get(name, 1.0) for name in self.names}
        if self.has_lossy:
            designed[LOSSY] = max(1.0, 100 - sum(percent.values()))
        parts = weights(designed, self.settings.shares)
        return tuple(PortClass(weight=part) for part in parts.values())

    def _class(self, port: PortDesign, name: str) -> LosslessClass:
        assert port.qos
        first = name == self.names[0] and self.load.lossless_class is None
        return class_named(port.qos.classes, None if first else name, f"port {port.name}")

    def _marking(
        self, device: DeviceDesign, name: str, own_class: LosslessClass
    ) -> CongestionPoint | None:
        """Return the thresholds of a class, of the settings or the inventory, as programmed."""
        chosen = self.settings.class_marking.get(name, self.marking)
        if not chosen and any(unmarked(device.sku, own_thresholds=own_class.own_thresholds)):
            return None
        point = chosen or own_class
        configured = point.kmin_bytes, point.kmax_bytes
        kmin, kmax = (stored_bytes(device.sku, size) for size in configured)
        return CongestionPoint(
            kmin_bytes=kmin,
            kmax_bytes=max(kmax, kmin + 1),
            pmax_percent=point.pmax_percent,
            set_bytes=configured if (kmin, kmax) != configured else None,
        )


def lossy_pool(device: DeviceDesign) -> LossyPool:
    """Return where other traffic takes its buffer from; the shared pool where that is not known."""
    if queues := lossy_queues(device):
        return LossyPool(own_bytes=queues.own_bytes)
    pools = device.sku.pools
    if pools and pools.ingress_lossy_bytes is not None:
        return LossyPool(own_bytes=pools.egress_lossy_bytes, shares=False)
    return LossyPool()


def _lossy_alpha(device: DeviceDesign, port: PortDesign) -> float:
    """Return alpha of a queue of other traffic; where it is not known, that of a lossless group."""
    if queues := lossy_queues(device):
        return alpha(queues.threshold)
    if port.qos and port.qos.lossy.dynamic_th is not None:
        return alpha(port.qos.lossy.dynamic_th)
    if not lossy_pool(device).shares:
        return alpha(_ALL_OF_IT)
    assert port.headroom
    return alpha(port.headroom.dynamic_th)


def _reserve(port: PortDesign) -> int:
    return (port.qos.lossy.reserved_bytes or 0) if port.qos else 0
