"""Configurations of systems that rocefab does not read are rejected, and the system is named.

Lines are those of public captures: see `fabric.observe.configuration.foreign`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.observe.configuration.foreign import FOREIGN
from fabric.observe.configuration.recognition import foreign_of, system_of
from fabric.workflow.audit import audit
from tests.cases import each
from tests.cli.runs import run

#: By system: texts, with lines that systems have which are read.
TEXTS = {
    "Ruijie RGOS": (
        (
            "version S6980_RGOS 12.5(4)B0401\nhostname sw1\nclass-map roce\n"
            "interface HundredGigabitEthernet 0/1\n switchport mode trunk\n"
            " priority-flow-control mode on\n qos trust dscp\n"
        ),
    ),
    "Dell OS10": (
        (
            "ip name-server 10.0.0.1\nhostname leaf\ninterface ethernet1/1/51\n no shutdown\n"
            " channel-group 150 mode active\n mtu 9216\n flowcontrol receive off\n"
        ),
        (
            "! Version 10.5.4.1\nhostname leaf\nclass-map type network-qos cm\n match qos-group 3\n"
            "policy-map type network-qos pm\n class cm\n  pause\n  pfc-cos 3\nsystem qos\n"
        ),
        (
            "hostname leaf\nclass-map type network-qos cm\n match qos-group 3\n"
            "policy-map type network-qos pm\n class cm\n  pause\n  pfc-cos 3\nsystem qos\n"
            " trust-map dscp m\n"
        ),
    ),
    "Dell OS9": (
        (
            "! Version 9.14(2.0)\nhostname tor\ndcb-map RDMA\n"
            " priority-group 0 bandwidth 50 pfc on\n"
            "interface fortyGigE 0/48\n dcb-map RDMA\n no shutdown\n"
        ),
    ),
    "Cisco IOS or IOS XE": (
        (
            "version 17.9\nservice timestamps log datetime\nhostname access\nip routing\n"
            "class-map match-any ROCE\n match dscp 26\ninterface TenGigabitEthernet1/1/1\n"
            " no switchport\nline vty 0 15\nend\n"
        ),
    ),
    "Cisco IOS XR": (
        (
            "!! IOS XR Configuration 7.5.2\nhostname core\ninterface Bundle-Ether1\n mtu 9216\n"
            "interface HundredGigE0/0/0/0\n bundle id 1 mode active\nroute-policy PASS\n  pass\n"
            "end-policy\n"
        ),
        "hostname core\ninterface TenGigE0/0/0/1\n ipv4 address 10.0.0.1/31\n",
    ),
    "Cisco ASA": ("ASA Version 9.12(4)67 \nhostname fw\ninterface GigabitEthernet0/0\n",),
    "NVIDIA Onyx": (
        (
            '## Running database "initial"\n##\n   roce lossy\n'
            "   interface ethernet 1/15 shutdown\n   protocol bgp\n"
        ),
        (
            "   interface ethernet 1/1-1/32 traffic-class 3 congestion-control ecn"
            " minimum-relative 75 maximum-relative 95\n   protocol mlag\n"
        ),
    ),
    "Aruba AOS-CX": (
        (
            "!Version ArubaOS-CX FL.10.10.1100\nhostname agg\nvlan 1,42\n"
            "interface lag 1 multi-chassis\n"
            "    no routing\ninterface 1/1/1\n    no shutdown\n    lag 1\n"
        ),
        "\nhostname agg\nbanner exec !\nqos trust dscp\ninterface 1/1/1\n    no shutdown\n",
    ),
    "HPE ProVision": (
        (
            "; J9729A Configuration Editor; Created on release #WB.16.08.0001\nhostname sw\n"
            'vlan 1\n   name "DEFAULT_VLAN"\n   untagged 1-24\n   exit\n'
        ),
    ),
    "Nokia SR Linux": (
        "set / interface ethernet-1/1 admin-state enable\nset / system name host-name leaf1\n",
        "    interface ethernet-1/1 {\n        admin-state enable\n    }\nsystem {\n}\n",
    ),
    "Nokia SR OS": (
        "# TiMOS-B-23.7.R2 both/x86_64 Nokia 7750 SR\nconfigure {\n    system {\n    }\n}\n",
        "/configure system name R1\n/configure port 1/1/c1 admin-state enable\n",
    ),
    "IP Infusion OcNOS": (
        (
            "!\n! Software version: UFI_S9500-30XS-OcNOS-4.2-SP-CSR-S0-P0 07/24/2021\n!\n"
            "feature ntp vrf management\nclass-map type qos match-any ROCE\n match dscp 26\n"
            "policy-map type qos IN\n class ROCE\n  set queue 3\ninterface xe18\n switchport\n"
        ),
        (
            "hardware-profile statistics ingress-acl enable\nfeature telnet vrf management\n"
            "policy-map type qos IN\ninterface xe1\n"
        ),
    ),
    "Huawei VRP5": (
        (
            "!Software Version V200R021C00SPC600\n#\nsysname access\n#\nvlan batch 2 to 4094\n#\n"
            "authentication-profile name default_authen_profile\n#\ndiffserv domain default\n#\n"
            "interface Vlanif1\n#\ninterface MEth0/0/1\n#\ninterface Eth-Trunk1\n"
            " port default vlan 10\n#\ninterface XGigabitEthernet0/0/1\n eth-trunk 1\n#\n"
        ),
        (
            "!Software Version V200R005C00SPC500\n#\nsysname access\n#\nvlan batch 10 20\n#\n"
            "interface Vlanif10\n#\ninterface GigabitEthernet0/0/1\n port default vlan 10\n#\n"
        ),
    ),
    "NetApp or Broadcom EFOS": (
        (
            '!Current Configuration:\n!\n!System Software Version "3.12.0.1"\n!\nvlan database\n'
            "vlan 10,103\nexit\nconfigure\nclass-map match-all CLUSTER_RDMA\n"
            "match ip dscp 16\nexit\n"
            "interface 0/55\naddport 1/1\nexit\n"
        ),
        (
            '!System Description "M4300-96X"\n!System Software Version "12.0.11.8"\n'
            'hostname "sw1"\ninterface 1/0/1\ndatacenter-bridging\n'
            "priority-flow-control mode on\nexit\n"
        ),
    ),
    "Ruckus ICX": ("ver 08.0.95jT211\n!\nstack unit 1\n  module 1 icx7150-48zp\nvlan 1 by port\n",),
    "FS switch": ("!version 2.0.2J build 120538\nservice timestamps log date\nhostname fs\n",),
    "Fortinet": (
        'config system global\n    set hostname "fw"\nend\nconfig system interface\nend\n',
    ),
    "VyOS": (
        (
            "set interfaces ethernet eth0 hw-id '7c:c2:55:00:00:08'\nset interfaces loopback lo\n"
            "set protocols bgp neighbor 10.10.10.1 remote-as 65001\nset system host-name vyos\n"
        ),
        "interfaces {\n    ethernet eth0 {\n        address 10.0.0.1/24\n    }\n}\n",
    ),
    "MikroTik RouterOS": ("# 2024-10-01 12:00:00 by RouterOS 7.16\n/interface ethernet\n",),
    "Cumulus Linux without NVUE": (
        "net add hostname leaf2\nnet add interface swp1 ip address 10.1.1.1/30\n",
    ),
}


@each("name", FOREIGN)
def test_a_foreign_configuration_is_named(name: str) -> None:
    for text in TEXTS[name]:
        assert (system_of(text), foreign_of(text)) == (None, name)


@each("name", TEXTS)
def test_a_foreign_configuration_is_rejected(tmp_path, name: str) -> None:
    file = tmp_path / "switch.cfg"
    file.write_text(TEXTS[name][0])
    with pytest.raises(InputError) as refused:
        audit([file])
    (finding,) = refused.value.findings
    assert finding.rule == "AUD019"
    assert finding.message == f"this configuration is of {name}, which is not read"


def test_an_unknown_system_lists_the_known_ones_once(tmp_path: Path) -> None:
    file = tmp_path / "leaf.cfg"
    file.write_text("sysname leaf\n")
    said = run("audit", file, "--system", "huawei").err
    assert "system 'huawei' is not audited; name the system with --system: " in said
    assert said.count("comware7") == 1
