"""Sources that are wrong, by form: files, settings, and what is said; ``{}`` is the folder."""

from __future__ import annotations

from pathlib import Path

HEAD = "device,port,peer_device,peer_port\n"
#: Name -> form, files (the first is the source), settings of the importer.
CASES: dict[str, tuple[str, dict[str, str | bytes], dict[str, object]]] = {
    "csv-many": (
        "csv",
        {
            "c.csv": HEAD + "a,p1,a,p2\na,p1,b,p1\nc,p1,b,p1\n../x,p1,b,p2\n"
            "{{x}},p1,b,p3\n=cmd(),p1,b,p4\na,,b,p5\na,p9,b\na,p 8,b,p8\n"
        },
        {},
    ),
    "csv-port-twice": ("csv", {"c.csv": HEAD + "a,p1,z,p1\nb,p1,z,p1\nz,p1,z9,p1\n"}, {}),
    "csv-one-name": (
        "csv",
        {"c.csv": HEAD + "a.x,p1,b,p1\na.y,p2,b,p2\n"},
        {"cut_domain": True},
    ),
    "csv-columns": ("csv", {"c.csv": "device,port,where\na,b,c\n"}, {}),
    "csv-two-columns": ("csv", {"c.csv": "device,switch,port,peer,peer_port\na,b,c,d,e\n"}, {}),
    "csv-told-columns": ("csv", {"c.csv": "A,B,C,D\na,b,c,d\n"}, {"columns": {"device": "X"}}),
    "csv-unknown-column": ("csv", {"c.csv": HEAD}, {"columns": {"colour": "X"}}),
    "csv-quotes": ("csv", {"c.csv": HEAD + 'a,"p1,b,p2\n'}, {}),
    "csv-not-utf8": ("csv", {"c.csv": HEAD.encode() + b"a\xff,p,b,p\n"}, {}),
    "csv-control": ("csv", {"c.csv": HEAD + "a\x07,p,b,p\n"}, {}),
    "csv-figures": (
        "csv",
        {"c.csv": HEAD.strip() + ",speed,length\na,p1,b,p1,fast,5 yards\na,p2,b,p2,9999,0\n"},
        {},
    ),
    "csv-contradiction": (
        "csv",
        {"c.csv": HEAD.strip() + ",length\na,p1,b,p1,5\nb,p1,a,p1,6\n"},
        {},
    ),
    "dot-directed": ("dot", {"t.dot": 'digraph G { "a":"p1" -> "b":"p1"; }'}, {}),
    "dot-arrow": ("dot", {"t.dot": 'graph G {\n  "a":"p1" -> "b":"p1";\n}\n'}, {}),
    "dot-chain": ("dot", {"t.dot": "graph G { a:p1 -- b:p1 -- c:p1; }"}, {}),
    "dot-open": ("dot", {"t.dot": 'graph G {\n "a":"p1" -- "b":"p1"'}, {}),
    "dot-many": (
        "dot",
        {
            "t.dot": "graph G {\n a [role=router];\n a:p1 -- a:p2;\n a:p1 -- b:p1;\n"
            ' c:p1 -- b:p1;\n a -- b:p7;\n "{{x}}":p1 -- b:p3;\n d [asn="65e9" unit="../u"];\n}\n'
        },
        {},
    ),
    "dot-contradiction": ("dot", {"t.dot": "graph G {\n a [unit=u1];\n a [unit=u2];\n}\n"}, {}),
    "dot-symbol": ("dot", {"t.dot": "graph G {\n a:p1 -- b:p1 ? \n}\n"}, {}),
    "json-broken": ("json", {"g.json": '{"nodes": ['}, {}),
    "json-deep": ("json", {"g.json": "[" * 100_000}, {}),
    "json-list": ("json", {"g.json": "[1]"}, {}),
    "json-many": (
        "json",
        {
            "g.json": '{"nodes": [{"id": "a", "kind": "switch", "rail": "x"}, {"id": 7}, '
            '{"id": "b", "asn": [1]}], "edges": [{"ports": {"a": "p1", "zz": "p1"}}, '
            '{"ports": {"a": "p2"}}]}'
        },
        {},
    ),
    "graphml-entity": (
        "graphml",
        {"g.graphml": '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>'},
        {},
    ),
    "graphml-broken": ("graphml", {"g.graphml": "<graphml><graph>"}, {}),
    "nornir-circle": (
        "nornir",
        {
            "hosts.yaml": "leaf01: {groups: [a], data: {cables: []}}\n",
            "groups.yaml": "a: {groups: [b]}\nb: {groups: [c]}\nc: {groups: [a]}\n",
        },
        {},
    ),
    "nornir-many": (
        "nornir",
        {
            "hosts.yaml": "leaf01:\n  groups: [none]\n  data:\n    rail: one\n    cables:\n"
            "    - {port: p1, peer_device: nowhere, peer_port: p1}\n",
            "groups.yaml": "a: {groups: [b]}\n",
        },
        {},
    ),
    "nornir-no-cables": ("nornir", {"hosts.yaml": "leaf01: {}\n"}, {}),
    "nornir-tag": ("nornir", {"hosts.yaml": "leaf01: !!python/object:os.system {}\n"}, {}),
    "ansible-no-cables": ("ansible", {"inv.ini": "[leaf]\nleaf01\n"}, {}),
    "ansible-circle": (
        "ansible",
        {"inv.ini": "[a:children]\nb\n[b:children]\na\n[b]\nleaf01\n", "c.csv": HEAD},
        {"cabling": Path("c.csv")},
    ),
    "ansible-many": (
        "ansible",
        {
            "inv.ini": "[leaf\nx\n[leaf]\nleaf[9:1]\nleaf01 rocefab_rail=x\n'open\nleaf02 word\n"
            "../x\nleaf03 rocefab_unit={{su}}\n[leaf:vars]\nnothing\n",
            "c.csv": HEAD + "leaf01,p1,spine01,p1\n",
        },
        {"cabling": Path("c.csv")},
    ),
    "ansible-yaml": (
        "ansible",
        {
            "inv.yaml": "all:\n  children:\n    leaf:\n      leaf01:\n      hosts:\n"
            "        leaf[1-4]:\n",
            "c.csv": HEAD,
        },
        {"cabling": Path("c.csv")},
    ),
    "ansible-vars-tag": (
        "ansible",
        {
            "inv.ini": "[leaf]\nleaf01\n",
            "host_vars/leaf01.yml": "secret: !vault x\n",
            "c.csv": HEAD,
        },
        {"cabling": Path("c.csv")},
    ),
    "netbox-page": ("netbox", {"n.json": '{"devices": {"next": "x", "results": []}}'}, {}),
    "netbox-empty": ("netbox", {"n.json": '{"sites": []}'}, {}),
    "netbox-many": (
        "netbox",
        {
            "n.json": '{"devices": [{"id": 1, "name": "a", "role": {"slug": "leaf"}}, '
            '{"id": 2, "name": "b c", "role": {"slug": "spine"}}, '
            '{"id": 3, "name": null, "role": {"slug": "leaf"}}, '
            '{"id": 4, "name": "d", "role": {"slug": "host"}}], '
            '"cables": [{"id": 7, "length": 3, "length_unit": {"value": "yd"}, '
            '"side_a_device": "a", "side_a_type": "dcim.interface", "side_a_name": "p1", '
            '"side_b_device": "a", "side_b_type": "dcim.interface", "side_b_name": "p2"}, '
            '{"id": 8, "a_terminations": [{"object_type": "dcim.interface", "object": '
            '{"device": {"name": "a"}, "name": "p1"}}], "b_terminations": '
            '[{"object_type": "dcim.interface", "object": {"device": {"name": "d"}, "name": '
            '"eth1"}}, {"object_type": "dcim.interface", "object": {"device": {"name": "d"}, '
            '"name": "eth2"}}]}]}'
        },
        {},
    ),
    "lldp-form": ("lldp", {"o.json": '{"device": "a"}'}, {}),
    "lingjun-rails": ("lingjun", {"t.csv": "ip,DSW,PSW,ASW\na,G1,P1,S1\n"}, {}),
    "lingjun-many": (
        "lingjun",
        {"t.csv": "ip,DSW,PSW,ASW\na,G1,P1,S1\na,G1,P1,S2\nb,G1,P1\nc,G1,../x,S1\n"},
        {"rails": 2},
    ),
    "lingjun-header": ("lingjun", {"t.csv": "host,switch\n"}, {"rails": 2}),
    "slurm-many": (
        "slurm",
        {
            "t.conf": "SwitchName=a Nodes=n[1-2\nSwitchName=b Nodes=n1 Switches=c\n"
            "SwitchName=c\nSwitchName=l[1-2] Nodes=n3\nNodes=n4\nSwitchName=d Color=red Nodes=n5\n"
            "SwitchName=e Nodes=\nSwitchName=f Nodes=n6,n7\nSwitchName=f Nodes=n7\n"
            "SwitchName=g Switches=f,x\nSwitchName=h Switches=f\n{{x}}\nBlockSizes=8,24\n"
            "BlockName=b1 Nodes=n9\nSwitchName=i Nodes=n1 nodes=n2\n"
        },
        {},
    ),
    "slurm-names": ("slurm", {"t.conf": "SwitchName=a_b Nodes=../x,{{y}}\n"}, {}),
    "slurm-circle": (
        "slurm",
        {"t.conf": "SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=c Nodes=n1\n"},
        {},
    ),
    "slurm-levels": (
        "slurm",
        {
            "t.conf": "SwitchName=t Switches=a,p\nSwitchName=p Switches=b\nSwitchName=a Nodes=n1\n"
            "SwitchName=b Nodes=n2\n"
        },
        {},
    ),
    "slurm-empty": ("slurm", {"t.conf": "# nothing\n"}, {}),
    "slurm-mapping": ("slurm", {"t.yaml": "topology: a\n"}, {}),
    "slurm-flat": ("slurm", {"t.yaml": "- {topology: a, flat: true}\n"}, {}),
    "slurm-yaml-many": (
        "slurm",
        {
            "t.yaml": "- topology: a\n  colour: red\n  tree:\n    switches:\n"
            "    - {switch: a, nodes: [n1, n2]}\n    - {nodes: n3}\n    - 7\n"
            "    - {switch: b, node: n4}\n    - switch: c\n      children: a,\n- 5\n"
        },
        {},
    ),
    "slurm-yaml-blocks": (
        "slurm",
        {
            "t.yaml": "- topology: a\n  block:\n    block_sizes: [8, 24]\n    blocks:\n"
            "    - {block: a, nodes: n1}\n    - {block: a, nodes: n1, children: b}\n"
        },
        {},
    ),
    "topograph-many": (
        "topograph",
        {
            "m.yaml": "colour: red\nswitches:\n  a: {switches: [b, c]}\n  d:\n"
            "  e: {name: f, switches: b, speed: 1}\n  g: {switches: [c]}\nblocks:\n"
            "- {switch: x, nodes: [n1]}\n- {switch: b, nodes: []}\n- {nodes: [n2]}\n- 7\n"
            "- {switch: a, nodes: ['n[3-2]', n1]}\n- {switch: a, nodes: [n4]}\n"
        },
        {},
    ),
    "containerlab-many": (
        "containerlab",
        {
            "t.yml": "name: [a]\ntopology:\n  kinds: {ceos: 7}\n  nodes:\n    a: {kind: ceos}\n"
            "    ../b: {labels: {rocefab_rail: x, rocefab_role: leaf}}\n    c: word\n"
            "    d: {kind: $KIND, labels: [1]}\n  links:\n  - endpoints: ['a:eth1']\n"
            "  - endpoints: {a: eth1}\n  - [a, c]\n  - endpoints: ['a:eth1', 'c']\n"
            "  - endpoints: ['a:eth1', 'c:eth1']\n  - endpoints: ['a:eth1', 'd:eth1']\n"
            "  - endpoints: ['a:eth 2', 'c:$(id)']\n  - endpoints: ['a:eth2', '${NODE}:eth1']\n"
            "  - {endpoints: ['a:eth4', 'c:eth4'], vars: {rocefab: {ports: {a: 1, c: '{{x}}'}}}}\n"
        },
        {},
    ),
    "containerlab-empty": ("containerlab", {"t.yml": "name: a\ntopology:\n  links: 5\n"}, {}),
    "containerlab-twice": (
        "containerlab",
        {"t.yml": "topology:\n  nodes:\n    a: {}\n    a: {}\n    b: &x {}\n    c: *x\n"},
        {},
    ),
    "netlab-many": (
        "netlab",
        {
            "t.yml": "name: {a: b}\nnodes:\n  a: {device: [eos], rocefab: {rail: x, role: r}}\n"
            "  ../b:\n  c: word\n  d: {group: {x: y}, bgp: {as: 70000000000}}\ngroups:\n"
            "  g: {members: 7}\n  h: [a]\nlinks:\n- 5\n- {a: {ifindex: -1}, c: {ifindex: true}}\n"
            "- [a, [c]]\n- {interfaces: {a: c}}\n- {a: {ifname: 'x y'}, c: {ifname: '{{x}}'}}\n"
            "- {a: {ifindex: 9}, c: {}}\n- {a: {ifindex: 9}, c: {}}\n- {a: 1, c: [1]}\n"
        },
        {},
    ),
    "netlab-empty": ("netlab", {"t.yml": "nodes: []\nlinks: 5\nplugin: [fabric]\n"}, {}),
    "netlab-tag": ("netlab", {"t.yml": "nodes: !include x\n"}, {}),
    "configs-file": ("configs", {"c.txt": "hostname leaf01\n"}, {}),
    "testbed-many": (
        "sonic-testbed",
        {
            "x_links.csv": "StartDevice,StartPort,EndDevice,EndPort,BandWidth\na,p1,b,p1,fast\n"
            "a,p2,b,p2,400\na,p1,b,p3,400000\n../a,p1,b,p4,-1\na,p 5,{{b}},p5,1e9\n",
        },
        {},
    ),
    "testbed-devices": (
        "sonic-testbed",
        {
            "x_links.csv": "StartDevice,StartPort,EndDevice,EndPort\na,p1,b,p1\n",
            "x_devices.csv": "Hostname,ManagementIp,Type\na b,10.0.0.999,DevSonic\n",
        },
        {},
    ),
    "testbed-columns": ("sonic-testbed", {"x_links.csv": "StartDevice,EndDevice\na,b\n"}, {}),
    "testbed-empty-cell": (
        "sonic-testbed",
        {"x_links.csv": "StartDevice,StartPort,EndDevice,EndPort\na,,b,p1\n"},
        {},
    ),
    "minigraph-entities": (
        "minigraph",
        {
            "m.xml": '<!DOCTYPE x [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>\n'
            "<DeviceMiniGraph>&c;</DeviceMiniGraph>"
        },
        {},
    ),
    "minigraph-file": (
        "minigraph",
        {"m.xml": '<!DOCTYPE x SYSTEM "file:///etc/passwd"><DeviceMiniGraph/>'},
        {},
    ),
    "minigraph-entity": ("minigraph", {"m.xml": "<DeviceMiniGraph>&x;</DeviceMiniGraph>"}, {}),
    "minigraph-broken": ("minigraph", {"m.xml": "<DeviceMiniGraph>\n<a>\n</b>"}, {}),
    "minigraph-deep": ("minigraph", {"m.xml": "<a>" * 5000}, {}),
    "minigraph-root": ("minigraph", {"m.xml": "<Device/>"}, {}),
    "minigraph-many": (
        "minigraph",
        {
            "m.xml": "<DeviceMiniGraph><PngDec><Devices>\n<Device><Hostname>a b</Hostname></Device>"
            "\n<Device><Hostname>l</Hostname></Device>\n<Device><Hostname>h</Hostname></Device>\n"
            "</Devices><DeviceInterfaceLinks>\n<DeviceLinkBase><ElementType>DeviceInterfaceLink"
            "</ElementType><Bandwidth>9.6</Bandwidth><StartDevice>l</StartDevice><StartPort>{{p}}"
            "</StartPort><EndDevice>h</EndDevice><EndPort>e1</EndPort></DeviceLinkBase>\n"
            "<DeviceLinkBase><ElementType>DeviceInterfaceLink</ElementType><StartDevice>l"
            "</StartDevice><EndDevice>h</EndDevice></DeviceLinkBase>\n</DeviceInterfaceLinks>"
            "</PngDec></DeviceMiniGraph>"
        },
        {},
    ),
    "hedgehog-many": (
        "hedgehog",
        {
            "w.yaml": "---\n# a comment\n---\napiVersion: wiring.githedgehog.com/v1beta1\n"
            "kind: Switch\nmetadata: {name: ../x}\nspec: {role: spine, asn: -1}\n---\n"
            "apiVersion: wiring.githedgehog.com/v1beta1\nkind: Server\nmetadata: [a]\n---\n"
            "a: [\n---\napiVersion: wiring.githedgehog.com/v1beta1\nkind: Connection\n"
            "metadata: {name: c}\nspec:\n  fabric: {links: [{spine: {port: s1}}, 7]}\n"
            "  unbundled: {link: {server: {port: '{{a}}/p'}, switch: {port: l1/E1/1}}}\n"
            "  bundled: {}\n  eslag: [1]\n"
        },
        {},
    ),
    "hedgehog-other": ("hedgehog", {"w.yaml": "apiVersion: v1\nkind: Pod\n"}, {}),
    "air-many": (
        "air",
        {
            "t.json": '{"title": "x", "nodes": {\n "a": {"os": ["x"]},\n "../b": {},\n "c": 7,\n'
            ' "d": {"function": "leaf"}, "e": {"function": "spine"}},\n "links": [\n'
            '  [{"node": "d", "interface": "swp1"}],\n  5,\n'
            '  [{"node": "d", "interface": "{{x}}"}, {"node": "e", "interface": "swp1"}],\n'
            '  [{"node": "d", "interface": "swp2"}, {"node": "e"}],\n'
            '  [{"node": "d", "interface": "swp3"}, {"node": "e", "interface": "swp1"}],\n'
            '  [{"node": {"a": 1}}, "exit"]]}\n'
        },
        {},
    ),
    "air-empty": ("air", {"t.json": '{"nodes": []}'}, {}),
    "air-dot": ("air", {"t.dot": "graph G { a:p1 -- b:p1 -- c:p1; }"}, {}),
    "ibnetdiscover-many": (
        "ibnetdiscover",
        {
            "ib.txt": '# Topology file\nvendid=0x2c9\nSwitch\t40 "S-00a1"\t\t# "leaf-1" port 0\n'
            '[1]\t"H-00b1"[1](b1) \t\t# "g{{x}} mlx5_0" lid 5 4xHDR\n'
            '[1]\t"H-00b2"[1](b2) \t\t# "g2 mlx5_0" lid 6 4xHDR\nrm -rf /\n'
            'Ca\t1 "H-00b1"\t\t# "g{{x}} mlx5_0"\nCa\t1 "H-00b2"\t\t# "g2 mlx5_0"\n'
        },
        {},
    ),
    "netq-columns": (
        "netq",
        {"n.txt": "Hostname  Interface\n--------  ---------\na         swp1\n"},
        {},
    ),
    "netq-empty": ("netq", {"n.txt": "Matching lldp records:\n"}, {}),
    "netq-rows": (
        "netq",
        {
            "n.txt": "Hostname  Interface  Peer Hostname  Peer Interface\n"
            "--------  ---------  -------------  --------------\n"
            "leaf01    swp1       {{x}}          swp1\nleaf01    swp2\n"
            "leaf01    swp3       spine01        swp1\nleaf02    swp3       spine01        swp1\n"
        },
        {},
    ),
    "ibnetdiscover-empty": ("ibnetdiscover", {"ib.txt": "# nothing\n"}, {}),
}
