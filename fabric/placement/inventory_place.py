"""Where the inventory says something about a host, for errors of an export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from fabric.core.findings import Position
    from fabric.topology.model import Fabric


def traits_place(fabric: Fabric, host: str, *path: str) -> tuple[str, Position | None]:
    """Return field and position of a trait of a host; the last override that sets it counts."""
    for override in reversed(fabric.intent.host_overrides.get(host, [])):
        if _sets(override.value.traits, path):
            field = ".".join(str(part) for part in (*override.path, "traits", *path))
            return field, override.position("traits", *path)
    return ".".join(("fabric", "host", *path)), fabric.intent.position("host", *path)


def _sets(model: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if model is None or name not in model.model_fields_set:
            return False
        model = getattr(model, name)
    return True


def refused_trait(
    fabric: Fabric, host: str, path: tuple[str, ...], message: str, fix: str
) -> InputError:
    """Return the error of an export that a trait of a host does not allow."""
    field, position = traits_place(fabric, host, *path)
    finding = Finding(
        "PLC012", Severity.ERROR, message, fix, field=field, position=position, device=host
    )
    return InputError("the export cannot be written", [finding])


def refused_field(fabric: Fabric, path: tuple[str, ...], message: str, fix: str) -> InputError:
    """Return the error of an export that a field of ``fabric.yaml`` does not allow."""
    field, position = ".".join(("fabric", *path)), fabric.intent.position(*path)
    finding = Finding("PLC012", Severity.ERROR, message, fix, field=field, position=position)
    return InputError("the export cannot be written", [finding])
