"""Which hosts take jobs: what is wrong with a host, a NIC, its cable or its leaf counts."""

from __future__ import annotations

from fabric.placement.engine.host_health import host_health
from fabric.placement.engine.now import now
from fabric.placement.engine.state import Condition, Health
from tests.cases import each
from tests.topology.fabrics import example


@each("health", Health)
@each(
    ("subject", "hosts"),
    [
        ("gpu001", {"gpu001"}),
        ("gpu002:eth1", {"gpu002"}),
        ("su1-rail0:Ethernet0", {"gpu001"}),
        ("su1-rail0", {"gpu001", "gpu002"}),
        ("spine01", set()),
    ],
)
def test_hosts_of_a_condition(subject: str, hosts: set[str], health: Health) -> None:
    fabric = example("demo")
    known = host_health(now(fabric, [Condition(subject, health, "x", 0.5)]))
    assert {fabric.hosts.names[row] for row in known} == hosts
    assert {one.takes_jobs for one in known.values()} <= {health is Health.DEGRADED}
    assert all(one.reason.startswith(f"{subject} is ") for one in known.values())


def test_what_keeps_jobs_away_comes_first() -> None:
    fabric = example("demo")
    conditions = [
        Condition("gpu001", Health.DEGRADED, "fan", 1.0),
        Condition("gpu001:eth2", Health.DOWN, "cable"),
    ]
    (known,) = host_health(now(fabric, conditions)).values()
    assert not known.takes_jobs
    assert known.reason == "gpu001:eth2 is down: cable; gpu001 is degraded: fan"
