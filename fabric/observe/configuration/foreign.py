"""Switch systems that rocefab has no reader for: by what lines their configurations are told.

Captures that the lines were looked up in: ytti/oxidized spec/model/data (AOS-CX, ASA, EFOS,
FortiOS, FS, IOS XE, ICX, Onyx, VyOS), Cray-HPE/canu tests/data/switch_backups (OS10, Onyx),
microsoft/AzureStack_Network_Switch_Config_Generator (OS10), netdevops/hier_config (ProVision,
SR Linux), srl-labs/learn-srlinux, CumulusNetworks/docs (NCLU); else named at the system.
"""

from __future__ import annotations

from typing import NamedTuple


class Foreign(NamedTuple):
    """How the configurations of a system without a reader are told.

    Parameters
    ----------
    certain : tuple of str
        Patterns of lines that no system with a reader has: one is enough.
    signs : tuple of str
        Patterns of lines that others may have too, as of `LosslessReader`: the most count.
    """

    certain: tuple[str, ...]
    signs: tuple[str, ...] = ()


FOREIGN: dict[str, Foreign] = {
    # Dell, SmartFabric OS10 user guide 10.5: "Quality of service", "Priority flow control".
    "Dell OS10": Foreign(
        (r"^! Version 10\.\d", r"^interface (ethernet|mgmt)\d+/\d+/\d+"),
        (
            r"^ +pfc-cos \d",
            r"^ +priority-flow-control mode on$",
            r"^(trust|qos-map) (dscp|dot1p|traffic-class)",
            r"^dcbx enable$",
            r"^class-map type (network-qos|queuing) ",
            r"^ match (qos-group|queue) \d",
            r"^ +trust-map (dscp|dot1p) ",
            r"^ +switchport mode (access|trunk)$",
        ),
    ),
    # dellemc.os9 Ansible collection, role os9_dcb.
    "Dell OS9": Foreign((
        r"^! Version 9\.\d+\(",
        r"^interface (TenGigabitEthernet|[Ff]ortyGigE|[Hh]undredGigE) \d+/\d",
        r"^dcb-map \S+",
        r"^stack-unit \d+ provision ",
    )),
    "Ruijie RGOS": Foreign((r"^version \S+_RGOS ",)),
    "FS switch": Foreign((r"^!version \d\.\d\.\S+ build ",)),
    "Cisco IOS or IOS XE": Foreign((
        r"^version 1[2-7]\.\d+$",
        r"^boot-start-marker$",
        r"^service timestamps (debug|log) ",
    )),
    # batfish/batfish, ntc-templates: show running-config of IOS XR.
    "Cisco IOS XR": Foreign((
        r"^!! IOS XR Configuration",
        r"^interface (Bundle-Ether ?\d|MgmtEth\d)",
        r"^interface (Gigabit|(Ten|TwentyFive|Forty|Hundred|FourHundred)Gig)\w+\d+/\w+/\w+/\d+",
        r"^end-(policy|set)$",
    )),
    "Cisco ASA": Foreign((r"^ASA Version \d",)),
    "NVIDIA Onyx": Foreign((
        r"^## Running database ",
        r"^ *interface (ethernet|mlag-port-channel) \d+(/\d+)?(-\d+/\d+)? ",
        r"^ *protocol (bgp|mlag|lldp)$",
    )),
    # ICOS, and others of the same code, have `interface 1/0/1` like AOS-CX.
    "NetApp or Broadcom EFOS": Foreign((r"^!System Software Version ", r"^interface \d+/\d+$")),
    "Aruba AOS-CX": Foreign((
        r"^!Version (ArubaOS|AOS)-CX ",
        r"^interface \d+/\d+/\d+$",
        r"^interface lag \d+",
    )),
    "HPE ProVision": Foreign((r"^; \S+ Configuration Editor; Created on release #",)),
    "Nokia SR Linux": Foreign((
        r"^ *(set )?/ (interface|system|network-instance) ",
        r"^ */?interface ethernet-\d+/\d+(/\d+)? \{",
    )),
    # Nokia, SR OS MD-CLI: header of `admin save`.
    "Nokia SR OS": Foreign((r"^# TiMOS-[A-Z]-", r"^ *configure \{$", r"^/configure ")),
    # A capture of OcNOS 4.2; NX-OS has `feature` too, and no device profile.
    "IP Infusion OcNOS": Foreign((
        r"^! Software version: .*OcNOS",
        r"^hardware-profile (statistics|filter) ",
        r"^feature \S+ vrf management$",
    )),
    # Campus switches and routers: captures of V200R013C00 to V200R023C00.
    "Huawei VRP5": Foreign((
        r"^interface (XGigabitEthernet\d|GigabitEthernet0/0/\d+$)",
        r"^(authentication-profile|free-rule-template) name ",
        r"^\[V[12]00R\d+C\d+",
    )),
    "Ruckus ICX": Foreign((r"^ver \d\d\.\d\.\d\d", r"^stack unit \d+$")),
    "Fortinet": Foreign((r"^#config-version=", r"^config system (global|interface)$")),
    "VyOS": Foreign((
        r"^// vyos-config-version",
        r"^set interfaces (ethernet eth\d|bonding bond\d|loopback lo$|loopback lo )",
        r"^ +ethernet eth\d+ \{",
    )),
    "MikroTik RouterOS": Foreign((r"^# .* by RouterOS ", r"^/interface ")),
    "Cumulus Linux without NVUE": Foreign((r"^net add (interface|bgp|bridge|loopback|hostname) ",)),
}
