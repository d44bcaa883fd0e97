"""What others wrote on NICs, read into one record; what is not known is rejected by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.observe.nicprofiles import form_of, profile_forms, read_profile
from fabric.observe.nicprofiles.record import NicProfile, NicValue
from tests.audit.nic_texts import NICCLI, NICCTL, NICCTL_CALLS, SETUPCC, TEMPLATE, filled, mlxconfig
from tests.cases import each

MLXCONFIG = """\

Device #1:
----------

Device type:        ConnectX7
Name:               MCX75310AAS-NEA_Ax
Device:             0000:18:00.0

Configurations:                              Default         Current         Next Boot
*        CNP_DSCP_P1                         48              48              4
         CNP_802P_PRIO_P1                    6               6               6
         ROCE_CC_PRIO_MASK_P1                255             255             255
         USER_PROGRAMMABLE_CC                False(0)        False(0)        True(1)
The '*' shows parameters with next value different from default/current value.
"""
LLDPTOOL = """\
Chassis ID TLV
\tMAC: 00:1b:21:90:8d:e8
Port ID TLV
\tMAC: 00:1b:21:90:8d:e8
IEEE 8021QAZ PFC TLV
\t Willing: yes
\t MACsec Bypass Capable: no
\t PFC capable traffic classes: 8
\t PFC enabled: 3 4
IEEE 8021QAZ APP TLV
\tApp#0:
\t Priority: 2
\t Sel: 2
\t {S}TCP Port: 3260

\tApp#1:
\t Priority: 3
\t Sel: 5
\t DSCP: 26

End of LLDPDU TLV
"""
LLDPCTL = """\
{
  "lldp": {
    "interface": [
      {
        "eth1": {
          "via": "LLDP",
          "chassis": {"leaf01": {"id": {"type": "mac", "value": "00:1b:21:90:8d:e8"}}},
          "unknown-tlvs": {
            "unknown-tlv": [
              {"oui": "00,80,C2", "subtype": "11", "len": "2", "value": "08,08"},
              {"oui": "00,80,C2", "subtype": "12", "len": "7", "value": "00,65,00,1A,63,12,B7"}
            ]
          }
        }
      }
    ]
  }
}
"""
PROFILE = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: RA2.2
  labels:
    network.nvidia.com/operator.nic-configuration.spectrum-x-profile: ""
data:
  profile: |
    useSoftwareCCAlgorithm: true
    mlxConfig:
      none:
        "1023":
          postBreakout:
            ROCE_ADAPTIVE_ROUTING_EN: "1"
    runtimeConfig:
      roce:
        - name: Trust
          value: dscp
          dmsPath: /interfaces/interface/nvidia/qos/config/trust-mode
        - name: PFC
          value: "00010000"
          dmsPath: /interfaces/interface/nvidia/qos/config/pfc
      congestionControl:
        - name: DCQCN
          value: false
          dmsPath: /interfaces/interface/nvidia/cc/slot[id=15]/config/enabled
"""
DCB_PFC = """\
{"pfc_cap": 8, "macsec_bypass": false, "delay": 7,
"prio_pfc": [false, false, false, true, false, false, false, false]}
"""
DCB_BUFFER = """\
{"prio_buffer": [0, 0, 0, 1, 0, 0, 0, 0], "total_size": 262016,
"buffer_size": [90112, 171904, 0, 0, 0, 0, 0, 0]}
"""
POLICY = """\
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {name: nic-cluster-policy}
spec:
  nicConfigurationOperator:
    operator: {image: operator, repository: nvcr.io, version: network-operator-v26.7.0}
"""


def read(text: str) -> list[NicProfile]:
    return read_profile(Path("gpu1/nic.txt"), text)


#: Text, number of the record, and what some of its fields say with the lines.
READ: list[tuple[str, int, dict[str, Any]]] = [
    (
        filled(TEMPLATE, 6),
        0,
        {"trust": ("dscp", 13), "pfc": ({3}, 14), "dscp": (26, 15), "cable_m": (30, 16)},
    ),
    (filled(TEMPLATE, 6), 0, {"cnp_dscp": (48, 20), "cnp_priority": (6, 21)}),
    (filled(TEMPLATE, 6), 0, {"congestion_priorities": ({3}, 17)}),
    (MLXCONFIG, 0, {"cnp_dscp": (48, 10), "algorithm": None}),
    (MLXCONFIG, 1, {"cnp_dscp": (4, 10), "algorithm": ("programmable", 13)}),
    (mlxconfig(6), 0, {"cnp_dscp": (48, 8), "congestion_priorities": ({3}, 22)}),
    (filled(SETUPCC, 6), 0, {"dscp": (26, 1), "pfc": ({3}, 1), "cnp_priority": (6, 1)}),
    (filled(NICCLI, 7), 0, {"pfc": ({3}, 6), "priority": (3, 19)}),
    (LLDPTOOL, 0, {"pfc": ({3, 4}, 9), "priority": None}),
    (LLDPCTL, 0, {"pfc": ({3}, 10), "priority": (3, 11)}),
    (filled(NICCTL, 6), 0, {"pfc": ({3}, 14), "algorithm": ("dcqcn", 20)}),
    (filled(NICCTL_CALLS, 6), 0, {"cnp_dscp": (48, 5), "pfc": ({3}, 4)}),
    (PROFILE, 0, {"trust": ("dscp", 18), "pfc": ({3}, 21), "algorithm": ("programmable", 25)}),
    (PROFILE, 1, {"out_of_order": (True, 14), "device_id": "1023"}),
    (POLICY, 0, {"release": ("26.7", 6)}),
    (DCB_PFC, 0, {"pfc": ({3}, 2), "cable_m": None}),
    (DCB_BUFFER, 0, {"shared_buffers": {0, 1, 2, 4, 5, 6, 7}}),
]


@each(("text", "number", "fields"), READ)
def test_values_have_their_lines(text: str, number: int, fields: dict[str, Any]) -> None:
    record = read(text)[number]
    for name, expected in fields.items():
        value = getattr(record, name)
        plain = (value.value, value.line) if isinstance(value, NicValue) else value
        if isinstance(plain, tuple) and isinstance(plain[0], frozenset):
            plain = {*plain[0]}, plain[1]
        assert plain == expected, name


@each(
    ("text", "marks"),
    [
        (filled(NICCLI, 7), {26: 3, 48: 7}),
        (LLDPTOOL, {26: 3}),
        (LLDPCTL, {26: 3}),
        (filled(SETUPCC, 6), {26: 3}),
        (filled(NICCTL_CALLS, 6), {26: 3, 48: 6}),
    ],
)
def test_maps_of_dscps(text: str, marks: dict[int, int]) -> None:
    rows = read(text)[0].dscp_to_priority
    assert {dscp: item.value for dscp, item in rows.items()} == marks


def test_what_is_not_said_is_none() -> None:
    record = read(POLICY)[0]
    assert record.pfc is record.dscp is record.trust is None
    assert not record.dscp_to_priority


def test_every_form_has_a_text_that_it_alone_takes() -> None:
    forms = {form_of(text) for text, _, _ in READ} | {"mlnx-qos"}
    assert forms == {*profile_forms}
    for text, _, _ in READ:
        assert sum(profile_forms[name].matches(text) for name in profile_forms) == 1


def test_a_list_of_objects_and_several_documents() -> None:
    both = read(f"{POLICY}---\n# nothing\n---\n{PROFILE}")
    assert [one.line for one in both] == [6, 27, 22]
    listed = (
        '{"apiVersion": "v1", "kind": "List", "items": [\n'
        """\
{"apiVersion": "sriovnetwork.openshift.io/v1", "kind": "SriovNetworkNodePolicy",
"metadata": {"name": "rail0"}, "spec": {
"nicSelector": {"rootDevices": ["0000:18:00.0"]}, "mtu": 1500}}]}
"""
    )
    (record,) = read(listed)
    assert record.mtu_bytes == NicValue(1500, 4)
    assert record.pci_addresses == {"0000:18:00.0"}


def test_a_template_that_resets_says_nothing() -> None:
    assert read(TEMPLATE.replace("  template:", "  resetToDefault: true\n  template:")) == []


def test_defaults_of_the_operator_stand_in_the_line_of_its_switch() -> None:
    short = TEMPLATE[: TEMPLATE.index("      roceMode")]
    (record,) = read(short)
    assert record.pfc == NicValue(frozenset((3,)), 9)
    assert record.dscp == NicValue(0, 9)
    assert record.cnp_dscp is None
    assert record.cnp_by_release


#: Text, what the error says, and where.
WRONG = [
    ("hello\n", "no form of a NIC profile is known", 0),
    (TEMPLATE.replace("NicConfigurationTemplate", "NicMagic"), "kind 'NicMagic'", 1),
    (TEMPLATE.replace("/v1alpha1", "/v9"), "version 'configuration.net.nvidia.com/v9'", 1),
    (TEMPLATE.replace("0,0,0,1,0,0,0,0", "0,0,0,1"), "'0,0,0,1' is not eight bits", 14),
    (TEMPLATE.replace("tos: 104", "tos: 256"), "'256' is not a number from 0 to 255", 15),
    (TEMPLATE.replace("trust: dscp", "trust: all"), "'all' is not dscp", 13),
    (TEMPLATE.replace('"48"', '"64"'), "'64' is not a value of CNP_DSCP_P1", 20),
    (TEMPLATE.replace("CNP_DSCP_P1, value", "CNP_DSCP_P1, words"), "is not a name with", 20),
    (POLICY.replace("26.7.0", "27.1.0"), "release 'network-operator-v27.1.0'", 6),
    (PROFILE.replace("    mlxConfig", "    doSPCX: 1\n    mlxConfig"), "'doSPCX'", 9),
    (PROFILE.replace("  profile:", "  plan:"), "no data.profile", 1),
    (SETUPCC.replace("-c CNP", "-c 9"), "'9' is not a value of -c", 1),
    (SETUPCC.replace("-c CNP", "-z 9"), "cannot be read", 1),
    (NICCLI.replace("PFC enabled: 3", "PFC enabled: 8"), "'8' is not a number from 0 to 7", 0),
    (filled(NICCLI, 7) * 2, "not one PFC TLV", 0),
    (NICCTL.replace("0x8", "8"), "'8' is not a bitmap", 0),
    (NICCTL.replace(": DSCP\n", ": VLAN\n"), "'VLAN' is not a type of classification", 0),
    (LLDPCTL.replace("08,08", "08"), "not two bytes", 0),
    (LLDPCTL.replace("00,80,C2", "00,12,0F"), "no neighbour in it has TLVs of DCBX", 0),
    (MLXCONFIG.replace("255             255   ", "255   "), "not one value in each column", 0),
    (MLXCONFIG.replace("4\n", "70\n"), "'70' is not a value of CNP_DSCP_P1", 10),
    (mlxconfig(6)[:-20], "not JSON", 0),
    (f"{TEMPLATE}--More--", "marks of a pager", 0),
]


@each(("text", "words", "line"), WRONG)
def test_what_is_not_known_is_rejected_with_its_place(text: str, words: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read(filled(text, 6))
    finding = caught.value.findings[0]
    assert words in finding.message
    assert finding.fix
    assert finding.position
    assert (finding.position.file, finding.position.line) == ("gpu1/nic.txt", line)
