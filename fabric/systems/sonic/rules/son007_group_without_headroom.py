"""SON007: lossless buffer profiles have headroom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.sonic.platforms import COMPUTED_PROFILE
from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON007")
class GroupWithoutHeadroom(SonicRule):
    """Lossless buffer profiles have headroom."""

    why = "Without xoff there is no room for frames that arrive after the pause."
    source = (
        "sonic-net/sonic-swss orchagent/bufferorch.cpp; sonic-net/SONiC doc/qos/dynamically-"
        "headroom-calculation.md"
    )
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the profile of every lossless group."""
        names = {name for name in config.profiles if name.startswith("pg_lossless_")}
        for port in config.lossless_ports:
            for group in port.groups:
                row = config.groups.get((port.name, group), {})
                name = str(row.get("profile", COMPUTED_PROFILE))
                if name == COMPUTED_PROFILE:
                    if row and not config.dynamic_buffers:
                        yield self.finding(
                            f"group {group} needs a buffer computed by the "
                            f"switch, but its buffer_model is not dynamic",
                            "use a lossless profile, or set buffer_model to dynamic",
                            device=config.device,
                            port=port.name,
                        )
                elif "lossy" not in str((config.profile(name) or {}).get("pool")):
                    names.add(name)
        for name in sorted(names):
            profile = config.profile(name)
            if profile is None:
                yield self.finding(
                    f"buffer profile {name} of a lossless group does not exist",
                    "add it to BUFFER_PROFILE",
                    device=config.device,
                )
            elif not config.dynamic_buffers and not number(profile.get("xoff")):
                yield self.finding(
                    f"lossless buffer profile {name} has no xoff",
                    "add xon and xoff from the pg_profile_lookup.ini of the SKU",
                    device=config.device,
                )
