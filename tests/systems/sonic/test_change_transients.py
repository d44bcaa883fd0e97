"""Any change of the policy, on every release: the daemons take it, and traffic lacks no guard.

The stand-in runs the commands that the driver sends. After each of them its own daemons say what
lossless traffic has on ports that are up.
"""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.model import DeviceDesign
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.adapters.config import differences
from fabric.systems.sonic.gcu import RELEASES
from tests.cases import examples
from tests.change.sonic_bench import Bench, config_of, whole
from tests.render.designs import variant

LEAF, TOKEN = "su1-rail0", "rocefab-run-1-1-abc"
MODELS = ("ACS-MSN4700", "DellEMC-Z9332f-O32")
#: Settings of a policy that a change may have, each as it is and otherwise.
SETTINGS: dict[str, tuple[str, ...]] = {
    "  pfc_priority: 3": (
        "  pfc_priority: 3",
        "  pfc_priority: 4\n  queue: 4\n  traffic_class: 4\n  priority_group: 4",
        "  pfc: false\n  pfc_priority: 3",
    ),
    "roce_dscp: 26": ("roce_dscp: 26", "roce_dscp: 24", "roce_dscp: 30"),
    "action: drop": ("action: drop", "action: forward", "enabled: false"),
    "detection_ms: 400, restoration_ms: 400": (
        "detection_ms: 400, restoration_ms: 400",
        "detection_ms: 200, restoration_ms: 600",
    ),
    "cnp_dscp: 48": (
        "cnp_dscp: 48",
        "cnp_dscp: 50",
        "cnp_dscp: 48\n  mtu: {port_bytes: 9000}",
        "cnp_dscp: 48\n  dynamic_th: -1",
    ),
    "kmin_bytes: 150000": ("kmin_bytes: 150000", "kmin_bytes: 300000"),
    "host_m: 5": ("host_m: 5", "host_m: 40"),
    "host_gbps: 400": ("host_gbps: 400", "host_gbps: 200"),
}
POLICIES = st.tuples(*(st.sampled_from(values) for values in SETTINGS.values()))
Policy = tuple[str, ...]


@cache
def leaf(model: str, policy: Policy) -> DeviceDesign:
    changes = dict(zip(SETTINGS, policy, strict=True))
    folder = Path(mkdtemp()) / "fabric"
    return variant(folder, "demo", {"sku: ACS-MSN4700": f"sku: {model}", **changes})[LEAF]


class Watched:
    """A bench that notes what lossless traffic lacked after each command."""

    def __init__(self, config: dict[str, Any], target: dict[str, Any], release: str) -> None:
        self.bench = Bench(config, release)
        self.switch = self.bench.switch
        other = Bench(target, release).switch
        before, after = (device.orchestration.lossless() for device in (self.switch, other))
        self.wanted = {key: before[key] & after[key] for key in before.keys() & after.keys()}
        self.lacked: set[tuple[str, str]] = set()
        orchestrate = self.switch.orchestrate

        def watched(*, restart: bool = False, trains: bool = False) -> None:
            orchestrate(restart=restart, trains=trains)
            self.look()

        self.switch.orchestrate = watched  # type: ignore[method-assign]

    def look(self) -> None:
        now = self.switch.orchestration.lossless()
        for (port, dscp), wanted in self.wanted.items():
            if self.switch.orchestration.up(port):
                has = now.get((port, dscp))
                lacks = {"PFC"} if has is None else wanted - has
                self.lacked |= {(port, one) for one in lacks}


@pytest.mark.parametrize("model", MODELS)
@given(before=POLICIES, after=POLICIES, release=st.sampled_from(RELEASES))
@examples(30)
def test_any_change_of_the_policy(model, before, after, release):
    running, target = whole(leaf(model, before)), config_of(leaf(model, after))
    watched = Watched(running, whole(leaf(model, after)), release)
    bench = watched.bench
    seen = bench.running()
    wanted = sonic.compose(seen.config, target)
    way = sonic.way(seen.config, wanted, sonic.updater(seen))
    assert way.reload == ""
    candidate = way.candidate()
    if seen.config == wanted:
        return
    bench.driver.stage(candidate, TOKEN)
    bench.driver.commit(candidate, TOKEN, 60)
    assert not differences(bench.running().config, wanted)
    again = Bench(bench.running().config, release).switch.orchestration
    assert bench.switch.orchestration.rows == again.rows, "as after a boot with this file"
    assert bench.switch.orchestration.watched == again.watched
    planned = {(port, span.lacks) for span in way.transients.spans() for port in span.ports}
    assert {port for port, _ in planned} == {port for port, _ in watched.lacked}
    assert {lack for _, lack in watched.lacked} <= unavoidable(seen.config, wanted)
    bench.driver.rollback(TOKEN)
    assert not differences(bench.running().config, seen.config)
    assert bench.switch.restarts == 0
    bench.switch.fs.close()


def unavoidable(running: dict[str, Any], target: dict[str, Any]) -> set[str]:
    """Return what no order avoids: a watchdog whose action changes is set again."""
    actions = (
        {port: row.get("action") for port, row in side.get("PFC_WD", {}).items()}
        for side in (running, target)
    )
    before, after = actions
    both = before.keys() & after.keys()
    return {"watchdog"} if any(before[port] != after[port] for port in both) else set()


def test_every_setting_takes_another_value():
    """The property would hold of changes that change nothing."""
    first = tuple(SETTINGS)
    base = config_of(leaf(MODELS[0], first))
    for place, values in enumerate(SETTINGS.values()):
        for value in values:
            policy = (*first[:place], value, *first[place + 1 :])
            assert (config_of(leaf(MODELS[0], policy)) == base) == (value == first[place]), value


def test_pairs_of_settings_are_not_all_alike():
    texts = {
        str(config_of(leaf(MODELS[0], policy)))
        for policy in itertools.islice(itertools.product(*SETTINGS.values()), 12)
    }
    assert len(texts) > 6
