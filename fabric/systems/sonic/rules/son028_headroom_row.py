"""SON028: headroom is that of the vendor table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.qos.headroom.wire import RESPONSE_QUANTA, floor_bytes
from fabric.validate.config_db import DEFAULT_MTU, number
from fabric.validate.rule import SonicModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.platforms.model import HeadroomRow as Row
    from fabric.validate.world import SonicConfig


#: Field of a profile -> what the table calls it.
_FIELDS = {"xoff": "headroom_bytes", "xon": "xon_threshold_bytes", "size": "size_bytes"}


@rules.add("SON028")
class HeadroomRow(SonicModelRule):
    """Headroom is at least that of the vendor's table."""

    why = "Frames that arrive after the pause find no room and are dropped."
    source = (
        "sonic-net/sonic-buildimage device/*/*/*/pg_profile_lookup.ini; IEEE 802.3 annex 31B for "
        "models without a table"
    )
    judges_rendered = False
    guards = ("cables.host_m", "cables.uplink_m", "lossless.pfc")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the profile of every lossless group with speed and cable of its port."""
        if config.dynamic_buffers:
            return
        model = self.model(config)
        shared = any(number(pool.get("xoff")) for pool in config.rows("BUFFER_POOL").values())
        for port in config.lossless_ports:
            speed, cable_m = config.speed_mbps(port.name), config.cable_m(port.name)
            for group in port.groups:
                name = str(config.groups.get((port.name, group), {}).get("profile"))
                profile = config.profile(name)
                if not _is_lossless(profile) or speed is None or cable_m is None:
                    continue
                row = model.headroom.get((speed, cable_m)) if model else None
                for field, least in _least(row, speed, cable_m, shared=shared):
                    kept = number(profile[field]) if profile and field in profile else None
                    if kept is not None and kept < least:
                        yield self.at(
                            config,
                            ("BUFFER_PROFILE", name, field),
                            f"{field} {kept} of {name} is below {least}, which a {speed // 1000}G "
                            f"port with {cable_m} m of cable needs",
                            f"use the row of the vendor's table: {field} {least}",
                            port=port.name,
                        )


def _is_lossless(profile: Mapping[str, Any] | None) -> bool:
    """Tell whether a profile has headroom; SON003 and SON007 judge one that has none."""
    return bool(profile and number(profile.get("xoff")) and "lossy" not in str(profile.get("pool")))


def _least(
    row: Row | None, speed_mbps: int, cable_m: int, *, shared: bool
) -> list[tuple[str, int]]:
    """Return the least value of each field; with a shared headroom pool size is xon alone."""
    if row is not None:
        fields = [field for field in _FIELDS if field != "size" or not shared]
        return [(field, int(getattr(row, _FIELDS[field]))) for field in fields]
    if speed_mbps // 1000 not in RESPONSE_QUANTA:
        return []
    return [("xoff", int(floor_bytes(speed_mbps / 1000, cable_m, DEFAULT_MTU, 0)))]
