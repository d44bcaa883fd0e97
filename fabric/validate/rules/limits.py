"""The rules that systems declare in ``features.toml``: one for each id."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.comparisons import short
from fabric.design.limits import ClassOf, rule_violations
from fabric.design.model import BgpNeighbour
from fabric.design.port_model import PortDesign
from fabric.design.qos_model import QosProfile
from fabric.platforms import platforms
from fabric.platforms.features import declared
from fabric.validate.origins import names_place, port_place, switch_place
from fabric.validate.rule import SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.limits import Violation
    from fabric.design.model import DeviceDesign
    from fabric.platforms.features import Limit, LimitedRule
    from fabric.validate.origins import Place
    from fabric.validate.places import Places

#: Fields of the inventory that stand for several.
_GUARDS = {
    "name": ("switch_prefix", "leaf_names", "spine_names", "units.name", "switches.names"),
    "cables": ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m"),
    "platforms.leaf.sku": ("platforms.leaf.sku", "platforms.spine.sku"),
    "lossless.dynamic_th of a port": ("lossless.dynamic_th",),
    "lossless.scheduler": ("lossless.scheduler",),
}


class LimitRule(SwitchRule):
    """Limits that one system declares."""

    def __init__(self, system: str, declared_rule: LimitedRule, rule_id: str) -> None:
        super().__init__(rule_id)
        self.system, self.rule = system, declared_rule
        self.why, self.source = declared_rule.why, declared_rule.source
        self.severity = Severity.of_word(declared_rule.severity)
        fields = [
            field
            for limit in declared_rule.limits
            for field in (*limit.fields, *([limit.multiple_of] if limit.multiple_of else []))
        ]
        guards = [guard for field in fields for guard in _GUARDS.get(field, (field,))]
        self.guards = declared_rule.guards or tuple(dict.fromkeys(guards))

    @property
    def title(self) -> str:
        """What the rule requires."""
        return self.rule.title

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the design of every switch of the system with the limits."""
        if device.platform == self.system:
            for violation in rule_violations(self.rule, device):
                yield self._finding(places, device, violation)
            for limit in self.rule.limits:
                if limit.written and limit.includes(device.sku, device.role):
                    yield from self._written(places, device, limit)

    def _finding(self, places: Places, device: DeviceDesign, violation: Violation) -> Finding:
        found = [_place(places, device, violation, field) for field in violation.fields]
        return self.finding(
            violation.message,
            violation.fix,
            place=max(found, key=lambda place: place.specific) if found else None,
            device=device.name,
            port=getattr(_port(violation), "name", ""),
            severity=Severity.of_word(violation.severity),
        )

    def _written(self, places: Places, device: DeviceDesign, limit: Limit) -> Iterator[Finding]:
        """Report values that the inventory sets and the system does not render."""
        title = platforms[device.platform].title
        for field in limit.fields:
            place = _written_place(places, device, field)
            if place and place.written:
                yield self.finding(
                    limit.message or f"{short(field)} is not rendered for {title}",
                    limit.fix or "set it for other systems only",
                    place=place,
                    device=device.name,
                )


def _written_place(places: Places, device: DeviceDesign, field: str) -> Place | None:
    group, _, name = field.partition(".")
    if group == "lossless":
        return places.policy_place(name, device.name)
    is_set = name in getattr(places.intent.fabric, group).model_fields_set
    return places.place(group, name) if is_set else None


def _place(places: Places, device: DeviceDesign, violation: Violation, field: str) -> Place:
    """Return where the inventory sets a value that is outside a limit."""
    group, _, name = field.partition(".")
    subject, port = violation.subject, _port(violation)
    if group == "cables" and port:
        return places.cable_place(device, port, "cable_m")
    if field == "lossless.dynamic_th of a port" and port:
        return places.policy_place("dynamic_th", device.name, port.name)
    if group == "name":
        return names_place(places.fabric, device.role, device.name)
    if isinstance(subject, ClassOf):
        return places.profile_place(subject.lossless.field(name), device, subject.profile)
    if group == "lossless":
        assert isinstance(subject, QosProfile)
        return places.profile_place(name, device, subject)
    if group == "platforms" or field == "devices.ports.lossless":
        return places.sku_place(device)
    if group == "devices" and port:
        place = port_place(places.intent, device.name, port.name, name.removeprefix("ports."))
        return place or places.place("host", "interfaces")
    if isinstance(subject, BgpNeighbour):
        return switch_place(places.intent, subject.name, "asn") or places.place(group, name)
    return places.place(group, name)


def _port(violation: Violation) -> PortDesign | None:
    return violation.subject if isinstance(violation.subject, PortDesign) else None


for _system, _features in declared().items():
    for _rule in _features.rules:
        rules.add(_rule.id)(partial(LimitRule, _system, _rule))
