"""Routes as a gate of a wave: what left a tenant is gone from every other leaf."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from fabric.change.gates import PASSED
from fabric.change.planner import open_driver
from fabric.core.counts import counted
from fabric.core.errors import DeviceError
from fabric.observe.parsers import UnreadableError, route_readings
from fabric.workflow.withdrawals import unasked

if TYPE_CHECKING:
    from collections.abc import Mapping
    from concurrent.futures import Executor

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
    executor: Executor
    name: str = "withdrawal"
    asks_switches: bool = True
    _stage: tuple[Withdrawal, ...] = field(default=())

    @property
    def passed(self) -> str:
        """Who was not asked, where those are not all."""
        said = "; ".join(unasked(self._stage))
        asked = any(one.systems for one in self._stage)
        return f"{PASSED}; {said}" if asked and said else said or PASSED

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
        futures = [self.executor.submit(self._of_leaf, *item) for item in questions.items()]
        wrong = [text for future in futures for text in future.result()]
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
