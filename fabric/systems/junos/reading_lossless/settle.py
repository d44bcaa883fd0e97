"""Ports of a Junos configuration with everything that their profiles give them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.lossless import Gap, Marking, PortPolicy, Value
from fabric.observe.configuration.model import Leftover
from fabric.qos.dscps import DSCPS
from fabric.systems.junos.platforms import DEFAULT_CLASS, FRAME_EXTRA_BYTES
from fabric.systems.junos.reading_lossless.model import BUNDLE, Notification
from fabric.systems.junos.reading_lossless.ports import fits

if TYPE_CHECKING:
    from fabric.systems.junos.reading_lossless.model import (
        Binding,
        DropProfile,
        LosslessLines,
        Point,
        Scheduler,
        Tag,
    )

#: Bytes of a frame where no line says it (juniper.net, mtu).
_FRAME_BYTES = 1514
#: ARP and MAC ageing where no line says it (juniper.net, aging-timer; global-mac-table-aging-time).
_ARP_S, _MAC_S = 1_200, 300
#: Queues that a received pause stops where no line says it (juniper.net, flow-control-queue).
_STOPS = {3: {3}, 4: {4}}
#: Classes of VLAN tags where no line says it (juniper.net, default ieee-802.1 classifier).
_TAGGED = {3: "fcoe", 4: "no-loss"}
#: Loss priority where no line says it (juniper.net, default dscp and ieee-802.1 classifiers).
_LOSS = "low"
#: Numbers of classes that have no PFC priority begin behind the priorities.
_FIRST_NUMBER = 8


def settle(reading: LosslessLines) -> None:
    """Give every port the sum of what is bound to it, and the defaults of the system."""
    switch = reading.switch
    for name in reading.parents:
        switch.ports.pop(name, None)
    for port, bundle in join(switch.ports, reading.members):
        if bundle.name in reading.inet_mtu_bytes:
            reading.inet_mtu_bytes.setdefault(port.name, reading.inet_mtu_bytes[bundle.name])
    for name in [name for name in switch.ports if name.startswith(BUNDLE)]:
        switch.ports.pop(name)
    for port in switch.ports.values():
        _port(reading, port)
    filtered = reading.filtered.items()
    switch.leftovers += [item for name, item in filtered if name in reading.classifying]
    _ageing(reading)
    if reading.per_packet:
        switch.hash_fields = None
    for name, profile in reading.drop_profiles.items():
        if len(profile.levels) != len(profile.chances):
            count = (
                f"{counted(len(profile.levels), 'fill level')} and "
                f"{counted(len(profile.chances), 'probability')}"
            )
            switch.leftovers.append(Leftover(profile.line, f"drop-profiles {name}: {count}"))


def _ageing(reading: LosslessLines) -> None:
    """Complete ageing; MAC addresses age where a port is switched."""
    switch = reading.switch
    arp = max(reading.hosts_arp_s, default=None, key=lambda one: one.value)
    switch.arp_timeout_s = arp or switch.arp_timeout_s or Value(_ARP_S, 0)
    if switch.mac_ageing_s is None and any(one.routed is False for one in switch.ports.values()):
        switch.mac_ageing_s = Value(_MAC_S, 0)


def _port(reading: LosslessLines, port: PortPolicy) -> None:
    _mtu(reading, port)
    cage = port.name.partition(":")[0]
    port.speed_gbps = reading.speeds_gbps.get(port.name, reading.speeds_gbps.get(cage))
    classifier = _bound(reading, port, "classifier")
    points = _points(reading, classifier.name) if classifier else []
    port.trusts_dscp = classifier is not None
    if classifier is None:
        where = f"set class-of-service interfaces {port.name} unit 0"
        port.trust_lines = (f"{where} classifiers dscp NAME",)
    tagged = _bound(reading, port, "ieee-802.1 classifier")
    port.trusts_pcp = tagged is not None or (classifier is None and port.routed is False)
    bound = _bound(reading, port, "congestion-notification-profile")
    profile = reading.notifications.get(bound.name if bound else "") or Notification(0)
    port.longest_m = profile.longest_m
    _classes(reading, port, points, profile)
    _pause(port, profile)
    _queues(reading, port, points)


def _mtu(reading: LosslessLines, port: PortPolicy) -> None:
    """Set the longest packet without the Ethernet header; by default where there is traffic."""
    frame = port.mtu_bytes
    if frame is None and port.routed is not None and reading.is_whole:
        frame = Value(_FRAME_BYTES, 0)
    packet = frame and Value(frame.value - FRAME_EXTRA_BYTES, frame.line)
    inet = reading.inet_mtu_bytes.get(port.name)
    port.mtu_bytes = min((one for one in (packet, inet) if one), default=None)


def _bound(reading: LosslessLines, port: PortPolicy, kind: str) -> Binding | None:
    """Return what a port has of a kind; its own name counts, then its bundle, then a wildcard."""
    fitting = _fitting(reading, port, kind)
    names = [port.name, reading.members.get(port.name)]
    named = (one for name in names for one in fitting if one.port == name)
    return next(named, next(iter(fitting), None))


def _fitting(reading: LosslessLines, port: PortPolicy, kind: str) -> list[Binding]:
    """Return what fits the name of a port, or of the bundle that it is a member of."""
    names = [name for name in (port.name, reading.members.get(port.name)) if name]
    return [
        one
        for one in reading.bindings
        if one.kind == kind and any(fits(one.port, name) for name in names)
    ]


def _points(reading: LosslessLines, classifier: str) -> list[Point]:
    """Return the DSCPs of a classifier, with those of the ones that it imports before them."""
    names: list[str] = []
    while classifier in reading.classifiers and classifier not in names:
        names.append(classifier)
        classifier = reading.imports.get(classifier, "")
    return [point for name in reversed(names) for point in reading.classifiers[name]]


def _classes(
    reading: LosslessLines, port: PortPolicy, points: list[Point], profile: Notification
) -> None:
    """Set which classes are lossless, and which DSCPs and queues belong to them."""
    numbers = _numbers(reading)
    leads = {point.dscp: point.name for point in points}
    port.dscp_lines = {point.dscp: point.line for point in points}
    port.pfc = _lossless(reading, leads, profile)
    port.class_names = {number: name for name, number in numbers.items()}
    queues = {number: reading.classes[name].queue for name, number in numbers.items()}
    queues |= {one: _tagged_queue(reading, port, one) for one in profile.code_points}
    port.class_to_queue = {one: queue for one, queue in queues.items() if queue is not None}
    for dscp in range(DSCPS if points else 0):
        name = leads.get(dscp, DEFAULT_CLASS)
        if name in numbers:
            number = numbers[name]
            pauses = dscp in profile.dscps or number in profile.code_points
            drops = number in port.pfc and not pauses
            port.dscp_to_class[dscp] = _unpaused(port, name, number) if drops else number


def _tagged_queue(reading: LosslessLines, port: PortPolicy, priority: int) -> int | None:
    """Return the queue of packets with a priority in their VLAN tag."""
    tag = _tags(reading, port).get(priority)
    name = tag.name if tag else _TAGGED.get(priority)
    return reading.classes[name].queue if name in reading.classes else None


def _tags(reading: LosslessLines, port: PortPolicy) -> dict[int, Tag]:
    """Return where the priorities of VLAN tags lead that the classifier of a port names."""
    bound = _bound(reading, port, "ieee-802.1 classifier")
    return reading.tags.get(bound.name, {}) if bound else {}


def _numbers(reading: LosslessLines) -> dict[str, int]:
    """Return a number for each forwarding class: the PFC priority of a lossless one."""
    free = iter(range(_FIRST_NUMBER, _FIRST_NUMBER + len(reading.classes)))
    return {
        name: one.priority if one.no_loss and one.priority is not None else next(free)
        for name, one in reading.classes.items()
    }


def _lossless(
    reading: LosslessLines, leads: dict[int, str], profile: Notification
) -> dict[int, int]:
    """Return the priorities that a port pauses, each with its line.

    Where a DSCP with ``pfc`` leads to no lossless class, it was meant for those that no other
    reaches.
    """
    lossless = {
        name: one.priority
        for name, one in reading.classes.items()
        if one.no_loss and one.priority is not None
    }
    pairs = [(leads.get(dscp), line) for dscp, line in profile.dscps.items()]
    result = {lossless[name]: line for name, line in pairs if name in lossless}
    lost = [line for name, line in pairs if name not in lossless]
    for priority in lossless.values() if lost else ():
        result.setdefault(priority, lost[0])
    return {**profile.code_points, **result}


def _unpaused(port: PortPolicy, name: str, priority: int) -> int:
    """Return the number of those packets of a lossless class that the port does not pause for."""
    words = f"{name} without pfc"
    number = next((one for one, text in port.class_names.items() if text == words), None)
    if number is None:
        number = max([_FIRST_NUMBER, *port.class_names]) + 1
        port.class_names[number] = words
        if priority in port.class_to_queue:
            port.class_to_queue[number] = port.class_to_queue[priority]
    return number


def _pause(port: PortPolicy, profile: Notification) -> None:
    """Set the watchdog, and what keeps a priority from being stopped."""
    named = set().union(*profile.stops.values())
    queues = {port.class_to_queue[one] for one in port.pfc if one in port.class_to_queue}
    if profile.watchdog:
        port.watchdog = replace(profile.watchdog, enabled=queues <= named)
    for priority, line in port.pfc.items():
        queue = port.class_to_queue.get(priority)
        stopped = (profile.stops or _STOPS).get(priority, set())
        if queue is not None and queue not in stopped:
            which = f"queue {', '.join(map(str, sorted(stopped)))}" if stopped else "no queue"
            words = f"a received pause stops {which}, and the class has queue {queue}"
            port.gaps[priority] = Gap(words, line, is_absence=True)


def _queues(reading: LosslessLines, port: PortPolicy, points: list[Point]) -> None:
    """Set marking and service of the queues that have a scheduler.

    Packets that no line classifies have a low loss priority.
    """
    marks: list[Point | Tag] = [*points, *_tags(reading, port).values()]
    for name, scheduler_name in _schedulers(reading, port).items():
        queue = reading.classes[name].queue if name in reading.classes else None
        scheduler = reading.schedulers.get(scheduler_name)
        if queue is None or scheduler is None:
            continue
        losses = {mark.loss_priority for mark in marks if mark.name == name} or {_LOSS}
        marking = _marking(reading, scheduler, {"any", *losses})
        if marking:
            port.markings[queue] = marking
        if scheduler.strict:
            port.strict[queue] = scheduler.strict
        if scheduler.percent:
            shares = port.strict_percent if scheduler.strict else port.percent
            shares[queue] = scheduler.percent


def _schedulers(reading: LosslessLines, port: PortPolicy) -> dict[str, str]:
    """Return the scheduler of each forwarding class, by all maps of a port."""
    bound = _bound(reading, port, "scheduler-map")
    names = [bound.name] if bound else []
    names += [
        reading.control_profiles.get(one.name, "")
        for one in _fitting(reading, port, "traffic-control-profile")
    ]
    return {key: value for name in names for key, value in reading.maps.get(name, {}).items()}


def _marking(reading: LosslessLines, scheduler: Scheduler, losses: set[str]) -> Marking | None:
    """Return the marking of a scheduler; without a drop profile it has none."""
    name = next((one for loss, one in scheduler.profiles.items() if loss in losses), None)
    if name is None:
        return None
    profile = reading.drop_profiles.get(name)
    marking = Marking(profile.line if profile else scheduler.line, ecn=scheduler.ecn)
    if profile:
        _thresholds(marking, profile)
    return marking


def _thresholds(marking: Marking, profile: DropProfile) -> None:
    """Set where marking begins, and where it is at its most, in percent of the queue."""
    pairs = list(zip(profile.levels, profile.chances, strict=False))
    if len(profile.levels) != len(profile.chances) or not pairs:
        return
    marking.pmax_percent = max(profile.chances)
    most = next(level for level, chance in pairs if chance == marking.pmax_percent)
    zeros = [level for level, chance in pairs if chance == 0]
    if zeros and marking.pmax_percent:
        marking.limits = zeros[-1], most
