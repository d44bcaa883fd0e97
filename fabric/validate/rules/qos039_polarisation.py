"""QOS039: switches of two tiers choose their paths independently."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.qos.ecmp.hashing import TierHash, effective_paths, polarised
from fabric.topology.layout import down_paths
from fabric.topology.model import ROLES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.platforms.model import Role
    from fabric.validate.world import Model


@rules.add("QOS039")
class Polarisation(ModelRule):
    """Switches of two tiers choose their paths independently."""

    severity = Severity.WARNING
    why = "If a spine hashes like its leaves, its choice depends on theirs, and links stay idle."
    source = (
        "sonic-net/sonic-buildimage dockers/docker-orchagent/switch.json.j2 (ecmp_hash_seed and "
        "ecmp_hash_offset by type)"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "spines.links_per_leaf", "ecmp.mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare how the first switches of each pair of models in two tiers hash."""
        fabric, seen = model.fabric, set()
        by_role: dict[Role, list[DeviceDesign]] = {role: [] for role in ROLES}
        for device in model.devices.values():
            key = (device.role, device.platform, device.sku.asic)
            if key not in seen:
                seen.add(key)
                by_role[device.role].append(device)
        for below, above in pairwise(ROLES) if model.intent.fabric.ecmp.mode == "hash" else ():
            for lower, upper in product(by_role[below], by_role[above]):
                far_width = down_paths(fabric, fabric.switch_row[upper.name])
                if far_width > 1:
                    near_width = len(fabric.uplinks_of(fabric.switch_row[lower.name]))
                    yield from self._pair(model, (lower, near_width), (upper, far_width))

    def _pair(
        self, model: Model, near: tuple[DeviceDesign, int], far: tuple[DeviceDesign, int]
    ) -> Iterator[Finding]:
        (leaf, near_width), (spine, far_width) = near, far
        top = spine.role == "super-spine"
        place = model.place(*(("super_spines",) if top else ("spines", "links_per_leaf")))
        names = "spines and super-spines" if top else "leaves and spines"
        uppers = "super-spines" if top else "spines"
        tiers = [_tier(device, width) for device, width in (near, far)]
        known = [tier for tier in tiers if tier]
        alike = (leaf.platform, leaf.sku.asic) == (spine.platform, spine.sku.asic)
        if len(known) < len(tiers) and alike:
            paths, nominal = effective_paths(near_width, far_width), near_width * far_width
            yield self.finding(
                f"the hash of {leaf.sku.name} is not known: if {names} use one "
                f"seed, only {paths} of {nominal} paths carry traffic",
                f"set a different hash seed on the {uppers}, or use one link of a higher speed",
                place=place,
                device=spine.name,
                severity=Severity.INFO,
            )
        for found in polarised(known):
            yield self.finding(
                found.reason,
                "",
                place=place,
                device=spine.name,
                severity=None if found.certain else Severity.INFO,
            )


def _tier(device: DeviceDesign, width: int) -> TierHash | None:
    found = platforms[device.platform].ecmp_hash.get(device.role)
    if found is None:
        return None
    return TierHash(
        tier=device.role,
        width=width,
        algorithm=found.algorithm,
        fields=found.fields,
        asic=device.sku.asic,
        seed=found.seed,
        offset=found.offset,
    )
