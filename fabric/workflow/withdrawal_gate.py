"""Routes as a gate of a wave: what left a tenant is gone from every other leaf."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

from fabric.change.gates import NOT_ASKED, passed_with
from fabric.change.planner import open_driver
from fabric.core.counts import counted
from fabric.core.errors import DeviceError
from fabric.observe.parsers import UnreadableError, route_readings
from fabric.workflow.withdrawals import unasked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.change.questions import Questions
    from fabric.change.rollout import Stage, Withdrawal
    from fabric.devices.driver import Connection, RouteDriver

#: Routes and leaves that a message names.
_NAMED = 3
_LEFT = (
    "{leaf} still has a route to {prefix} in {vrf}, which left that VRF on {source}: look there "
    "where the route comes from, remove it, and look that it is gone before the host is handed "
    "over; then plan and apply again"
)


@dataclass
class Withdrawn:
    """No other leaf has a route to the subnets that left the VRF of a tenant.

    The change is never undone. A leaf that gives no clear answer counts as one that has the route.
    """

    connections: Mapping[str, Connection]
    questions: Questions
    name: str = "withdrawal"
    asks_switches: bool = True
    _stage: tuple[Withdrawal, ...] = field(default=())

    @property
    def passed(self) -> str:
        """How many leaves said so, and who was not asked."""
        said = "; ".join(unasked(self._stage))
        leaves = {leaf for one in self._stage for leaf in one.systems}
        return passed_with(len(leaves), "leaf", said) if leaves else said or NOT_ASKED

    def begin(self, stage: Stage) -> list[str]:  # noqa: ARG002
        """Return nothing: the routes are still there."""
        return []

    def after_change(self, stage: Stage) -> list[str]:
        """Return the leaves that still have a route, or do not say that it is gone."""
        self._stage = stage.withdrawn
        questions: dict[str, list[Withdrawal]] = {}
        for one in stage.withdrawn:
            for leaf in one.systems:
                questions.setdefault(leaf, []).append(one)
        answers = self.questions.ask(
            self.name, {leaf: partial(self._of_leaf, leaf, own) for leaf, own in questions.items()}
        )
        wrong = [text for answer in answers.values() for text in answer]
        more = len(wrong) - _NAMED
        return [*wrong[:_NAMED], *([f"and {counted(more, 'more route')}"] if more > 0 else [])]

    def after_soak(self, stage: Stage) -> list[str]:
        """Return the leaves that have a route again."""
        return self.after_change(stage)

    def _of_leaf(self, leaf: str, withdrawn: list[Withdrawal]) -> list[str]:
        """Return what is wrong on one leaf."""
        try:
            driver = open_driver(self.connections[leaf])
        except DeviceError as error:
            return [f"{leaf} cannot be asked for routes: {error.reason}"]
        try:
            reader = cast("RouteDriver", driver)
            return [
                _LEFT.format(leaf=leaf, prefix=prefix, vrf=one.vrf, source=one.leaf)
                for one in withdrawn
                for prefix in one.prefixes
                if route_readings[one.systems[leaf]](
                    reader.read_route(one.vrf, prefix), one.vrf, prefix
                )
            ]
        except DeviceError as error:
            return [f"{leaf} cannot be asked for routes: {error.reason}"]
        except UnreadableError as error:
            return [f"{leaf} does not say whether routes are gone: {error}"]
        finally:
            driver.close()
