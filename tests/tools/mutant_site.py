"""Runs at the start of every Python of the environment while ``mutants`` is on; see there.

It damages or watches places of the product as their modules are imported. ``SETTINGS`` is the file
that says which.
"""

import ast
import importlib.abc
import importlib.machinery
import json
import os
import sys
import threading
from pathlib import Path

_HITS = set()
_LOCK = threading.Lock()


def _hit(number):
    test = os.environ.get("PYTEST_CURRENT_TEST", "-").rsplit(" (", 1)[0]
    with _LOCK:
        if (number, test) in _HITS:
            return
        _HITS.add((number, test))
        path = Path(_PLAN["folder"], f"{os.getpid()}.hits")
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{number} {test}\n")
        except OSError:
            pass  # a test limits what its process may open; its sibling counts


def _probe(number, line):
    call = ast.parse(f"__import__('sys')._rocefab_hit({number})").body[0]
    for node in ast.walk(call):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line
    return call


def _watch(tree, rows):
    nodes = list(ast.walk(tree))
    parents = {}
    for node in nodes:
        for name, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    parents[child] = (node, name)
    for row in rows:
        node = nodes[row["node"]]
        while True:
            parent, name = parents[node]
            body = getattr(parent, name)
            if isinstance(body, list) and isinstance(node, ast.stmt):
                break
            node = parent
        after_docstring = body.index(node)
        body.insert(after_docstring, _probe(row["id"], node.lineno))


def _damage(tree, rows):
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "_mutants", _PLAN["root"] + "/tests/tools/mutants.py"
    )
    mutants = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mutants)
    nodes = list(ast.walk(tree))
    targets = {id(nodes[row["node"]]): nodes[row["node"]] for row in rows}

    class Change(ast.NodeTransformer):
        def visit(self, node):
            changed = self.generic_visit(node)
            return mutants.damage(changed) if id(node) in targets else changed

    Change().visit(tree)


class _Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), filename=path)
        name = os.path.relpath(path, _PLAN["root"])
        for kind, change in (("watch", _watch), ("damage", _damage)):
            rows = [row for row in _PLAN.get(kind, ()) if row["file"] == name]
            if rows:
                change(tree, rows)
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname not in _MODULES:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        if found is not None and isinstance(found.loader, importlib.machinery.SourceFileLoader):
            found.loader = _Loader(found.loader.name, found.loader.path)
        return found


_PLAN = json.loads(Path(globals()["SETTINGS"]).read_text(encoding="utf-8"))
_MODULES = {
    row["file"].removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    for kind in ("watch", "damage")
    for row in _PLAN.get(kind, ())
}
sys._rocefab_hit = _hit
sys.meta_path.insert(0, _Finder())
