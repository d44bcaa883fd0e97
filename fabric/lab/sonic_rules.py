"""What GCU allows and what buffermgrd knows per SKU, as data.

Known: sonic-net/sonic-utilities 202405, generic_config_updater; sonic-net/sonic-buildimage 202405,
pg_profile_lookup.ini of the named platforms. Assumed: SKUs of a platform share one table.
"""

from __future__ import annotations

# A change of one of these on a live row needs the row to be deleted and added again; the sorter of
# GCU does that (sonic-utilities, generic_config_updater/patch_sorter.py, CreateOnlyFilter).
CREATE_ONLY: dict[str, frozenset[str]] = {
    "PORT": frozenset({"lanes"}),
    "LOOPBACK_INTERFACE": frozenset({"vrf_name"}),
    "BGP_NEIGHBOR": frozenset({
        "asn",
        "name",
        "local_addr",
        "holdtime",
        "keepalive",
        "nhopself",
        "rrclient",
    }),
}
# Tables whose change needs the port admin down; GCU takes it down and up (same file).
PORT_DOWN_TABLES = frozenset({
    "BUFFER_PG",
    "BUFFER_QUEUE",
    "BUFFER_PORT_INGRESS_PROFILE_LIST",
    "BUFFER_PORT_EGRESS_PROFILE_LIST",
    "PORT_QOS_MAP",
    "QUEUE",
})
# sonic-utilities 202405, generic_config_updater/gcu_field_operation_validators.conf.json: table ->
# (fields after ports are dropped, operations). A path matches when it is equal in lower case.
RDMA_RULES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "PFC_WD": (
        frozenset({"restoration_time", "detection_time", "action", "global/poll_interval", ""}),
        frozenset({"add", "remove", "replace"}),
    ),
    "BUFFER_POOL": (
        frozenset({
            "ingress_lossless_pool/xoff",
            "ingress_lossless_pool/size",
            "egress_lossy_pool/size",
        }),
        frozenset({"replace"}),
    ),
    "BUFFER_PROFILE": (frozenset({"dynamic_th", "xoff"}), frozenset({"replace"})),
    "WRED_PROFILE": (
        frozenset({
            "azure_lossless/green_min_threshold",
            "azure_lossless/green_max_threshold",
            "azure_lossless/green_drop_probability",
        }),
        frozenset({"replace"}),
    ),
}
# The same file, helper data: Spectrum SKUs by exact name, Broadcom SKUs by a part of the name.
MELLANOX_SKUS = frozenset(
    name.lower()
    for name in (
        *"ACS-MSN2700 ACS-MSN2740 ACS-MSN2100 ACS-MSN2410 ACS-MSN2010 Mellanox-SN2700".split(),
        *"ACS-MSN3800 ACS-MSN3420 ACS-MSN3700C ACS-MSN3700 Mellanox-SN3800-C64".split(),
        *"ACS-MSN4700 ACS-MSN4600 ACS-MSN4600C ACS-MSN4410 Mellanox-SN4700-O8C48".split(),
        *"Mellanox-SN4700-O28 Mellanox-SN4700-O32 Mellanox-SN4700-V64 Mellanox-SN4700-C128".split(),
        *"ACS-SN5600 ACS-SN5400 Mellanox-SN5600-O128 Mellanox-SN5600-V256".split(),
        *"Mellanox-SN5600-C256S1 Mellanox-SN5600-C224O8".split(),
    )
)
BROADCOM_SKU_PARTS = tuple(
    name.lower()
    for name in (
        *"Force10-S6100 Arista-7060CX-32S-C32 Arista-7060CX-32S-D48C8 Celestica-DX010-C32".split(),
        *"Seastone-DX010 Arista-7260CX3-D108C10 Arista-7260CX3-D108C8 Arista-7260CX3-C64".split(),
        *"Arista-7260CX3-Q44 Arista-7260CX3-Q64 Nokia-IXR7220-H3 Nokia-IXR7220-H4-64D".split(),
        *"Nokia-IXR7220-H4-32D Nokia-IXR7220-H5-64D Force10-S6000 Force10-S6000-Q24S32".split(),
        *"Arista-7050-QX32 Arista-7050-QX-32S Nexus-3164 Arista-7050QX32S-Q32".split(),
        *"Arista-7050CX3-32C-C32 Arista-7050CX3-32S-C32 Arista-7050CX3-32S-D48C8".split(),
        *"Nokia-IXR7250E-36x100G Nokia-IXR7250E-36x400G".split(),
    )
)
# pg_profile_lookup.ini of sonic-net/sonic-buildimage 202405 (device/<vendor>/<platform>/<HwSKU>):
# part of the platform name -> (speed, cable) -> (size, xon, xoff, threshold), in bytes.
HEADROOM: dict[str, dict[tuple[str, str], tuple[str, str, str, str]]] = {
    "msn4700": {
        ("200000", "5m"): ("55296", "19456", "35840", "0"),
        ("200000", "40m"): ("74752", "19456", "55296", "0"),
        ("200000", "300m"): ("223232", "19456", "203776", "0"),
        ("400000", "5m"): ("86016", "37888", "38912", "0"),
        ("400000", "40m"): ("124928", "37888", "77824", "0"),
        ("400000", "300m"): ("420864", "37888", "373760", "0"),
    },
    "sn5600": {
        ("200000", "5m"): ("150528", "19456", "131072", "0"),
        ("200000", "40m"): ("177152", "19456", "157696", "0"),
        ("200000", "300m"): ("374784", "19456", "355328", "0"),
        ("400000", "5m"): ("250880", "19456", "231424", "0"),
        ("400000", "40m"): ("303104", "19456", "283648", "0"),
        ("400000", "300m"): ("697344", "19456", "677888", "0"),
        ("800000", "5m"): ("304128", "38912", "257024", "0"),
        ("800000", "40m"): ("410624", "38912", "362496", "0"),
        ("800000", "300m"): ("1198080", "38912", "1150976", "0"),
    },
    "z9332f": {
        ("100000", "5m"): ("2540", "2540", "68580", "-2"),
        ("100000", "40m"): ("2540", "2540", "74422", "-2"),
        ("100000", "300m"): ("2540", "2540", "117348", "-2"),
        ("400000", "5m"): ("2540", "2540", "178562", "-2"),
        ("400000", "40m"): ("2540", "2540", "201930", "-2"),
        ("400000", "300m"): ("2540", "2540", "373888", "-2"),
    },
    "ixr7220_h4": {
        ("400000", "5m"): ("1248", "2288", "307848", "0"),
        ("400000", "40m"): ("1248", "2288", "330200", "0"),
        ("400000", "300m"): ("1248", "2288", "499618", "0"),
    },
    "ixr7220_h5": {
        ("400000", "5m"): ("1248", "2288", "307848", "0"),
        ("400000", "40m"): ("1248", "2288", "330200", "0"),
        ("400000", "300m"): ("1248", "2288", "499618", "0"),
        ("800000", "5m"): ("1248", "2288", "572516", "0"),
        ("800000", "40m"): ("1248", "2288", "614172", "0"),
        ("800000", "300m"): ("1248", "2288", "929132", "0"),
    },
}
