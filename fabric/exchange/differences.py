"""What a source says of a fabric, and the inventory that was made of it does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING

from fabric.core.findings import Finding, Position, Severity
from fabric.intent.wording import listed

if TYPE_CHECKING:
    from fabric.exchange.plant import Device, Nic, Plant

#: What is kept in another place, or is written in another way on purpose.
_ELSEWHERE = ("device.management", "device.model", "device.system", "device.rack")
_FIGURES = frozenset({"cable.speed_gbps", "cable.cable_m"})


def differences(made: Plant, realised: Plant, shown: str) -> list[Finding]:
    """Return what the source says and the new inventory does not, field by field."""
    counts: Counter[str] = Counter()
    for device in made.devices:
        counts.update(_unlike("device", device, realised.device.get(device.name)))
    for end, nic in made.nic.items():
        counts.update(_unlike("nic", nic, realised.nic.get(end)))
    for name in _ELSEWHERE:
        del counts[name]
    cables = set(made.without(_FIGURES).cables) - set(realised.without(_FIGURES).cables)
    counts["cable"] += len(cables)
    lost = [f"{name} of {count}" for name, count in sorted(counts.items()) if count]
    if not lost:
        return []
    message = f"the source has data that the inventory cannot represent: {listed(lost, 'and')}"
    fix = "see docs/exchange.md for what is imported"
    return [Finding("EXC012", Severity.WARNING, message, fix, position=Position(shown))]


def _unlike(word: str, item: Device | Nic, other: Device | Nic | None) -> list[str]:
    """Return the fields that are known and that the other one has not."""
    told = ((field.name, getattr(item, field.name)) for field in fields(item))
    return [
        f"{word}.{name}"
        for name, said in told
        if said is not None and said != "" and said != getattr(other, name, None)
    ]
