"""Rules about buffer pools and profiles of a CONFIG_DB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import number, plain_name
from fabric.systems.sonic.rule import SonicModelRule, SonicPolicyRule
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import Row, SonicConfig


#: dynamic_th that the vendors' templates use for practically unlimited.
UNLIMITED = 7


@rules.add("SON005")
class EgressLossless(SonicPolicyRule):
    """The lossless queue never drops at egress."""

    why = "A queue with a tail drop limit drops packets that PFC protected up to that point."
    source = "sonic-net/sonic-buildimage device/*/buffers_defaults_t1.j2 (egress_lossless_profile)"
    guards = ("lossless.queue",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the egress profile of every lossless queue."""
        pools = config.rows("BUFFER_POOL")
        for port in config.lossless_ports:
            for queue in port.queues:
                row = config.queue_buffers.get((port.name, queue))
                profile = config.profile(row.get("profile")) if row else None
                if row and not _lossless(profile, pools):
                    may = _may_share(profile)
                    yield self.finding(
                        f"lossless queue {queue} has egress profile {row.get('profile')}, which "
                        + ("drops when the pool is full enough" if may else "can drop"),
                        "use a profile with a static_th of the whole pool, or dynamic_th 7"
                        if may
                        else "use egress_lossless_profile",
                        device=config.device,
                        port=port.name,
                        severity=Severity.WARNING if may else None,
                    )


def _may_share(profile: Row | None) -> bool:
    """Say whether a queue may take a multiple of what is free, as some vendors ship it."""
    dynamic = number(profile.get("dynamic_th")) if profile else None
    lossy = "lossy" in str(profile.get("pool")) if profile else True
    return not lossy and dynamic is not None and dynamic >= 0


def _lossless(profile: Row | None, pools: dict[str, Row]) -> bool:
    """Say whether a queue with this profile may fill the whole pool."""
    if profile is None or "lossy" in str(profile.get("pool")):
        return False
    static, dynamic = number(profile.get("static_th")), number(profile.get("dynamic_th"))
    size = number(pools.get(str(profile.get("pool")), {}).get("size"))
    return (dynamic is not None and dynamic >= UNLIMITED) or (
        static is not None and (size is None or static >= size)
    )


#: Range of dynamic_th (sonic-net/sonic-buildimage sonic-buffer-profile.yang).
LOWEST, HIGHEST = -8, 7


@rules.add("SON009")
class OneThreshold(SonicPolicyRule):
    """Buffer profiles have one threshold."""

    why = "With neither dynamic_th nor static_th, or with both, the daemon rejects the profile."
    source = "sonic-net/sonic-swss orchagent/bufferorch.cpp"
    guards = ("lossless.dynamic_th",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at both thresholds of every profile."""
        for name, profile in config.profiles.items():
            computed = config.dynamic_buffers and "pool" not in profile
            present = [field for field in ("dynamic_th", "static_th") if field in profile]
            if len(present) != 1 and not (computed and not present):
                yield self.finding(
                    f"buffer profile {name} has {'both' if present else 'neither'} dynamic_th "
                    f"{'and' if present else 'nor'} static_th",
                    "give it exactly one of them",
                    device=config.device,
                )
            alpha = number(profile.get("dynamic_th", 0))
            if alpha is None or not LOWEST <= alpha <= HIGHEST:
                yield self.at(
                    config,
                    ("BUFFER_PROFILE", name, "dynamic_th"),
                    f"dynamic_th {profile['dynamic_th']} of {name} is not from {LOWEST} to "
                    f"{HIGHEST}",
                    "use the exponent of alpha, such as 0",
                )


#: All of the memory that pools share.
_WHOLE_PERCENT = 100


@rules.add("SON032")
class PoolsFit(SonicPolicyRule):
    """Pools fit their profiles."""

    why = (
        "The buffer manager rejects the profile, or a port has no buffer and drops from the start."
    )
    source = (
        "sonic-net/sonic-swss orchagent/bufferorch.cpp; sonic-net/sonic-buildimage "
        "src/sonic-yang-models/yang-models/sonic-buffer-pool.yang, sonic-buffer-profile.yang"
    )
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at every pool, and at every profile with its pool."""
        pools = config.rows("BUFFER_POOL")
        for name, pool in pools.items():
            yield from self._pool(config, name, pool)
        yield from self._shares(config)
        ingress = {str(row.get("profile")) for row in config.groups.values()}
        lossless = {
            str(config.groups.get((port.name, group), {}).get("profile"))
            for port in config.lossless_ports
            for group in port.groups
        }
        egress = {str(row.get("profile")) for row in config.queue_buffers.values()}
        for name, profile in config.profiles.items():
            pool_name = plain_name(profile.get("pool", ""))
            pool = pools.get(pool_name, {})
            message = _mismatch(config, profile, pool)
            other = {"static": "dynamic", "dynamic": "static"}.get(str(pool.get("mode")), "")
            if not message and name in lossless and f"{other}_th" in profile:
                message = f"has {other}_th, its pool is {pool['mode']}"
            for users, direction in ((ingress, "ingress"), (egress, "egress")):
                if name in users and pool.get("type") not in {None, direction, "both"}:
                    message = f"is used at {direction}, its pool {pool_name} is for {pool['type']}"
            if message:
                yield self.at(
                    config,
                    ("BUFFER_PROFILE", name),
                    f"profile {name} {message}",
                    "correct the profile or its pool as in the vendor's buffers.json.j2",
                )

    def _shares(self, config: SonicConfig) -> Iterator[Finding]:
        """Judge the parts of the memory that ingress pools of the dynamic model are given."""
        pools = config.rows("BUFFER_POOL").items()
        shares = {
            name: number(row.get("percentage")) or 0
            for name, row in pools
            if config.dynamic_buffers and row.get("type") in {"ingress", "both"}
        }
        if sum(shares.values()) > _WHOLE_PERCENT:
            yield self.at(
                config,
                ("BUFFER_POOL", next(iter(shares))),
                f"ingress pools take {sum(shares.values())} % of the memory",
                "lower percentage, so that the sum is 100 or less",
            )

    def _pool(self, config: SonicConfig, name: str, pool: Row) -> Iterator[Finding]:
        needed = {"type": {"ingress", "egress", "both"}, "mode": {"static", "dynamic"}}
        for field, words in needed.items():
            if pool.get(field) not in words:
                yield self.at(
                    config,
                    ("BUFFER_POOL", name),
                    f"pool {name} has {field} {pool.get(field, '(none)')}",
                    f"use one of {', '.join(sorted(words))}",
                )
        if not config.dynamic_buffers and not number(pool.get("size")):
            yield self.at(
                config,
                ("BUFFER_POOL", name),
                f"pool {name} has size {pool.get('size', '(none)')}",
                "use the size of the vendor's buffers_defaults_t1.j2",
            )


def _mismatch(config: SonicConfig, profile: Row, pool: Row) -> str:
    """Return what is wrong between a profile and its pool; empty when nothing is."""
    size, headroom = number(pool.get("size")), number(profile.get("xoff"))
    if "pool" not in profile and not config.dynamic_buffers:
        return "has no pool"
    if size and headroom and size < headroom:
        return f"keeps {headroom} bytes of headroom, its pool has {size}"
    return ""


@rules.add("SON044")
class MemoryFits(SonicModelRule):
    """Pools, headroom and reserved buffers fit in the memory of the ASIC."""

    why = (
        "After a cold boot lossless groups have no buffer, and only the log shows it; a warm "
        "reboot fails."
    )
    source = (
        "sonic-net/sonic-buildimage issue 28657, pull request 28658; sonic-net/sonic-swss "
        "cfgmgr/buffer_pool_mellanox.lua"
    )
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Hold each pool, then all that is taken at ingress, against the memory."""
        model = self.model(config)
        memory_bytes = model.packet_buffer_bytes if model else None
        if model is None or memory_bytes is None:
            return
        chip = f"{model.asic_facts.title} has {memory_bytes:,}"
        sizes = {name: number(row.get("size")) or 0 for name, row in _pools(config).items()}
        for name, size in sizes.items():
            if size > memory_bytes:
                yield self._finding(config, name, f"pool {name} of {size:,} bytes: {chip}")
        need_bytes = ingress_bytes(config)
        if max(sizes.values(), default=0) <= memory_bytes < need_bytes:
            known = model.asic_facts.fact("pool_headroom") is not None
            yield self._finding(
                config,
                "ingress_lossless_pool",
                f"ingress pools, headroom and reserved buffers take {need_bytes:,} bytes: {chip}"
                + ("" if known else "; whether a pool of this ASIC has its xoff inside is unknown"),
                Severity.WARNING if known else Severity.INFO,
            )

    def _finding(
        self, config: SonicConfig, pool: str, message: str, severity: Severity | None = None
    ) -> Finding:
        fix = "use smaller pools, or fewer or shorter lossless ports"
        return self.at(config, ("BUFFER_POOL", pool), message, fix, severity=severity)


def _pools(config: SonicConfig) -> dict[str, Row]:
    """Return the pools whose size the file tells; the switch computes those without one."""
    pools = config.rows("BUFFER_POOL")
    if not config.dynamic_buffers:
        return pools
    return {name: row for name, row in pools.items() if "size" in row}


def ingress_bytes(config: SonicConfig) -> int:
    """Return what the ingress side takes: pools, their headroom, and buffers of groups.

    Where no pool has an ``xoff``, each group has its own headroom.
    """
    pools = [row for row in _pools(config).values() if row.get("type") in {"ingress", "both"}]
    shared = sum(number(row.get("xoff")) or 0 for row in pools)
    profiles = [config.profile(row.get("profile")) or {} for row in config.groups.values()]
    own = sum(_group_bytes(profile, shares=bool(shared)) for profile in profiles)
    return sum(number(row.get("size")) or 0 for row in pools) + shared + own


def _group_bytes(profile: Row, *, shares: bool) -> int:
    size, xon, xoff = (number(profile.get(field)) or 0 for field in ("size", "xon", "xoff"))
    return size if shares else max(size, xon + xoff if xoff else 0)


_LISTS = {
    "BUFFER_PORT_INGRESS_PROFILE_LIST": "ingress",
    "BUFFER_PORT_EGRESS_PROFILE_LIST": "egress",
}


@rules.add("SON033")
class ProfileLists(SonicPolicyRule):
    """Lossless ports have their profile lists."""

    why = "A port without its lists uses no pool, or has the thresholds of the other direction."
    source = (
        "sonic-net/sonic-buildimage files/build_templates/buffers_config.j2; sonic-net/sonic-swss "
        "orchagent/bufferorch.cpp (processIngressBufferProfileList, processEgressBufferProfileList)"
    )
    judges_rendered = False
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at both lists of every lossless port."""
        for table, direction in _LISTS.items():
            lists = {
                port: row for key, row in config.rows(table).items() for port in key.split(",")
            }
            # Images for other ASICs than NVIDIA's have no lists at all.
            needed = bool(lists) or any(
                maker in str(config.metadata.get("platform")) for maker in ("mlnx", "nvidia")
            )
            for port in config.lossless_ports if needed else ():
                row = lists.get(port.name)
                message = (
                    f"lossless port without {table}"
                    if row is None
                    else _wrong(config, str(row.get("profile_list", "")), direction)
                )
                if message:
                    yield self.at(
                        config,
                        (table, port.name),
                        message,
                        f"list the {direction}_lossless_profile and the {direction}_lossy_profile",
                        port=port.name,
                    )


def _wrong(config: SonicConfig, names: str, direction: str) -> str:
    """Return what is wrong with a list; empty when nothing is."""
    profiles = [config.profile(name.strip()) or {} for name in names.split(",")]
    pools = [plain_name(profile.get("pool", "")) for profile in profiles]
    types = {
        str(row["type"])
        for pool in pools
        if "type" in (row := config.rows("BUFFER_POOL").get(pool, {}))
    }
    if types - {direction, "both"}:
        return f"the {direction} list {names} has profiles of {' and '.join(sorted(types))} pools"
    if not any("lossless" in pool for pool in pools):
        return f"the {direction} list {names} has no profile of a lossless pool"
    return ""
