"""Writes the generated pages of the documentation: the inventory's fields, and the commands."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import Any, get_args

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.model import FabricFile
from fabric.intent.sku_model import PlatformsFile
from tests.cli import tree

_INVENTORY_HEAD = """\
# The inventory

Generated from the models that read it; do not edit.

A folder with `fabric.yaml`, and, where something differs, `devices/*.yaml` and `hosts/*.yaml`;
`cabling.csv` or `cabling.dot` names [cables one by one](../designs.md#cables-one-by-one), and
[designs](../designs.md) shows what each design looks like, and
[several fabrics](../designs.md#sites-several-fabrics);
`platforms/*.yaml` describes [switch models of your own](#own-switch-models).
`rocefab init FOLDER` creates one to start from; `rocefab check FOLDER` validates it.
Unknown fields are errors. A field whose name ends in a unit is in that unit: `_m` metres, `_s`
seconds, `_ms` milliseconds, `_bytes`, `_gbps`, `_percent`. A range expands to names in order:
`gpu[001-032]`, `su1-rail[0-1],su2-rail0`. A field with *required* in the column *default* must be
set; all others are optional.

Overrides use the fields of the same policy and change only the fields that they set. The most
specific one takes precedence: port, then device or host, then role, then `fabric.yaml`. Fields that
no file sets have the default below.
`rocefab explain FOLDER DEVICE TEXT` shows which value a line comes from. `TEXT` may be a field, or
a part of its path: `kmin_bytes`, `lossless.watchdog`. The lines that it decides are shown, with the
lines that hold them:

```console
$ rocefab explain inventory/demo spine01 lossless_percent
switches/spine01/startup-config.eos:16
    qos profile ROCE
      uc-tx-queue 0
        bandwidth percent 50
switches/spine01/startup-config.eos:20
    qos profile ROCE
      uc-tx-queue 3
        bandwidth percent 50
  value     fabric.lossless.scheduler.lossless_percent = 50  (rocefab default)
...
```

## Worked examples

A fabric with two units, two rails and two spines. All other fields have their defaults:

```yaml
# fabric.yaml
name: hall-a
design: rail-optimised
rails: 2
units:
  - {name: su1, hosts: "gpu[001-016]"}
  - {name: su2, hosts: "gpu[017-032]"}
spines: {count: 2, links_per_leaf: 4}
platforms:
  leaf: {sku: ACS-SN5600}
  spine: {sku: 7060X6-64PE, lossless: {ecn: {kmax_bytes: 3000000}}}
speeds: {host_gbps: 400, uplink_gbps: 800}
cables: {host_m: 5, uplink_m: 40}
addressing:
  loopbacks: 10.255.0.0/24
  uplinks: 10.254.0.0/21
  hosts: 10.64.0.0/16
host:
  gpus: 2
  interfaces: eth[1-2]
  rdma_devices: mlx5_[1-2]
  management_interface: eth0
```

The spines mark later than the leaves: `lossless` of a role changes one field of the policy.

Some cables of the second unit are longer, and its switches have another release. Both are
exceptions for devices, so that `fabric.yaml` stays as it is:

```yaml
# devices/su2.yaml
devices:
  - names: su2-rail[0-1]
    release: "202411"
    ports:
      Ethernet0: {cable_m: 30, description: gpu017 in the next row}
```

One host has another NIC in the second rail, and the driver gives its RDMA device another name:

```yaml
# hosts/gpu003.yaml
hosts:
  - names: gpu003
    nics:
      - {rail: 1, rdma_device: mlx5_7}
```

"""
_OWN_MODELS = """\
## Own switch models

`rocefab show platforms` lists the built-in switch models. Define any other model in a file
`platforms/NAME.yaml` of the inventory folder, and use its name like that of a built-in model.
[`rocefab models add`](models.md) writes the file from outputs of the switch. It has this form:

```yaml
# platforms/my-switch.yaml
skus:
  - name: My-Switch
    nos: sonic
    asic: tomahawk-5
    ports:
      count: 64
      lanes: 8
      name: Ethernet{lane}
      alias: etp{number}
      speeds_gbps: [100, 400, 800]
    headroom_table: my-switch/pg_profile_lookup.ini
    buffers: my-switch/config_db.json
    facts:
      mac_entries: {value: 32768, source: data sheet of My-Switch}
```

- `headroom_table` is the file `/usr/share/sonic/device/PLATFORM/HWSKU/pg_profile_lookup.ini` of the
  switch, unchanged. Every line is checked; errors are reported with file, line and column.
- `buffers` is plain JSON with the table `BUFFER_POOL`: `/etc/sonic/config_db.json`, or a part of
  it. A template (`buffers_defaults_t1.j2`) is rejected, and so are pools without sizes: the dynamic
  buffer model has none. The largest pool is the packet buffer unless `facts` sets another size.
- These two are files of SONiC; a `headroom_table` of the same form serves Comware 7 too. A model of
  another system is defined only by its ports, its ASIC family and its facts. Port names are
  patterns: `Ethernet1/{number}` (NX-OS), `et-0/0/{index}` (Junos), `swp{number}` (Cumulus Linux),
  `400GE1/0/{number}` (VRP8), `Ethernet{lane}` (SONiC, Enterprise SONiC).
- `ports.more` lists further kinds of ports, such as uplinks of another speed:
  `[{count: 8, lanes: 4, name: "Ethernet{lane}", alias: "etp{number}", speeds_gbps: [100]}]`.
  Numbers and lanes continue. `ports.step` is for names that do not count by the lanes of a port.
- A model may have the name of a built-in one only if that lacks what its configuration needs.
- EOS needs speeds with their lanes: `ports.speed_words: [100g-1, 400g-4]`, one for each speed.
- Junos needs the partition of the packet buffer and its size: `shared_buffer` and
  `facts.buffer_bytes`. VRP8 needs its hardware family: `asic: cloudengine-a` or `cloudengine-b`.
- Paths are relative to the YAML file: no `..`, no absolute path, no link to the outside.
- `asic` sets cell size, headroom law and other facts; `rocefab show platforms --asics` lists the
  families. `facts` take precedence over those of the family; each needs a source. The names of
  facts are those that `rocefab show platforms spectrum-4` prints.
- Omitted facts are unknown, and checks that need them are reported as skipped. Without `buffers`
  the configuration of the switch cannot be rendered; where lossy traffic shares the lossless pools,
  the table `BUFFER_PROFILE` is needed in addition to `BUFFER_POOL`.
- `rocefab show platforms My-Switch --inventory FOLDER` shows all known facts of it.

"""
_FILES = (
    ("fabric.yaml", FabricFile),
    ("devices/*.yaml", DevicesFile),
    ("hosts/*.yaml", HostsFile),
    ("platforms/*.yaml", PlatformsFile),
)
_CLI_HEAD = """\
# Commands

Generated from the command line itself; do not edit. The options of a command may also come from the
environment, under the name in the last column, or from a [file](#configuration); the command line
takes precedence. Options that confirm a risk have no variable.

Data goes to stdout, messages and progress to stderr. `--format json` prints one JSON document.

| exit code | meaning |
|---|---|
| 0 | clean, or nothing to change |
| 1 | internal error; `ROCEFAB_TRACEBACK=1` shows where |
| 2 | invalid option or bad input; nothing was written and nothing was pushed |
| 3 | a device or a rule failed; results of all others are still reported |
| 4 | findings at or above the failing severity, a risk that `diff --fail-on` names, or drift |
| 5 | changes are present (`plan --detailed-exitcode`, `diff --detailed-exitcode`) |
| 130, 143 | interrupted by Ctrl-C, by SIGTERM |

## Options before the command

`rocefab -v check FOLDER` sets options of the command line itself.

@ROOT@
On a terminal, tables are as wide as the terminal: the widest text is wrapped at words, and numbers
and names stay whole. Severities are coloured. Work that takes longer counts what is done and
estimates the time that is left, in one line on stderr. In pipes and files tables have their full
width, there is no colour, and a line of progress comes every 5 s at most.

## Configuration

Defaults of options come from two files: `rocefab.toml` in the current folder or a parent, up to the
root of the git repository, and `$XDG_CONFIG_HOME/rocefab/config.toml` (`~/.config` without the
variable). The command line counts first, then the environment, the project's file, the user's file.

```toml
# rocefab.toml
color = "never"

[check]
fail-on = "warning"
ignore = ["QOS002"]

[show.links]
format = "json"
```

A table is a command, a key is an option without its dashes or an argument in lower case. Relative
paths start at the folder of the file. Unknown keys are errors. Options that confirm a risk, such as
`--commit`, `--force` or `--approvals`, are rejected in files. Options that choose where passwords
and figures go, such as `--connections` or `--syslog`, and URLs are rejected in the file of a
project: its author may be someone else. `rocefab show config` prints what the files and the
environment set. `rocefab --no-project-file` disregards the project's file, as a gate should: see
[CI](../ci/README.md#what-a-change-can-switch-off).

## Environment

Besides the options: `ROCEFAB_PASSWORD` is the password of the devices for which the connections
file has [no reference](formats.md#passwords-by-reference) (without any, SSH keys are used),
`ROCEFAB_USERNAME` the user if the connections file has none. There is no option for a password,
so that no password ends up in a process list or shell history.
`ROCEFAB_COMMAND_VARIABLES` names variables that
[commands of a roll-out](../changes.md#what-commands-see) see too.

"""


def inventory_page() -> str:
    parts, told = [_INVENTORY_HEAD], set()
    for file, model in _FILES:
        schema = model.model_json_schema()
        definitions = schema.pop("$defs")
        if model is PlatformsFile:
            parts.append(_OWN_MODELS)
        parts.append(f"## `{file}`\n\n{_table(schema)}")
        for name in _in_order(schema, definitions):
            if name not in told:
                told.add(name)
                parts.append(
                    f"### {name}\n\n{_intro(definitions[name])}{_table(definitions[name])}"
                )
    return "".join(parts).rstrip("\n") + "\n"


def _in_order(schema: dict[str, Any], definitions: dict[str, Any]) -> list[str]:
    """Return the models that a schema refers to, in the order in which a reader meets them."""
    found: list[str] = []

    def visit(node: Any) -> None:
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.append(name)
                visit(definitions[name])
            for value in node.values():
                visit(value)
        elif isinstance(node, list):
            for value in node:
                visit(value)

    visit(schema["properties"])
    return found


def _intro(schema: dict[str, Any]) -> str:
    text = " ".join(schema["description"].replace("``", "`").split())
    return f"{text}\n\n"


def _table(schema: dict[str, Any]) -> str:
    lines = ["| field | type | default | range | meaning |", "|---|---|---|---|---|"]
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        kind, limits = _type(field)
        default = "required" if name in required else _default(field)
        meaning = field.get("description", "").replace("|", "\\|")
        lines.append(f"| `{name}` | {kind} | {default} | {limits} | {meaning} |")
    return "\n".join(lines) + "\n\n"


def _default(field: dict[str, Any]) -> str:
    value = field.get("default", {})
    if isinstance(value, dict) or "$ref" in field:
        return "see below"
    if value is None or value == []:
        return "none"
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


_FORMATS = {
    "ipv4": "IPv4 address",
    "ipv4network": "IPv4 network",
    "ipv6": "IPv6 address",
    "ipv6network": "IPv6 network",
}


def _type(field: dict[str, Any]) -> tuple[str, str]:
    """Return type and range in words."""
    choices = [item for item in field.get("anyOf", [field]) if item.get("type") != "null"]
    kinds, limits = zip(*(_of_choice(item) for item in choices), strict=True)
    return " or ".join(dict.fromkeys(kinds)), " or ".join(filter(None, dict.fromkeys(limits)))


def _of_choice(node: dict[str, Any]) -> tuple[str, str]:
    """Return type and range of one of the forms that a field may have."""
    if "$ref" in node:
        return _link(node), ""
    if "enum" in node:
        return "one of", ", ".join(f"`{value}`" for value in node["enum"])
    if node["type"] == "array":
        return f"list of {_type(node['items'])[0]}", "not empty" if "minItems" in node else ""
    if node["type"] == "object":
        below = node.get("patternProperties") or {"": node["additionalProperties"]}
        inner = next(iter(below.values()))
        return f"{_link(inner) if '$ref' in inner else _type(inner)[0]} by name", ""
    if node["type"] in ("integer", "number"):
        above = f"above {node['exclusiveMinimum']:,}" if "exclusiveMinimum" in node else ""
        limits = f"{_least(node, 'minimum')}{above} {_most(node, 'maximum')}"
        return str(node["type"]), limits.strip()
    name = _FORMATS.get(node.get("format", ""))
    kind = name or {"string": "text", "boolean": "true or false"}[node["type"]]
    longest = f"at most {node['maxLength']} characters" if "maxLength" in node else ""
    return kind, longest


def _least(node: dict[str, Any], key: str) -> str:
    return f"from {node[key]:,}" if key in node else ""


def _most(node: dict[str, Any], key: str) -> str:
    return f"to {node[key]:,}" if key in node else ""


def _link(node: dict[str, Any]) -> str:
    name = node["$ref"].rpartition("/")[2]
    return f"[{name}](#{name.lower()})"


def cli_page() -> str:
    rows = "".join(
        _row(item, ", ".join(item.opts)) for item in tree.root().params if "--help" not in item.opts
    )
    options = f"| option | value | default | meaning | variable |\n|---|---|---|---|---|\n{rows}"
    return (
        _CLI_HEAD.replace("@ROOT@", options) + "".join(_command(leaf) for leaf in tree.leaves())
    ).rstrip("\n") + "\n"


def _command(leaf: tree.Leaf) -> str:
    usage = " ".join(["rocefab", leaf.name, *(_argument(item) for item in leaf.arguments)])
    text = "\n\n".join(" ".join(part.split()) for part in leaf.command.help.split("\n\n"))
    parts = [f"## `rocefab {leaf.name}`\n\n{text}\n\n```\n{usage} [options]\n```\n\n"]
    rows = [_row(item, item.metavar or item.name) for item in leaf.arguments]
    rows += [_row(item, " / ".join((*item.opts, *item.secondary_opts))) for item in leaf.options]
    rows = [row for row in rows if not row.startswith("| `--help")]
    if rows:
        parts.append("| argument or option | value | default | meaning | variable |\n")
        parts.append("|---|---|---|---|---|\n" + "".join(rows) + "\n")
    parts.append(f"Example: `{leaf.example}`\n\n")
    return "".join(parts)


def _argument(item: Any) -> str:
    name = (item.metavar or item.name).upper()
    return name if item.required else f"[{name}]"


def _row(item: Any, name: str) -> str:
    default = item.default
    if item.required:
        default = "required"
    elif default in (None, "", False):
        default = ""
    elif default is True:
        default = "on"
    variable = f"`{item.envvar}`" if item.envvar else ""
    return f"| `{name}` | {_value(item)} | {default} | {item.help} | {variable} |\n"


def _value(item: Any) -> str:
    kind = item.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{one.value}`" for one in kind)
    words = {bool: "", int: "integer", float: "number", str: "text", Path: "path"}
    word = words.get(kind) if kind in words else words[get_args(kind)[0]]
    limits = [f"{word}", f"from {item.min}" if item.min is not None else ""]
    limits.append(f"to {item.max:,}" if item.max is not None else "")
    return " ".join(part for part in limits if part)
