"""The shell interpreter: a table of texts with what they print and their code."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from fabric.lab.shell.files import FILE_TOOLS
from fabric.lab.shell.interpreter import Shell
from fabric.lab.shell.rootfs import RootFs
from fabric.lab.shell.runners import RUNNERS
from fabric.lab.shell.state import Streams
from fabric.lab.shell.syntax import IncompleteError, parse
from fabric.lab.shell.text import TEXT_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = [
    ("echo a \"b  c\" 'd'", "a b  c d\n", 0),
    ("echo a; echo b\necho c", "a\nb\nc\n", 0),
    ("true && echo yes || echo no", "yes\n", 0),
    ("false && echo yes || echo no", "no\n", 0),
    ("x=1; echo $x ${y:-2} ${x:+set} ${#x}", "1 2 set 1\n", 0),
    ("v=/a/b.c; echo ${v##*/} ${v%/*} ${v%.*}", "b.c /a /a/b\n", 0),
    ('x=\'a b\'; for i in $x "$x"; do echo "<$i>"; done', "<a>\n<b>\n<a b>\n", 0),
    ("echo $(echo a; echo b) \"$(printf 'c\\nd')\"", "a b c\nd\n", 0),
    ("printf '%s-%d\\n' a 1 b 2", "a-1\nb-2\n", 0),
    ("if [ -f /x ]; then echo f; elif [ 3 -gt 2 ]; then echo gt; else echo e; fi", "gt\n", 0),
    ("case abc in x|a*) echo A ;; *) echo B ;; esac", "A\n", 0),
    ("f() { local v=$1; echo $v $#; return 3; }; f a b; echo $? [$v]", "a 2\n3 []\n", 0),
    ("set -- a 'b c'; shift; echo \"$@\" $#", "b c 1\n", 0),
    ("cat <<EOF\nhi $USER\nEOF\n", "hi admin\n", 0),
    ("cat <<'EOF'\nhi $USER\nEOF\n", "hi $USER\n", 0),
    ("echo one > /tmp/f; echo two >> /tmp/f; cat < /tmp/f | wc -l", "2\n", 0),
    ("nope 2>/dev/null; echo $?", "127\n", 0),
    ("nope > /tmp/log 2>&1; cat /tmp/log", "-bash: nope: command not found\n", 0),
    ("nope", "-bash: nope: command not found\n", 127),
    ("! true; echo $?", "1\n", 0),
    ("(exit 4); echo $?", "4\n", 0),
    ("set -e; false; echo never", "", 1),
    ("set -e; f() { false; echo in; }; if f; then echo ok; fi", "in\nok\n", 0),
    ("set -e; false || true; echo on", "on\n", 0),
    ("set -u; echo $missing", "-bash: missing: unbound variable\n", 1),
    ("set -o pipefail; false | true; echo $?", "1\n", 0),
    ("exit 3; echo never", "", 3),
    ("# nothing\necho a # b", "a\n", 0),
    ("command -v cat", "/usr/bin/cat\n", 0),
    ("sh -c 'echo $0 $1' n m", "n m\n", 0),
    ("printf 'echo $1; exit 5' > /tmp/s; sh /tmp/s hi", "hi\n", 5),
    ("printf '#!/bin/sh\\necho run' > /tmp/s; chmod +x /tmp/s; /tmp/s", "run\n", 0),
    ("echo no > /etc/motd", "-bash: /etc/motd: Permission denied\n", 1),
    ("sudo mkdir /etc; echo x | sudo tee /etc/motd", "x\n", 0),
    ("sudo whoami; whoami", "root\nadmin\n", 0),
    ("printf 'b\\na\\n' | sort | head -n 1", "a\n", 0),
    ("printf 'ab\\nb\\n' | grep -c b; echo ab | grep -qx b; echo $?", "2\n1\n", 0),
    ("echo a > /tmp/a; cp /tmp/a /tmp/b; cmp -s /tmp/a /tmp/b && echo same", "same\n", 0),
    ("echo a > /tmp/a; cd /tmp; sha256sum a > s; sha256sum -c s", "a: OK\n", 0),
    ("echo a > /tmp/a; sudo install -D -m 600 /tmp/a /x/y/z; ls /x/y", "z\n", 0),
    ("cat ../../../../etc/passwd", "cat: ../../../../etc/passwd: No such file or directory\n", 1),
    ("for f in /tmp/*; do echo $f; done", "/tmp/*\n", 0),
]
REFUSED = ["echo `ls`", "sleep 9 &", "[[ a ]]", "echo $((1+1))", "if true; fi", "echo )", "a=(1)"]


@pytest.fixture
def fs() -> Iterator[RootFs]:
    """Return an empty root file system."""
    files = RootFs("/home/admin")
    yield files
    files.close()


def run(fs: RootFs, text: str) -> tuple[str, int]:
    """Run a text; return everything printed and the code."""
    printed: list[str] = []
    waits: list[float] = []

    async def delay(seconds: float) -> None:
        waits.append(seconds)

    shell = Shell(fs, {**FILE_TOOLS, **TEXT_TOOLS, **RUNNERS}, user="admin", delay=delay)
    code = asyncio.run(shell.run_script(text, Streams(printed.append, printed.append)))
    return "".join(printed), code


@pytest.mark.parametrize(("text", "output", "code"), CASES)
def test_shell(fs: RootFs, text: str, output: str, code: int) -> None:
    assert run(fs, text) == (output, code)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_supported_is_a_syntax_error(fs: RootFs, text: str) -> None:
    output, code = run(fs, text)
    assert code == 2
    assert output.startswith("-bash: ")


@pytest.mark.parametrize("text", ["if true", "echo 'a", "cat <<EOF\nx", "f() {", "echo a |"])
def test_incomplete_text_asks_for_more(text: str) -> None:
    with pytest.raises(IncompleteError):
        parse(text)


def test_random_numbers_are_kept_apart(fs: RootFs) -> None:
    for marks in (("0123456789ab", "ba9876543210"), ("ffffffffffff", "000000000000")):
        first, second = marks
        text = f"echo {first}; v=x-{second}; echo \"$v\" '{first}' _random0_"
        assert run(fs, text) == (f"{first}\nx-{second} {first} _random0_\n", 0)


def test_link_out_of_the_root_is_refused(fs: RootFs) -> None:
    (fs.top / "tmp" / "out").symlink_to("/etc")
    output, code = run(fs, "cat /tmp/out/hostname")
    assert (output, code) == ("cat: /tmp/out/hostname: Permission denied\n", 1)
