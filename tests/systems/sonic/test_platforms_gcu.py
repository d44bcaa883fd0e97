"""What the updater takes: verdicts that its own validators gave, by model and release."""

from __future__ import annotations

import pytest

from fabric.systems.sonic.gcu import RELEASES, Updater, known_release
from tests.cases import each

ROW = {"action": "drop", "detection_time": "400", "restoration_time": "400"}
GLOBAL = {"GLOBAL": {"POLL_INTERVAL": "200"}}
PROFILE = "/BUFFER_PROFILE/pg_lossless_400000_5m_profile"
WRED = "/WRED_PROFILE/AZURE_LOSSLESS"
EVER, OLD, NEW = (
    ("202405", "202505", "master"),
    ("202405", "202505"),
    ("202511", "202605", "master"),
)
LISTED, UNLISTED, TRIDENT_2 = "ACS-MSN4700", "DellEMC-Z9332f-O32", "Arista-7050-QX32"
#: Operation, path, value, model, and the releases among those below that take it.
CASES = [
    ("add", "/PFC_WD/Ethernet0", ROW, LISTED, EVER),
    ("remove", "/PFC_WD/Ethernet0", None, LISTED, EVER),
    ("move", "/PFC_WD/Ethernet0", None, LISTED, ()),
    ("add", "/PFC_WD/Ethernet0", ROW, UNLISTED, ()),
    ("add", "/PFC_WD/Ethernet0", ROW, "Nokia-IXR7220-H6-P128", ("master",)),
    ("add", "/PFC_WD", GLOBAL, LISTED, ()),
    ("remove", "/PFC_WD", None, LISTED, EVER),
    ("remove", "/PFC_WD/GLOBAL", None, LISTED, ()),
    ("remove", "/LOOPBACK_INTERFACE/Loopback0", None, LISTED, ()),
    ("add", PROFILE, {"xoff": "1", "pool": "p"}, LISTED, ("master",)),
    ("remove", PROFILE, None, LISTED, ("master",)),
    ("replace", f"{PROFILE}/xoff", "1", LISTED, EVER),
    ("replace", f"{PROFILE}/xoff", "1", TRIDENT_2, ()),
    ("replace", f"{PROFILE}/dynamic_th", "1", TRIDENT_2, EVER),
    ("replace", "/BUFFER_PROFILE/ingress_lossless_profile/dynamic_th", "1", LISTED, ("master",)),
    ("replace", "/BUFFER_POOL/ingress_lossless_pool/size", "1", LISTED, OLD),
    ("replace", f"{WRED}/green_min_threshold", "1", LISTED, EVER),
    ("replace", "/WRED_PROFILE/OTHER/green_min_threshold", "1", LISTED, ("202505", "master")),
    ("replace", f"{WRED}/ecn", "1", LISTED, ("master",)),
    ("add", "/QUEUE/Ethernet0|3", {}, UNLISTED, EVER),
]


@each(("operation", "path", "value", "sku", "releases"), CASES)
def test_verdicts(operation, path, value, sku, releases):
    item = {"op": operation, "path": path} | ({} if value is None else {"value": value})
    assert {r for r in EVER if Updater(sku, r).takes(item)} == set(releases)
    # Of a release that is not known it is only sure what all of them take.
    everywhere = all(Updater(sku, r).takes(item) for r in (*OLD, *NEW, "202411"))
    assert Updater(sku).takes(item) is everywhere


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("SONiC.202405.1047-8b9de06", "202405"),
        ("20240510.12", "202405"),
        ("master.88-1a2b3c4", "master"),
        ("202311.5", ""),
        ("9.0.1", ""),
        ("", ""),
    ],
)
def test_release_of_a_build(version, release):
    assert known_release(version) == release


@each(
    ("sku", "taken"),
    [
        ("Arista-7260CX3-Q44", {"202511", "master"}),  # 202605 was branched before it came
        ("Nokia-IXR7220-H6-64", {"202605", "master"}),
        ("ACS-SN6600_LD", {"master"}),  # 202605 names its ASIC, and no code reads the name
        ("ACS-SN5600", {"202405", "202411", "202505", "202511", "202605", "master"}),
    ],
)
def test_models_of_releases(sku, taken):
    item = {"op": "remove", "path": "/PFC_WD/Ethernet0"}
    assert {release for release in RELEASES if Updater(sku, release).takes(item)} == taken
