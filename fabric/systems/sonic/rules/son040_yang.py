"""SON040: the configuration is valid by the YANG models of its release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.yang_judge import Yang
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.systems.sonic.yang_judge import Answer
    from fabric.validate.world import SchemaJudge, SonicConfig, World

_MOST_TABLES = 5


@rules.add("SON040")
class ValidYang(SonicRule):
    """The configuration is valid against the YANG models of the release."""

    why = (
        "config apply-patch rejects what its YANG models reject; from 202505 on config reload "
        "does too."
    )
    source = (
        "sonic-net/sonic-utilities generic_config_updater/gu_common.py, config/main.py (reload); "
        "sonic-net/sonic-buildimage src/sonic-yang-mgmt"
    )
    judges_rendered = False
    guards = ("platforms.leaf.release",)
    yang: SchemaJudge = Yang(None)

    def run(self, world: World) -> Iterator[Finding] | None:
        """Judge each configuration, where there is something to judge by."""
        if world.yang is None:
            return None
        self.yang = world.yang
        return super().run(world)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Ask libyang, and say so where it could not be asked."""
        answer: Answer = self.yang.answer(config.tables)
        for item in answer.complaints:
            named = config.place(*item.path) is not None or not item.path
            yield self.at(
                config,
                item.path,
                item.message if named else f"{'|'.join(item.path)}: {item.message}",
                "correct the value; libyang reports only the first error",
            )
        if answer.why_not:
            message = f"YANG: not validated: {answer.why_not}"
            yield self.finding(message, "", device=config.device, severity=Severity.INFO)
        if answer.unjudged:
            names = ", ".join(answer.unjudged[:_MOST_TABLES])
            rest = len(answer.unjudged) - _MOST_TABLES
            more = f" and {rest} more" if rest > 0 else ""
            message = f"YANG: not validated: the models of the release do not define {names}{more}"
            yield self.finding(message, "", device=config.device, severity=Severity.INFO)
