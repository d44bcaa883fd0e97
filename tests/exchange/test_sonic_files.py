"""Files of SONiC: testbeds and minigraphs."""

from __future__ import annotations

from pathlib import Path

from fabric.core.errors import InputError
from fabric.exchange.plant import Cable, Device
from tests.exchange.plants import put, read, refused

LINKS = """\
StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode,AutoNeg
leaf01,Ethernet0,serv01,p4p1,100000,,Access
leaf01,Ethernet8,spine01,Ethernet0,400000,1,Trunk,off
leaf01,Ethernet16,pdu-1,1,1000,1,Access
leaf01,Ethernet24,gone,1,1000,1,Access
leaf01,Ethernet32,leaf01,Ethernet40,100000,1,Access
"""
DEVICES = """\
Hostname,ManagementIp,HwSku,Type,Protocol,Os,AuthType
leaf01,10.251.0.188/23,ACS-MSN4700,DevSonic,,sonic
spine01,,Arista-7060X6-64PE,FanoutRoot,,eos,
serv01,10.251.0.245/23,TestServ,Server,,ubuntu
pdu-1,192.168.9.2,Apc,Pdu,snmp,
"""
FILES: dict[str, str | bytes] = {
    "lab_links.csv": LINKS,
    "lab_devices.csv": DEVICES,
    "lab_console_links.csv": "StartDevice,StartPort,EndDevice\nc,1,leaf01\n",
}


def test_a_testbed(tmp_path: Path) -> None:
    source = put(tmp_path, FILES)
    done = read("sonic-testbed", source, roles={"DevSonic": "leaf", "FanoutRoot": "spine"})
    assert done.plant.devices == (
        Device(
            *("leaf01", "switch", "leaf"),
            model="ACS-MSN4700",
            system="sonic",
            management="10.251.0.188",
        ),
        Device("spine01", "switch", "spine", model="Arista-7060X6-64PE", system="eos"),
        Device("serv01", "host", management="10.251.0.245"),
    )
    assert done.plant.cables == (
        Cable.between(("leaf01", "Ethernet0"), ("serv01", "p4p1"), 100),
        Cable.between(("leaf01", "Ethernet8"), ("spine01", "Ethernet0"), 400),
    )
    assert [note.message for note in done.notes] == [
        "devices of other types are ignored (1): pdu-1 (Pdu)",
        "links to devices of other types are ignored (1): leaf01 Ethernet16 to pdu-1 1",
        "links to undefined devices are ignored (1): leaf01 Ethernet24 to gone 1",
        "links from a device to itself are ignored (1): leaf01 Ethernet32 to leaf01 Ethernet40",
    ]
    assert read("sonic-testbed", tmp_path).plant.cables == done.plant.cables


def test_a_testbed_without_devices(tmp_path: Path) -> None:
    done = read("sonic-testbed", put(tmp_path, {"lab_links.csv": LINKS}))
    assert len(done.plant.cables) == 4
    assert {device.kind for device in done.plant.devices} == {""}
    assert "no file of devices" in done.notes[-1].message


def test_folders_of_several_testbeds(tmp_path: Path) -> None:
    (said,) = refused("sonic-testbed", tmp_path / "none", {"a.csv": ""})
    assert "there is no column" in said
    put(tmp_path, {"a_links.csv": LINKS, "b_links.csv": LINKS})
    try:
        read("sonic-testbed", tmp_path)
    except InputError as error:
        assert "has 2 files *_links.csv" in str(error.findings[0])
    else:
        raise AssertionError


def minigraph(switch: str, links: str) -> str:
    return f"""\
<DeviceMiniGraph xmlns="Microsoft.Search.Autopilot.Evolution"
    xmlns:i="http://www.w3.org/2001/XMLSchema-instance">
  <CpgDec><Routers xmlns:a="http://schemas.datacontract.org/2004/07/x">
    <a:BGPRouterDeclaration><a:ASN>65001</a:ASN><a:Hostname>tor01</a:Hostname>
    </a:BGPRouterDeclaration>
    <a:BGPRouterDeclaration><a:ASN>0</a:ASN><a:Hostname>t1-01</a:Hostname></a:BGPRouterDeclaration>
    <a:BGPRouterDeclaration><a:ASN>1</a:ASN><a:Hostname>monitor</a:Hostname>
    </a:BGPRouterDeclaration>
  </Routers></CpgDec>
  <DpgDec><DeviceDataPlaneInfo>
    <Hostname>{switch}</Hostname>
    <LoopbackIPInterfaces xmlns:a="x">
      <a:LoopbackIPInterface><AttachTo>Loopback0</AttachTo><a:PrefixStr>10.1.0.{len(switch)}/32
      </a:PrefixStr></a:LoopbackIPInterface>
      <a:LoopbackIPInterface><AttachTo>Loopback0</AttachTo><a:PrefixStr>FC00:1::32/128</a:PrefixStr>
      </a:LoopbackIPInterface>
    </LoopbackIPInterfaces>
  </DeviceDataPlaneInfo></DpgDec>
  <PngDec>
    <DeviceInterfaceLinks>{links}</DeviceInterfaceLinks>
    <Devices>
      <Device i:type="a:ToRRouter"><ElementType>ToRRouter</ElementType><Hostname>tor01</Hostname>
        <HwSku>ACS-MSN4700</HwSku><ManagementAddress xmlns:a="x"><a:IPPrefix>10.7.0.1/26
        </a:IPPrefix></ManagementAddress></Device>
      <Device i:type="LeafRouter"><Hostname>t1-01</Hostname><HwSku>ACS-MSN4700</HwSku></Device>
      <Device i:type="Server"><Hostname>server1</Hostname><HwSku>server-sku</HwSku></Device>
      <Device i:type="SmartCable"><Hostname>server1-SC</Hostname></Device>
    </Devices>
  </PngDec>
</DeviceMiniGraph>
"""


def link(kind: str, *ends: str, bandwidth: str = "400000") -> str:
    start, start_port, end, end_port = ends
    return (
        f'<DeviceLinkBase i:type="{kind}"><ElementType>{kind}</ElementType>'
        f"<Bandwidth>{bandwidth}</Bandwidth><EndDevice>{end}</EndDevice>"
        f"<EndPort>{end_port}</EndPort><StartDevice>{start}</StartDevice>"
        f"<StartPort>{start_port}</StartPort></DeviceLinkBase>\n"
    )


CABLE = "DeviceInterfaceLink"
SHARED = link(CABLE, "t1-01", "etp2", "tor01", "etp9")
TOR = (
    SHARED
    + link(CABLE, "server1", "eth1", "tor01", "etp1", bandwidth="200000")
    + link("DeviceSerialLink", "server1", "1", "tor01", "console", bandwidth="9600")
    + link(CABLE, "server1-SC", "L", "tor01", "etp3")
    + link(CABLE, "gone", "p", "tor01", "etp4")
    + link(CABLE, "tor01", "etp5", "tor01", "etp6")
)


def test_minigraphs_of_two_switches_are_one_fabric(tmp_path: Path) -> None:
    """Each has their cable; ports are aliases, which the model has names for."""
    put(tmp_path, {"t1.xml": minigraph("t1-01", SHARED), "tor.xml": minigraph("tor01", TOR)})
    done = read("minigraph", tmp_path)
    switch = {"model": "ACS-MSN4700", "system": "sonic", "loopback": "10.1.0.5"}
    assert done.plant.devices == (
        Device("tor01", "switch", "leaf", asn=65001, management="10.7.0.1", **switch),
        Device("t1-01", "switch", "spine", **switch),
        Device("server1", "host"),
    )
    assert done.plant.cables == (
        Cable.between(("t1-01", "Ethernet8"), ("tor01", "Ethernet64"), 400),
        Cable.between(("server1", "eth1"), ("tor01", "Ethernet0"), 200),
    )
    smart = "server1-SC L to tor01 Ethernet16"
    assert [note.message for note in done.notes] == [
        "links of other kinds than cables are ignored (1): server1 1 to tor01 console",
        f"links to parts of a chassis and smart cables are ignored (1): {smart}",
        "links to undefined devices are ignored (1): gone p to tor01 Ethernet24",
        "links from a device to itself are ignored (1): tor01 Ethernet32 to tor01 Ethernet40",
    ]


def test_folders_without_minigraphs(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": ""})
    try:
        read("minigraph", tmp_path)
    except InputError as error:
        assert "the folder has no files *.xml" in str(error.findings[0])
    else:
        raise AssertionError


def test_a_switch_that_is_reached_over_ipv6(tmp_path: Path) -> None:
    """Its address of IPv4 is that of no device."""
    text = minigraph("tor01", TOR).replace("10.7.0.1/26", "0.0.0.0/0")
    own = "<ManagementAddressV6><IPPrefix>FC00:2::32/64</IPPrefix></ManagementAddressV6></Device>"
    assert "</ManagementAddress></Device>" in text
    text = text.replace("</ManagementAddress></Device>", f"</ManagementAddress>{own}")
    done = read("minigraph", put(tmp_path, {"tor.xml": text}))
    switch = next(one for one in done.plant.devices if one.name == "tor01")
    assert switch.management == "fc00:2::32"
