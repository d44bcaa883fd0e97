"""What a system declares is what its templates render, and limits speak of known fields."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.design.features import FEATURES, missing
from fabric.design.limits import FIELDS
from fabric.platforms import platforms
from fabric.platforms.features import declared, feature
from fabric.render.explain import entries
from fabric.validate.runner import all_rules
from tests.design.test_examples import switches

#: Fields that name a feature in templates where they are not that of the feature itself.
OTHER_FIELDS = {
    "watchdog_times": ("lossless.watchdog.detection_ms", "lossless.watchdog.restoration_ms"),
    "watchdog": ("lossless.watchdog.action",),
    "scheduling": ("lossless.scheduler.lossless_percent",),
    "vlan_per_nic": ("addressing.vlan_first",),
    "bgp": ("bgp.spine_asn",),
    "classes": ("lossless.pfc_priority",),
    "breakouts": ("devices.breakouts",),
    "ipv6": ("addressing.ipv6.hosts",),
    "tenant_vrfs": ("tenants.id",),
}
#: Rendered without a line that names a field: EOS gives each part its speed; Enterprise SONiC
#: always hashes queue pairs; Comware 7 takes headroom from own models alone; lines are merged when
#: a change is planned.
WITHOUT_LINE = {
    ("eos", "breakouts"),
    ("eos", "merge"),
    ("nxos", "merge"),
    ("junos", "merge"),
    ("vrp8", "merge"),
    ("comware7", "merge"),
    ("esonic", "merge"),
    ("sonic", "merge"),
    ("cumulus", "merge"),
    ("esonic", "queue_pair_hash"),
    ("comware7", "buffers"),
}
#: Features with the field of another one.
SAME_FIELD = {"bgp", "bgp_unnumbered", "nd_ageing"}
SYSTEMS = sorted(platforms)


def fields_of(system: str) -> set[str]:
    return {field for entry in entries(system) for field in entry.fields}


@pytest.mark.parametrize("system", SYSTEMS)
def test_declared_features_are_rendered_and_others_are_not(system: str) -> None:
    fields = fields_of(system)
    for one in FEATURES:
        cell = feature(system, one.name)
        names = (one.field, *OTHER_FIELDS.get(one.name, ()))
        is_named = any(name in fields for name in names)
        if (system, one.name) in WITHOUT_LINE:
            assert cell, one.name
            assert not is_named, one.name
        elif one.name not in SAME_FIELD:
            assert is_named == bool(cell and cell.rendered), one.name
        else:
            assert is_named or not cell, one.name


@pytest.mark.parametrize("system", SYSTEMS)
def test_names_in_the_file_are_known(system: str) -> None:
    own = declared()[system]
    assert set(own.features) <= {one.name for one in FEATURES}
    ids = {rule.id for rule in all_rules()}
    assert {cell.rule for cell in own.features.values()} <= {*ids, ""}
    for rule in own.rules:
        for limit in rule.limits:
            assert {*limit.fields, limit.multiple_of} <= {*FIELDS, ""}, rule.id


def test_rules_that_report_features_exist() -> None:
    assert {one.rule for one in FEATURES} <= {rule.id for rule in all_rules()}


@pytest.mark.parametrize(
    ("asic", "computes"), [("spectrum-4", True), ("tofino-2", True), ("tomahawk-5", False)]
)
def test_chips_with_a_formula_of_sonic_compute_their_buffers(asic: str, computes: bool) -> None:
    device = switches("demo")["su1-rail0"]
    dynamic = replace(device, buffer_model="dynamic", sku=replace(device.sku, asic=asic))
    lacks = {one.feature.name for one in missing(dynamic)}
    assert ("computed_buffers" not in lacks) == computes
