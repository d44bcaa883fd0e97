"""The policy that holds at one device and port, and where each of its values comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.core.shown import field_text
from fabric.intent.classes import before_list
from fabric.intent.policy import LosslessPolicy, merge, set_paths
from fabric.platforms.model import role_field

if TYPE_CHECKING:
    from fabric.core.findings import Position
    from fabric.intent.inventory import Intent, Located
    from fabric.intent.policy import Model
    from fabric.platforms.model import Role


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a policy value was set: ``level`` in words, with field path and position if written."""

    level: str
    field: str
    position: Position | None


@dataclass(frozen=True)
class _Layer:
    level: str
    policy: LosslessPolicy
    field: str
    located: Located[Any] | None
    path: tuple[str | int, ...]


class PolicyResolver:
    """Merges the policy of the fabric with what roles, devices, ports and hosts override."""

    def __init__(self, intent: Intent) -> None:
        self._intent = intent
        self._cache: dict[tuple[int, ...], LosslessPolicy] = {}
        self._of_role: dict[Role, LosslessPolicy] = {}

    def __reduce__(self) -> tuple[type[PolicyResolver], tuple[Intent]]:
        return PolicyResolver, (self._intent,)  # what is kept goes by addresses of this process

    def switch(self, name: str, role: Role, port: str = "") -> LosslessPolicy:
        """Return the policy of a switch, or of one of its ports."""
        if name in self._intent.device_overrides:
            return self._merged(self._switch_layers(name, role, port))
        if role not in self._of_role:
            self._of_role[role] = self._merged(self._switch_layers(name, role, ""))
        return self._of_role[role]

    def host(self, name: str) -> LosslessPolicy:
        """Return the policy of a host."""
        return self._merged(self._host_layers(name))

    def switch_origin(self, field: str, name: str, role: Role, port: str = "") -> Origin:
        """Return where the value of a dotted field of the policy of a switch port was set."""
        return self._origin(field, self._switch_layers(name, role, port))

    def host_origin(self, field: str, name: str) -> Origin:
        """Return where the value of a dotted field of the policy of a host was set."""
        return self._origin(field, self._host_layers(name))

    def _merged(self, layers: list[_Layer]) -> LosslessPolicy:
        key = tuple(id(layer.policy) for layer in layers)
        if key not in self._cache:
            policy = LosslessPolicy()
            for layer in layers:
                under = before_list(policy) if layer.policy.classes else policy
                policy = merge(under, layer.policy)
            self._cache[key] = policy
        return self._cache[key]

    def _switch_layers(self, name: str, role: Role, port: str) -> list[_Layer]:
        layers = [self._base()]
        platform = self._intent.fabric.platforms.of(role)
        if platform and platform.lossless:
            field = f"fabric.platforms.{role_field(role)}.lossless"
            path = ("platforms", role_field(role), "lossless")
            layers.append(_Layer(f"role {role}", platform.lossless, field, None, path))
        layers += [
            _layer(f"device {name}", override.value.lossless, override)
            for override in self._intent.device_overrides.get(name, [])
            if override.value.lossless
        ]
        for override in self._intent.device_overrides.get(name, []):
            change = override.value.ports.get(port)
            if change and change.lossless:
                layers.append(_layer(f"port {port}", change.lossless, override, "ports", port))
        return layers

    def _host_layers(self, name: str) -> list[_Layer]:
        return [
            self._base(),
            *(
                _layer(f"host {name}", override.value.lossless, override)
                for override in self._intent.host_overrides.get(name, [])
                if override.value.lossless
            ),
        ]

    def _base(self) -> _Layer:
        return _Layer(
            "fabric", self._intent.fabric.lossless, "fabric.lossless", None, ("lossless",)
        )

    def _origin(self, field: str, layers: list[_Layer]) -> Origin:
        path = tuple(int(part) if part.isdigit() else part for part in field.split("."))
        for layer in reversed(layers):
            written = set_paths(layer.policy)
            known = path if path in written else path[:2]  # of a class, what it leaves out
            if any(one[: len(known)] == known for one in written):  # a field, or one of a section
                owner = layer.located or self._intent
                return Origin(
                    layer.level,
                    f"{layer.field}.{field_text(path)}",
                    owner.position(*layer.path, *known),
                )
        return Origin("default", f"fabric.lossless.{field_text(path)}", None)


def _layer(level: str, policy: LosslessPolicy, located: Located[Any], *path: str) -> _Layer:
    whole = (*path, "lossless")
    return _Layer(level, policy, located.field(*whole), located, whole)


def field_value(policy: Model, field: str) -> object:
    """Return the value of a dotted field of a policy."""
    value: object = policy
    for part in field.split("."):
        value = getattr(value, part) if value is not None else None
    return value
