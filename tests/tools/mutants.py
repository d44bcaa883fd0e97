"""What the tests find: random places of the product are damaged, and the tests of each place run.

Usage, in a clone that is set up::

    python -m tests.tools.mutants choose --seed 34 --count 40 MUTANTS.json
    python -m tests.tools.mutants probe MUTANTS.json FOLDER   # now run the tests: hits go to FOLDER
    python -m tests.tools.mutants run MUTANTS.json FOLDER REPORT.json [--durations FOLDER]
    python -m tests.tools.mutants apply MUTANTS.json 3,7,9    # now run a whole tier
    python -m tests.tools.mutants off

Files of the product stay as they are: a finder of modules, which a ``.pth`` file starts in every
Python of the environment, changes the syntax tree of a module while it is imported. So a program
that a test starts is damaged too. Kernels that numba compiles (``fabric/qos/simulate``) are left
out. Places that run only while a module is imported have no tests of their own: apply them, and
run a tier.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROBE = Path(__file__).with_name("mutant_site.py")
_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
#: Kernels are compiled by numba, which takes no probe.
_LEFT_OUT = ("fabric/qos/simulate/",)


def damages(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Return kind and text of each damage that a node can take."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        yield "operator", f"{type(node.ops[0]).__name__} reversed"
    if isinstance(node, ast.BoolOp):
        yield "operator", "and for or" if isinstance(node.op, ast.Or) else "or for and"
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield "operator", f"{_ARITHMETIC[type(node.op)].__name__} for {type(node.op).__name__}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "operator", "not left out"
    if isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        yield "constant", f"{damaged_constant(node.value)!r} for {node.value!r}"
    if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant | ast.Yield):
        yield "statement", "deleted"
    if isinstance(node, ast.AugAssign | ast.Raise | ast.Continue):
        yield "statement", "deleted"
    if isinstance(node, ast.Return) and node.value is not None:
        yield "statement", "returns None"


def damaged_constant(value: bool | float) -> bool | float:
    """Return another value of the same type."""
    return (not value) if isinstance(value, bool) else value + 1


def damage(node: Any) -> ast.AST:
    """Return the damaged node."""
    if isinstance(node, ast.Compare):
        node.ops[0] = _COMPARISONS[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.BinOp):
        node.op = _ARITHMETIC[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        return node.operand
    elif isinstance(node, ast.Constant):
        node.value = damaged_constant(node.value)
    elif isinstance(node, ast.Return):
        node.value = ast.copy_location(ast.Constant(None), node)
    else:
        return ast.copy_location(ast.Pass(), node)
    return node


def places(tree: ast.Module) -> Iterator[tuple[int, str, str, int]]:
    """Return number, kind, text and line of each damage; numbers count the nodes of the tree."""
    annotations = {
        id(below)
        for node in ast.walk(tree)
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if part is not None
        for below in ast.walk(part)
    }
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in annotations:
            for kind, text in damages(node):
                yield number, kind, text, getattr(node, "lineno", 0)


def runs_at_import(row: dict[str, Any]) -> bool:
    """Tell whether a place is in no function: tests that import it would seem to be its own."""
    tree = ast.parse((ROOT / row["file"]).read_text(encoding="utf-8"))
    node = list(ast.walk(tree))[row["node"]]
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return not any(
        node is below
        for function in ast.walk(tree)
        if isinstance(function, functions)
        for body in (function.body if isinstance(function.body, list) else [function.body])
        for below in ast.walk(body)
    )


def choose(seed: int, count: int) -> list[dict[str, Any]]:
    """Return random places of the product: a kind first, then any place of that kind."""
    by_kind: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((ROOT / "fabric").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(_LEFT_OUT):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node, kind, text, line in places(tree):
                row = {"file": name, "line": line, "node": node, "kind": kind, "text": text}
                by_kind.setdefault(kind, []).append(row)
    chance = random.Random(seed)
    kinds = sorted(by_kind)
    rows = [chance.choice(by_kind[kinds[turn % len(kinds)]]) for turn in range(count)]
    return [{"id": number, **row} for number, row in enumerate(rows)]


def site() -> Path:
    """Return the folder that Python looks into when it starts."""
    return Path(sysconfig.get_paths()["purelib"])


def switch(plan: dict[str, Any] | None) -> None:
    """Tell every Python of this environment what to damage and what to watch."""
    pth, settings = site() / "rocefab_mutants.pth", site() / "rocefab_mutants.json"
    settings.unlink(missing_ok=True)
    pth.unlink(missing_ok=True)
    if plan is not None:
        settings.write_text(json.dumps({"root": str(ROOT), **plan}), encoding="utf-8")
        start = f"import sys; exec(open({str(PROBE)!r}).read(), {{'SETTINGS': {str(settings)!r}}})"
        pth.write_text(start + "\n", encoding="utf-8")


def covering(rows: list[dict[str, Any]], folder: Path) -> dict[int, list[str]]:
    """Return the tests that reached each place."""
    tests: dict[int, set[str]] = {row["id"]: set() for row in rows}
    for path in folder.glob("*.hits"):
        for line in path.read_text(encoding="utf-8").splitlines():
            number, _, test = line.partition(" ")
            tests[int(number)].add(test)
    return {number: sorted(names) for number, names in tests.items()}


def _pytest(tests: list[str], timeout_s: float, options: list[str]) -> tuple[str, str]:
    arguments = Path(ROOT / "build" / "mutant-tests.txt")
    arguments.parent.mkdir(exist_ok=True)
    arguments.write_text("\n".join(tests), encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider"]
    words += ["-o", "addopts=--strict-markers --import-mode=importlib", *options, f"@{arguments}"]
    try:
        done = subprocess.run(
            words, cwd=ROOT, capture_output=True, text=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return "found", "timeout"
    lines = (done.stdout + done.stderr).splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    if done.returncode == 0:
        return "survived", lines[-1] if lines else ""
    return "found", (failed or lines[-1:] or [""])[0][:300]


def cheap_first(tests: list[str], times: dict[str, float]) -> list[list[str]]:
    """Return the tests in two parts: those below a second, the fastest first, and the others."""
    tests = sorted((test for test in tests if test != "-"), key=lambda test: times.get(test, 0.0))
    quick = [test for test in tests if times.get(test, 0.0) < 1.0]
    return [part for part in (quick, tests[len(quick) :]) if part]


def judge(
    row: dict[str, Any], parts: list[list[str]], timeout_s: float, options: list[str]
) -> dict[str, Any]:
    """Run the tests of one place against its damage."""
    start_s = time.monotonic()
    result, detail = "survived", "no test reaches it by name"
    switch({"damage": [row]})
    try:
        for part in parts:
            result, detail = _pytest(part, timeout_s, options)
            if result == "found":
                break
    finally:
        switch(None)
    return {
        **row, "tests": sum(map(len, parts)), "result": result, "detail": detail,
        "wall_s": round(time.monotonic() - start_s, 1),
    }  # fmt: skip


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("choose")
    verb.add_argument("--seed", type=int, required=True)
    verb.add_argument("--count", type=int, default=40)
    verb.add_argument("plan", type=Path)
    verb = verbs.add_parser("probe")
    verb.add_argument("plan", type=Path)
    verb.add_argument("folder", type=Path)
    verb = verbs.add_parser("run")
    verb.add_argument("plan", type=Path)
    verb.add_argument("folder", type=Path)
    verb.add_argument("report", type=Path)
    verb.add_argument("--only", default="")
    verb.add_argument("--timeout-s", type=float, default=900.0)
    verb.add_argument("--pytest", default="", help="more options, separated by blanks")
    verb.add_argument("--durations", type=Path, help="what the plugin of recorder wrote")
    verb = verbs.add_parser("apply")
    verb.add_argument("plan", type=Path)
    verb.add_argument("only")
    verbs.add_parser("off")
    options = parser.parse_args()
    if options.verb == "choose":
        rows = choose(options.seed, options.count)
        options.plan.write_text(json.dumps(rows, indent=1), encoding="utf-8")
        return
    if options.verb == "off":
        switch(None)
        return
    rows = json.loads(options.plan.read_text(encoding="utf-8"))
    only = {int(word) for word in getattr(options, "only", "").split(",") if word}
    chosen = [row for row in rows if not only or row["id"] in only]
    if options.verb == "probe":
        options.folder.mkdir(parents=True, exist_ok=True)
        switch({"watch": rows, "folder": str(options.folder.resolve())})
    elif options.verb == "apply":
        switch({"damage": chosen})
    else:
        reached = covering(rows, options.folder)
        from tests.tools.durations import taken_s  # this module is also loaded by its path

        times = taken_s(options.durations) if options.durations else {}
        report = []
        for row in chosen:
            parts = cheap_first(reached[row["id"]], times)
            if runs_at_import(row):
                report.append({**row, "result": "runs at import: apply it and run a tier"})
            else:
                report.append(judge(row, parts, options.timeout_s, options.pytest.split()))
            print(json.dumps(report[-1]), flush=True)
            options.report.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
