"""SON033: lossless ports have their profile lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


_LISTS = {
    "BUFFER_PORT_INGRESS_PROFILE_LIST": "ingress",
    "BUFFER_PORT_EGRESS_PROFILE_LIST": "egress",
}


@rules.add("SON033")
class ProfileLists(SonicRule):
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
    pools = [str(profile.get("pool", "")).strip("[]").rpartition("|")[2] for profile in profiles]
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
