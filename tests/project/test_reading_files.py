"""A file that a user names is read by `fabric.core.user_files`, and JSON by `parse_json`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2] / "fabric"
#: Functions and methods that open or copy a file.
OPENS = {
    *("open", "read_text", "read_bytes", "copy2", "copyfile", "copytree", "FileIO"),
    *("fromfile", "loadtxt", "genfromtxt", "memmap"),
}
#: Functions that parse, or open what they parse, by their modules.
PARSES = {
    *("json.load", "json.loads", "json.JSONDecoder", "tomllib.load", "tomllib.loads"),
    *("yaml.load", "yaml.safe_load", "yaml.parse", "yaml.compose", "pickle.load", "pickle.loads"),
    *("sqlite3.connect", "ET.parse", "np.load"),
}
#: What has a method ``open`` and is no file: sessions with devices, and an opener of URLs.
SESSIONS = {"driver", "super()", "self._terminal", "self._cli", "sftp", "opener"}
#: Stand-ins read what they have written themselves.
LAB = re.compile(r"(systems/\w+/)?lab/")

#: Modules that may open or parse in another way, by the reason why.
ALLOWED = {
    "it is the reader": ("core/user_files.py os.open", "core/json_text.py json.loads"),
    "a file of this package, or of a plug-in": (
        "book/file.py read_text",
        *("platforms/catalogue.py read_text", "platforms/data_file.py read_text"),
        "platforms/data_file.py tomllib.loads",
        *("qos/simulate/compiled.py read_bytes", "render/picture_page.py read_text"),
        *("serve/routes/browser.py read_bytes", "workflow/cluster.py read_bytes"),
        *(
            "workflow/exporters/grafana.py read_text",
            "workflow/exporters/grafana.py yaml.safe_load",
        ),
        *("workflow/exporters/prometheus.py read_text", "workflow/init.py read_text"),
        *("workflow/init_sized.py read_text", "workflow/store.py read_bytes"),
    ),
    "text or work that rocefab has made": (
        *("mcp/server.py json.loads", "mcp/tools.py json.loads"),
        *("render/changes.py json.loads", "render/index.py json.loads"),
        "report/diff/shown_settings.py json.loads",
        *("report/diff/settings.py json.loads", "systems/host/adapters/__init__.py json.loads"),
        *("systems/sonic/adapters/__init__.py json.loads", "systems/sonic/render.py json.loads"),
        "systems/sonic/defect_steps.py json.loads",
        *("systems/sonic/defects.py json.loads", "systems/sonic/parsers/__init__.py json.loads"),
        "systems/sonic/verdict.py json.loads",
        *("workflow/batfish.py json.loads", "workflow/effect.py json.loads"),
        *("workflow/checked_cache.py json.loads", "workflow/sides.py json.loads"),
        "workflow/plan_causes.py json.loads",
        *("workflow/project.py json.loads", "workflow/sonic_judge.py json.loads"),
        *("workflow/cluster.py pickle.loads", "workflow/work.py pickle.loads"),
    ),
    "a file that this process has written": (
        *("workflow/demo.py copytree", "workflow/demo.py read_text"),
        "workflow/import_folder.py read_text",
    ),
    "an inventory or a state that was read, within its limits, just before": (
        "workflow/json_places.py read_bytes",
        *("workflow/inventory_edit.py copytree", "workflow/inventory_edit.py copyfile"),
        "workflow/inventory_edit.py read_text",
    ),
    "SQLite reads no more than its format asks for": (
        *("change/journal.py sqlite3.connect", "serve/store.py sqlite3.connect"),
        "workflow/store.py sqlite3.connect",
    ),
    "follows no link, and is a regular file or a folder": (
        *("change/lock.py os.open", "render/replacing.py os.open", "render/replacing.py copy2"),
    ),
    "is opened to be written, or is a regular file of the size that is compared": (
        *(
            "boot/log.py os.open",
            "cli/exits.py os.open",
            "render/files.py os.open",
            "render/files.py read_bytes",
        ),
    ),
    "the text comes from the reader": (
        *("cli/config.py tomllib.loads", "devices/connections.py yaml.compose"),
        *("intent/yaml/edit.py yaml.compose", "intent/yaml/edit.py yaml.load"),
        *("exchange/hardware/outputs.py json.JSONDecoder", "validate/json_lines.py json.loads"),
        *("observe/configuration/servers.py json.loads", "serve/routes/state.py json.loads"),
        *(
            "systems/cumulus/reading/text.py yaml.parse",
            "systems/cumulus/reading/text.py yaml.compose",
        ),
    ),
}


def test_no_module_reads_a_file_of_a_user_in_another_way() -> None:
    calls = {
        f"{module} {name}": f"fabric/{module}:{line}: {name}: use fabric.core.user_files"
        for path in sorted(ROOT.rglob("*.py"))
        if not LAB.match(module := path.relative_to(ROOT).as_posix())
        for name, line in openings(_parsed(path.read_bytes()))
    }
    allowed = {call for calls in ALLOWED.values() for call in calls}
    assert [calls[call] for call in sorted(calls.keys() - allowed)] == []
    assert allowed - calls.keys() == set(), "is not needed any more"


def _parsed(text: bytes) -> ast.Module:
    """Return a module; twice, as CPython 3.11 counts the depth of all threads (gh-106905)."""
    try:
        return ast.parse(text)
    except SystemError:
        return ast.parse(text)


def openings(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield what a module calls to open or parse something, and the line."""
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="open")):
                yield "open", node.lineno
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if not writes(node):
                owner = ast.unparse(value)
                if f"{owner}.{name}" in PARSES or f"{owner}.{name}" == "os.open":
                    yield f"{owner}.{name}", node.lineno
                elif name in OPENS and not (name == "open" and owner in SESSIONS):
                    yield name, node.lineno


def writes(call: ast.Call) -> bool:
    """Tell whether a file is opened to be written alone, by its mode."""
    mode = call.args[0] if len(call.args) == 1 else None
    return isinstance(mode, ast.Constant) and str(mode.value).strip("bt") in {"w", "a", "x"}
