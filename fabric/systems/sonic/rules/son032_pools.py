"""SON032: pools fit their profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.config_db import Row
    from fabric.validate.world import SonicConfig


@rules.add("SON032")
class PoolsFit(SonicRule):
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
        ingress = {str(row.get("profile")) for row in config.groups.values()}
        lossless = {
            str(config.groups.get((port.name, group), {}).get("profile"))
            for port in config.lossless_ports
            for group in port.groups
        }
        egress = {str(row.get("profile")) for row in config.queue_buffers.values()}
        for name, profile in config.profiles.items():
            pool_name = str(profile.get("pool", "")).strip("[]").rpartition("|")[2]
            pool = pools.get(pool_name, {})
            message = _mismatch(config, profile, pool)
            if not message and name in lossless and pool.get("mode") == "static":
                message = "has dynamic_th, its pool is static" if "dynamic_th" in profile else ""
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
