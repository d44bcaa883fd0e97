"""Rules about load balancing (ECM), and about flows on equal paths."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.design.features import missing
from fabric.platforms import platforms
from fabric.platforms.features import feature
from fabric.qos.ecmp.collective import enough_queue_pairs, spread
from fabric.qos.ecmp.hashing import TierHash, effective_paths, polarised
from fabric.topology.layout import down_paths
from fabric.validate.capacity import leaf_flows
from fabric.validate.rule import ModelRule, SwitchRule, areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.topology.model import Fabric
    from fabric.validate.places import Places
    from fabric.validate.world import Model


#: What changes the paths where the hash cannot be set.
_OTHER_HASH = (
    "use models with another ASIC in one of the tiers, numbers of equal links without a common "
    "divisor, or one link of a higher speed"
)

areas.add("ECM")("ECMP load balancing")


@rules.add("ECM001")
class ModeAvailable(SwitchRule):
    """The load balancing mode is supported by every switch."""

    why = "If some switches move flows and others do not, the hashing switches congest first."
    source = "The sources that the templates of each system cite at ecmp.mode"
    guards = ("ecmp.mode",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for systems without the mode."""
        for one in missing(device, self.id):
            yield self.finding(
                one.message,
                "set ecmp.mode to a mode that all systems of the fabric support",
                place=places.place("ecmp", "mode"),
                device=device.name,
            )


@rules.add("ECM002")
class Reordering(ModelRule):
    """NICs support out-of-order packets where the fabric causes them."""

    severity = Severity.WARNING
    why = (
        "A NIC that treats reordering as loss retransmits everything: goodput collapses, "
        "and no switch counter shows it."
    )
    source = (
        "NVIDIA Cumulus Linux 5.14 user guide, Adaptive Routing; Juniper/terraform-apstra-examples "
        "@ 28d884d3 ai-cluster-jvd/configlet_dlb.tf"
    )
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Say it once for the fabric."""
        if model.intent.fabric.ecmp.mode == "per-packet":
            yield self.finding(
                "with ecmp.mode per-packet the NICs receive packets out of order",
                "make sure that every NIC supports it (selective repeat), or use flowlet",
                place=model.place("ecmp", "mode"),
            )


@rules.add("ECM003")
class QueuePairs(SwitchRule):
    """Queue pairs are hashed only where the switch is known to support it."""

    why = (
        "If the hash ignores them, all queue pairs of two NICs with the same source port "
        "share one path, and nothing shows that the setting has no effect."
    )
    source = (
        "ansible-collections/dellemc.enterprise_sonic sonic_ecmp_load_share (roce qpn); pyavd "
        "6.4.0 schema, load_balance.policies (EOS 4.33.1F on R-series)"
    )
    guards = ("ecmp.hash_queue_pairs",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look at every switch where the inventory asks for it."""
        place = places.place("ecmp", "hash_queue_pairs")
        asked = device.hash_queue_pairs
        cell = feature(device.platform, "queue_pair_hash", device.sku, device.role)
        if asked and cell is None:
            yield self.finding(
                f"{device.sku.name} has no confirmed way to hash queue pairs",
                "remove it and let the NICs vary the source port",
                place=place,
                device=device.name,
            )
        elif asked and cell and cell.grade == "unconfirmed":
            yield self.finding(
                f"{device.sku.name} hashes bytes 5 to 7 after the UDP header; "
                "the offset is not confirmed, and it needs EOS 4.33.1F",
                "measure the spread in a lab first",
                severity=Severity.WARNING,
                place=place,
                device=device.name,
            )


#: Values of ``ecmp.mode`` that spread a few large flows.
_MOVING: tuple[Literal["flowlet", "per-packet"], ...] = ("flowlet", "per-packet")
#: Share of an even spread below which more than half of the uplinks' bandwidth is lost.
LEAST_EFFICIENCY = 0.5


@rules.add("QOS038")
class FlowSpread(ModelRule):
    """The queue pairs of the hosts spread over all uplinks of a leaf."""

    severity = Severity.INFO
    why = (
        "A few large flows collide on some uplinks while others idle, and a collective "
        "waits for its slowest flow."
    )
    source = (
        "Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM "
        "2024; exact law of the maximum load of k balls in n bins"
    )
    guards = ("host.nccl_queue_pairs", "spines.count", "spines.links_per_leaf", "ecmp.mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Work out the slowest sender when all NICs of a leaf send over its uplinks."""
        if model.intent.fabric.ecmp.mode != "hash":
            return
        pairs = model.intent.fabric.host.nccl_queue_pairs
        flows = leaf_flows(model.fabric)
        modes: tuple[str, str] | None = None
        for row in np.unique(flows, axis=0):
            senders, links, ratio_percent = (int(value) for value in row)
            if senders < 2 or links < 2:  # noqa: PLR2004 - nothing to collide with
                continue
            efficiency, enough = _spread(senders, links, pairs, ratio_percent / 100)
            if efficiency < LEAST_EFFICIENCY:
                modes = modes or _modes(model)
                leaf = int(np.flatnonzero((flows == row).all(axis=1))[0])
                yield self.finding(
                    f"{counted(senders, 'NIC')} of a leaf on {counted(links, 'uplink')} with "
                    f"{counted(pairs, 'queue pair')} each reach {efficiency:.0%} of an even "
                    "spread on average",
                    f"{_advice(enough, *modes)}; see `rocefab show ecmp`",
                    place=model.place("host", "nccl_queue_pairs"),
                    device=model.fabric.switches.names[leaf],
                    is_example=True,
                )


@lru_cache(maxsize=256)
def _spread(
    senders: int, links: int, queue_pairs: int, link_ratio: float
) -> tuple[float, int | None]:
    efficiency = spread(senders, links, queue_pairs, link_ratio).efficiency
    return efficiency, enough_queue_pairs(senders, links, LEAST_EFFICIENCY, link_ratio)


def _advice(enough: int | None, modes: str, reason: str) -> str:
    """Return what to do, with the modes that no rule rejects, or why there are none."""
    if enough is not None:
        other = f", or ecmp.mode {modes}" if modes else f"; no ecmp.mode helps: {reason}"
        return f"use at least {counted(enough, 'queue pair')} for {LEAST_EFFICIENCY:.0%}{other}"
    if modes:
        return f"use ecmp.mode {modes}: queue pairs alone do not help enough"
    return f"add uplinks: queue pairs alone do not help enough, and no ecmp.mode does: {reason}"


def _modes(model: Model) -> tuple[str, str]:
    """Return the modes that no rule about a switch rejects, and the first reason of a rejection."""
    rejected = {mode: next(_rejected(model, mode), "") for mode in _MOVING}
    allowed = [mode for mode, reason in rejected.items() if not reason]
    return " or ".join(allowed), next(filter(None, rejected.values()), "")


def _rejected(model: Model, mode: Literal["flowlet", "per-packet"]) -> Iterator[str]:
    """Yield why switches do not have a mode."""
    names = [model.fabric.switches.names[row] for row in _first(model.fabric)]
    every = (rule(rule_id) for rule_id, rule in rules.items())
    judges = [r for r in every if isinstance(r, SwitchRule) and "ecmp.mode" in r.guards]
    for name, rule in product(names, judges):
        device = replace(model.devices[name], ecmp_mode=mode)
        for finding in rule.check_switch(model, device):
            if finding.severity is Severity.ERROR:
                yield f"on {name}, {finding.message}"


@rules.add("QOS039")
class Polarisation(ModelRule):
    """Switches of two tiers choose their paths independently."""

    severity = Severity.WARNING
    why = "A spine that hashes like its leaves repeats their choice: some links get no traffic."
    source = (
        "sonic-net/sonic-buildimage dockers/docker-orchagent/switch.json.j2 (ecmp_hash_seed and "
        "ecmp_hash_offset by type)"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "spines.links_per_leaf", "ecmp.mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare how the first switches of each pair of models in two tiers hash."""
        if model.intent.fabric.ecmp.mode != "hash":
            return
        fabric, first, far_widths = model.fabric, _first(model.fabric), down_paths(model.fabric)
        for lower, upper in product(first, first):
            far_width = int(far_widths[upper])
            if far_width > 1 and fabric.switches.tier[upper] == fabric.switches.tier[lower] + 1:
                near, far = (model.devices[fabric.switches.names[row]] for row in (lower, upper))
                near_width = len(fabric.uplinks_of(lower))
                yield from self._pair(model, (near, near_width), (far, far_width))

    def _pair(
        self, model: Model, near: tuple[DeviceDesign, int], far: tuple[DeviceDesign, int]
    ) -> Iterator[Finding]:
        (leaf, near_width), (spine, far_width) = near, far
        top = spine.role == "super-spine"
        place = model.place(*(("super_spines",) if top else ("spines", "links_per_leaf")))
        names = "spines and super-spines" if top else "leaves and spines"
        tiers = [_tier(device, width) for device, width in (near, far)]
        known = [tier for tier in tiers if tier]
        alike = (leaf.platform, leaf.sku.asic) == (spine.platform, spine.sku.asic)
        if len(known) < len(tiers) and alike:
            paths, nominal = effective_paths(near_width, far_width), near_width * far_width
            yield self.finding(
                f"{names} ({leaf.sku.name}) have the same ASIC, and rocefab does not know their "
                f"hash seeds. With the same seed, {paths} of {counted(nominal, 'path')} "
                f"{noun(paths, 'carries', 'carry')} traffic",
                _seed_advice(spine),
                place=place,
                device=spine.name,
                is_example=True,
                severity=Severity.INFO,
            )
        for values in polarised(known):
            yield self.finding(
                values.reason,
                f"no field of the inventory sets the hash: {_OTHER_HASH}",
                place=place,
                device=spine.name,
                is_example=True,
                severity=None if values.certain else Severity.INFO,
            )


def _seed_advice(device: DeviceDesign) -> str:
    """Return what to do where the seed decides and no template prints one."""
    platform = platforms[device.platform]
    if platform.own_seed:
        return platform.own_seed
    return (
        f"rocefab sets no seed: set another one in each tier, if the manual of {platform.title} "
        f"has a command. If it has none, {_OTHER_HASH}"
    )


def _first(fabric: Fabric) -> list[int]:
    """Return the first row of each role, system and ASIC."""
    tiers, rows = fabric.switches.tier.tolist(), enumerate(fabric.switches.skus)
    first: dict[tuple[int, str, str], int] = {}
    for row, sku in rows:
        first.setdefault((tiers[row], sku.nos, sku.asic), row)
    return list(first.values())


def _tier(device: DeviceDesign, width: int) -> TierHash | None:
    values = platforms[device.platform].ecmp_hash.get(device.role)
    if values is None:
        return None
    return TierHash(
        tier=device.role,
        width=width,
        algorithm=values.algorithm,
        fields=values.fields,
        asic=device.sku.asic,
        seed=values.seed,
        offset=values.offset,
    )
