"""What the Generic Config Updater of SONiC lets through, by switch model and release.

Sources: sonic-net/sonic-utilities, generic_config_updater, branches 202405 to 202605 and master
(691b1bb): gcu_field_operation_validators.conf.json and field_operation_validators.py (the tables
of RDMA), gu_common.py (removals that are never legal), patch_sorter.py (ports that must be down,
create-only fields). The lowest builds that the file names count for builds with a date as their
version only, and are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fabric.systems.sonic.platforms import asic_type_of

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Releases whose rules are known, in order; a release that is not among them gets what all allow.
RELEASES = ("202405", "202411", "202505", "202511", "202605", "master")
_OLD, _OLDER = ("202405", "202411", "202505"), ("202405", "202411")
_NEW = ("202511", "202605", "master")

#: Tables whose rows need their port admin down: the updater flaps it by itself.
PORT_DOWN_TABLES = (
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "PORT_QOS_MAP",
    "QUEUE",
)
#: Fields of which a change makes the updater remove the row and add it again.
CREATE_ONLY: dict[str, frozenset[str]] = {
    "PORT": frozenset({"lanes"}),
    "LOOPBACK_INTERFACE": frozenset({"vrf_name"}),
    "BGP_NEIGHBOR": frozenset(
        "asn name local_addr holdtime keepalive nhopself rrclient".split(),
    ),
}
#: Paths that are never removed by themselves (gu_common.py validate_field_operation).
KEPT_PATHS = (
    "/PFC_WD/GLOBAL/POLL_INTERVAL",
    "/PFC_WD/GLOBAL",
    "/LOOPBACK_INTERFACE/Loopback0",
)
#: Tables with a validator of their own.
RESTRICTED_TABLES = ("PFC_WD", "BUFFER_POOL", "BUFFER_PROFILE", "WRED_PROFILE")

#: Spectrum: names of models, complete; the release in which a name came, where not the first.
_SPECTRUM = """
    ACS-MSN2700 ACS-MSN2740 ACS-MSN2100 ACS-MSN2410 ACS-MSN2010 ACS-MSN2700-A1 Mellanox-SN2700
    Mellanox-SN2700-C28D8 Mellanox-SN2700-D40C8S8 Mellanox-SN2700-D44C10 Mellanox-SN2700-D48C8
    Mellanox-SN2700-A1 Mellanox-SN2700-A1-C28D8 Mellanox-SN2700-A1-D40C8S8
    Mellanox-SN2700-A1-D44C10 Mellanox-SN2700-A1-D48C8
    ACS-MSN3800 ACS-MSN3420 ACS-MSN3700C ACS-MSN3700 Mellanox-SN3800-D112C8 Mellanox-SN3800-C64
    Mellanox-SN3800-D100C12S2 Mellanox-SN3800-D24C52 Mellanox-SN3800-D28C49S1
    Mellanox-SN3800-D28C50
    ACS-MSN4700 ACS-MSN4600 ACS-MSN4600C ACS-MSN4410 ACS-SN4280 Mellanox-SN4600C-D112C8
    Mellanox-SN4600C-C64 Mellanox-SN4600C-D100C12S2 Mellanox-SN4600C-D48C40 Mellanox-SN4700-O8C48
    Mellanox-SN4700-O32 Mellanox-SN4700-V64 Mellanox-SN4700-A96C8V8 Mellanox-SN4700-C128
    Mellanox-SN4700-O28 Mellanox-SN4700-O8V48 Mellanox-SN4700-V48C32 Mellanox-SN4280-O28
    Mellanox-SN4280-C48:202411 Mellanox-SN4280-O8C40:202411 Mellanox-SN4280-O8V40:202411
    Mellanox-SN4280-O8C80:202505 Mellanox-SN4280-O4X96:202511
    ACS-SN5600 ACS-SN5400 Mellanox-SN5600-O128 Mellanox-SN5600-V256 Mellanox-SN5600-C256S1
    Mellanox-SN5600-C224O8 Mellanox-SN5610N-C256S2:202411 Mellanox-SN5610N-C224O8:202411
    ACS-SN5640:202505 Mellanox-SN5640-C512S2:202505 Mellanox-SN5640-C448O16:202505
    Mellanox-SN5640-C512X2:202511 Mellanox-SN5640-C508O1X2:202511 Mellanox-SN5640-O128X2:202511
    ACS-SN6600_LD:master Mellanox-SN6600_LD-P128C2:master Mellanox-SN6600_LD-P64O128C2:master
    ACS-SN6810_LD:master
"""
#: Broadcom: a part of the name of a model is enough. Names that begin with one that is here stand
#: here only where they came earlier.
_BROADCOM = """
    Force10-S6100 Arista-7060CX-32S-C32 Arista-7060CX-32S-D48C8 Celestica-DX010-C32 Seastone-DX010
    Arista-7260CX3-D108C10 Arista-7260CX3-D108C8 Arista-7260CX3-C64 Arista-7260CX3-Q64
    Arista-7260CX3-Q44:202511,master
    Nokia-IXR7220-H3 Nokia-IXR7220-H4-64D Nokia-IXR7220-H4-32D
    Nokia-IXR7220-H5-64D Nokia-IXR7220-H5-64O:202505 Nokia-IXR7220-H5-32D:202505
    Arista-7060X6-64DE:202411 Arista-7060X6-64PE:202411 Arista-7060X6-16PE-384C-B-O128S2:202505
    Nokia-IXR7220-H6-64:202605 Nokia-IXR7220-H6-P128:202605 Nokia-IXR7220-H6-O256:202605
    Arista-7050CX3-32S-C32 Arista-7050CX3-32S-D48C8 Arista-7050CX3-32S-C28S4
    Arista-7050CX3-32C-C32:202505 Arista-7050CX3-32C-C28S4:202605
    Nokia-IXR7220-D4-36D:202505
    Nokia-IXR7250E-36x100G Nokia-IXR7250E-36x400G Nokia-IXR7250-X3B:202505
    Arista-7800R3A-36DM2-D36:202511 Nokia-IXR7250-X1B:202505
    Arista-7280R4-32QF-32DF-64O:202511 Arista-7280R4K-32QF-32DF-64O:202511
"""
#: Trident 2, of the same kind: headroom and pools stay as they are.
_TRIDENT_2 = """
    Force10-S6000 Arista-7050-QX32 Arista-7050-QX-32S Nexus-3164 Arista-7050QX32S-Q32
"""
_HEADROOM = frozenset({"xoff"})


@dataclass(frozen=True)
class _Rule:
    """Fields of a table that may change, in the way of the releases.

    ``ends`` says that the last part of a path decides; otherwise it is the path without the parts
    that hold a digit.
    """

    table: str
    releases: tuple[str, ...]
    fields: frozenset[str]
    operations: frozenset[str]
    ends: bool = False


_REPLACE = frozenset({"replace"})
_WATCHDOG = frozenset({"restoration_time", "detection_time", "action", "global/poll_interval", ""})
_WRED = frozenset({"green_min_threshold", "green_max_threshold", "green_drop_probability"})
_POOLS = frozenset(
    {"ingress_lossless_pool/xoff", "ingress_lossless_pool/size", "egress_lossy_pool/size"},
)
_TUNING = frozenset({"dynamic_th"})
_RULES = (
    _Rule("PFC_WD", _OLD, _WATCHDOG, frozenset({"add", "remove", "replace"})),
    _Rule(
        "PFC_WD",
        _NEW,
        _WATCHDOG | {"pfc_stat_history"},
        frozenset({"add", "remove", "replace"}),
    ),
    _Rule("BUFFER_POOL", _OLD, _POOLS, _REPLACE),
    _Rule("BUFFER_PROFILE", _OLD, _TUNING | _HEADROOM, _REPLACE),
    _Rule("BUFFER_PROFILE", _NEW, _TUNING | _HEADROOM, _REPLACE, ends=True),
    _Rule(
        "WRED_PROFILE",
        _OLDER,
        frozenset(f"azure_lossless/{name}" for name in _WRED),
        _REPLACE,
    ),
    _Rule("WRED_PROFILE", ("202505",), _WRED, _REPLACE, ends=True),
)


@dataclass(frozen=True)
class Updater:
    """The updater of one switch.

    Parameters
    ----------
    sku : str
        ``hwsku`` of DEVICE_METADATA.
    release : str
        One of ``RELEASES``; another or none: what every release lets through.
    asic_type : str
        As in ``/etc/sonic/sonic_version.yml``.
    """

    sku: str = ""
    release: str = ""
    asic_type: str = ""

    def takes(self, operation: Mapping[str, Any]) -> bool:
        """Tell whether an operation of a patch, as the updater sees it, is legal.

        Parameters
        ----------
        operation : mapping
            Of the difference that ``jsonpatch`` makes between both configurations.
        """
        if operation["op"] == "remove" and operation["path"] in KEPT_PATHS:
            return False
        table, *rest = _parts(operation["path"])
        if table not in RESTRICTED_TABLES:
            return True
        releases = (self.release,) if self.release in RELEASES else RELEASES
        return all(self._takes(table, rest, operation, release) for release in releases)

    def _takes(
        self, table: str, rest: list[str], operation: Mapping[str, Any], release: str
    ) -> bool:
        if release in _NEW and (
            table == "WRED_PROFILE" or (table == "BUFFER_PROFILE" and len(rest) == 1)
        ):
            return operation["op"] in ("add", "remove", "replace") or table == "WRED_PROFILE"
        rule = next((r for r in _RULES if r.table == table and release in r.releases), None)
        kind = self._kind(release)
        if rule is None or not kind or operation["op"] not in rule.operations:
            return False
        fields = rule.fields
        if kind in ("trident 2", "teralynx") and table in ("BUFFER_POOL", "BUFFER_PROFILE"):
            fields = fields & _TUNING
        return all(name in fields for name in _names(rest, operation, ends=rule.ends))

    def _kind(self, release: str) -> str:
        """Return of which kind a model is, empty where the release does not list it."""
        if self.asic_type == "marvell-teralynx":
            return "teralynx" if release in _NEW else ""
        sku = self.sku.lower()
        if sku in _listed(_SPECTRUM, release):
            return "spectrum"
        if any(part in sku for part in _listed(_TRIDENT_2, release)):
            return "trident 2"
        return "broadcom" if any(part in sku for part in _listed(_BROADCOM, release)) else ""


def asic_of(updater: Updater, config: Mapping[str, Any]) -> str:
    """Return the kind of ASIC, by the name of the platform where the version file has none."""
    platform = str(config.get("DEVICE_METADATA", {}).get("localhost", {}).get("platform", ""))
    return updater.asic_type or asic_type_of(platform)


def known_release(build_version: str) -> str:
    """Return the release in the version of a build, empty where it is none that is known here.

    A version is one like ``202405.1047-8b9de06``, ``20240510.12`` or ``master.88-1a2b3c4``.
    """
    match = re.search(r"(?<!\d)(20\d{4})(?:\d\d)?(?!\d)|master", build_version)
    release = (match[1] or match[0]) if match else ""
    return release if release in RELEASES else ""


def _listed(names: str, release: str) -> set[str]:
    pairs = (name.partition(":") for name in names.lower().split())
    return {name for name, _, since in pairs if _is_in(since, release)}


def _is_in(since: str, release: str) -> bool:
    """Tell whether a release is from one on, or among several."""
    return release in since.split(",") if "," in since else since <= release


def _names(rest: list[str], operation: Mapping[str, Any], *, ends: bool) -> list[str]:
    """Return what an operation changes, in the form in which the rules name it."""
    kept = rest if ends else [part for part in rest if not re.search(r"\d", part)]
    path = "/".join(kept).lower()
    value = operation.get("value")
    names = [f"{path}/{key}".lstrip("/") for key in value] if isinstance(value, dict) else [path]
    return [name.rpartition("/")[2] for name in names] if ends else names


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
