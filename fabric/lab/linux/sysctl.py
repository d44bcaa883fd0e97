"""Kernel parameters of a stand-in and the command sysctl.

Known: sysctl(8) of procps: ``-n``, ``-w``, ``-p FILE``, ``--system``, ``-a -r PATTERN``; names with
``.`` or ``/`` as separator, where the first one found decides. sysctl.d(5): at boot systemd-sysctl
takes the files of all folders in the order of their names, the last one wins; it does not read
``/etc/sysctl.conf``, ``--system`` does. A network interface takes the values of ``default`` when it
is made. Assumed: a parameter exists when it has a default here; writing another one fails as a
missing file of /proc/sys does.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from fabric.lab.shell.files import read_file
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.lab.shell.state import Context
    from fabric.lab.ssh.system import SshSystem

_FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/lib/sysctl.d")


def canonical(name: str) -> str:
    """Return the name with ``/`` between its parts and ``.`` inside them."""
    first = re.search(r"[./]", name)
    if first is None or first.group() == "/":
        return name.replace(".", "\0").replace("\0", ".")
    return name.translate(str.maketrans("./", "/."))


class Sysctl:
    """The parameters of one kernel.

    Parameters
    ----------
    stand_in : SshSystem
        Whose files are read.
    defaults : dict
        Values after a boot, by dotted name.
    """

    def __init__(self, stand_in: SshSystem, defaults: dict[str, str]) -> None:
        self._stand_in = stand_in
        self._defaults = {canonical(name): value for name, value in defaults.items()}
        self.values = dict(self._defaults)
        self._interfaces: set[str] = set()

    def reset(self) -> None:
        """Go back to the values after a boot, then read the files of sysctl.d by name.

        systemd does not read `/etc/sysctl.conf`, which ``sysctl --system`` reads last.
        """
        self.values = dict(self._defaults)
        self._interfaces.clear()
        for path in self._boot_files():
            self._load(self._stand_in.fs.read(path), None)

    def drop(self, names: Iterable[str]) -> None:
        """Be a kernel that does not have some parameters."""
        for key in map(canonical, names):
            if self._defaults.pop(key, None) is not None:
                self.values.pop(key)
                self._stand_in.fs.local(f"/proc/sys/{key}").unlink()

    def show_files(self) -> None:
        """Make the parameters files below /proc/sys, as the kernel does."""
        fs = self._stand_in.fs
        for key in self.values:
            fs.watch(f"/proc/sys/{key}", lambda text, key=key: self._put(key, text))  # type: ignore[misc]
        fs.defer(self._make_files)

    def _make_files(self) -> None:
        for key in self.values:
            read = lambda key=key: f"{self.values[key]}\n"  # noqa: E731
            self._stand_in.fs.computed(f"/proc/sys/{key}", read)

    def _put(self, key: str, text: str) -> str:
        self.values[key] = text.strip()
        return text

    def interfaces(self, names: set[str]) -> None:
        """Make the interfaces that are new and forget those that are gone."""
        for name in self._interfaces - names:
            self.values = {k: v for k, v in self.values.items() if f"/{name}/" not in k}
        for name in names - self._interfaces:
            self.values |= {
                key.replace("/default/", f"/{name}/"): value
                for key, value in self.values.items()
                if "/default/" in key and "/gc_thresh" not in key
            }
        self._interfaces = set(names)

    def get(self, name: str) -> str:
        """Return a parameter by dotted name."""
        return self.values[canonical(name)]

    def command(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer sysctl."""
        flags = [word for word in argv[1:] if word.startswith("-")]
        operands = [word for word in argv[1:] if not word.startswith("-")]
        unknown = set(flags) - {"-n", "-w", "-p", "--system", "-q", "-e", "--load", "-a", "-r"}
        if unknown:
            return Result("", f"sysctl: unsupported option {min(unknown)}\n", 1)
        writes = {"-p", "--load", "--system", "-w"} & set(flags) or any("=" in o for o in operands)
        if writes and not context.root:
            return Result("", "sysctl: permission denied on key\n", 1)
        count = self._stand_in.faults.strike(context.line, "accept_part")
        limit = count.count if count else None
        if "--system" in flags:
            paths = self._system_files()
            return self._files(
                context, [(path, f"* Applying {path} ...\n") for path in paths], limit
            )
        if {"-p", "--load"} & set(flags):
            return self._files(
                context, [(name, "") for name in operands or ["/etc/sysctl.conf"]], limit
            )
        if "-a" in flags:
            pattern = re.compile(operands[0] if "-r" in flags else "")
            names = [name for name in sorted(self.values) if pattern.search(_dotted(name))]
            return Result("".join(f"{_dotted(name)} = {self.values[name]}\n" for name in names))
        result = self._each(operands, numbers="-n" in flags)
        # procps-ng 4.0.2: with -e an unknown key is no error
        return Result(result.stdout) if "-e" in flags else result

    def _system_files(self) -> list[str]:
        own = ["/etc/sysctl.conf"] if self._stand_in.fs.exists("/etc/sysctl.conf") else []
        return self._boot_files() + own

    def _boot_files(self) -> list[str]:
        fs = self._stand_in.fs
        values: dict[str, str] = {}
        for folder in reversed(_FOLDERS):
            if fs.is_dir(folder):
                names = (name for name in fs.listing(folder) if name.endswith(".conf"))
                values.update({name: posixpath.join(folder, name) for name in names})
        return [values[name] for name in sorted(values)]

    def _files(self, context: Context, files: list[tuple[str, str]], limit: int | None) -> Result:
        out, err = "", ""
        for path, title in files:
            try:
                text = read_file(context, path)
            except OSError:
                err += f'sysctl: cannot open "{path}": No such file or directory\n'
                continue
            printed, errors = self._load(text, limit)
            out, err = out + title + printed, err + errors
        return Result(out, err, int(bool(err)))

    def _load(self, text: str, limit: int | None) -> tuple[str, str]:
        out, err, done = "", "", 0
        for line in text.splitlines():
            words = line.strip()
            if not words or words[0] in "#;":
                continue
            if limit is not None and done >= limit:
                break
            done += 1
            name, sign, value = words.partition("=")
            if not sign:
                err += f"sysctl: invalid syntax, continuing...: {words}\n"
                continue
            result = self._write(name.strip(), value.strip())
            out, err = out + result.stdout, err + result.stderr
        return out, err

    def _write(self, name: str, value: str) -> Result:
        optional = name.startswith("-")
        name = name.lstrip("-")
        key = canonical(name)
        keys = [key]
        if "*" in key:
            pattern = re.compile(re.escape(key).replace(r"\*", "[^/]*"))
            keys = [known for known in self.values if pattern.fullmatch(known)]
        if not keys or any(known not in self.values for known in keys):
            path = f"/proc/sys/{key}: No such file or directory"
            return Result() if optional else Result("", f"sysctl: cannot stat {path}\n", 1)
        for known in keys:
            self.values[known] = value
        return Result("".join(f"{_dotted(known)} = {value}\n" for known in keys))

    def _each(self, operands: list[str], *, numbers: bool) -> Result:
        out, err = "", ""
        for operand in operands:
            name, sign, value = operand.partition("=")
            if sign:
                result = self._write(name, value)
                out, err = out + result.stdout, err + result.stderr
            elif canonical(name) in self.values:
                value = self.values[canonical(name)]
                out += f"{value}\n" if numbers else f"{name} = {value}\n"
            else:
                path = f"/proc/sys/{canonical(name)}: No such file or directory"
                err += f"sysctl: cannot stat {path}\n"
        return Result(out, err, int(bool(err)))


def _dotted(key: str) -> str:
    return key.translate(str.maketrans("./", "/."))
