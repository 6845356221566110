"""`%pip` and its like: the interpreter's own installer, and imports that see what it changed."""

import importlib
import importlib.util
import os
import re
import shlex
import shutil
import sys
import sysconfig
import types
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES

from .errors import UsageError


_COMMAND = re.compile(r"([a-z][\w-]*)?\s*(.*)", re.DOTALL)
_CHANGES = frozenset(("create", "download", "install", "remove", "sync", "uninstall", "update", "upgrade", "wheel"))
_AGREED = re.compile(r"(?:^|\s)(?:-y|--yes)(?:\s|$)")
# Outside of quotes: a comparison of versions, which is no redirection, and the `&` of an address.
_NO_OPERATOR = re.compile(
    r"""(?P<quoted>"(?:\\.|[^"\\])*"|'[^']*'|\\.)|(?<!\s\d)(?<=[\w\],.*])[<>](?==|\d)|[<>](?==)|(?<=\w)&(?=\w)""", re.DOTALL
)


def install(shell, line):
    """`%pip …` by pip, by uv where the environment has no pip, or by the pip that Python carries."""
    watched(shell, line, lambda: _pip(shell, *_COMMAND.match(line.strip()).groups("")))


def uv(shell, line):
    """`%uv pip …` on this interpreter."""
    command, rest = _COMMAND.match(line.strip()).groups("")
    words = ["uv", command]
    if command == "pip" and "--python" not in rest:
        command, rest = _COMMAND.match(rest).groups("")
        words += [command, "--python", sys.executable]
    watched(shell, line, lambda: _run(shell, words, rest))


def conda(shell, line):
    """`%conda …`, agreed to: nobody is asked."""
    command, rest = _COMMAND.match(line.strip()).groups("")
    asks = command in ("create", "install", "update", "upgrade", "remove", "uninstall")
    watched(shell, line, lambda: _run(shell, ["conda", command], rest, asks))


def _pip(shell, command, rest):
    if importlib.util.find_spec("pip") is None:
        tool = shutil.which("uv")
        if tool:
            return _run(shell, [tool, "pip", command, "--python", sys.executable], rest)
        if importlib.util.find_spec("ensurepip") is None or shell.run([sys.executable, "-m", "ensurepip", "--upgrade"]):
            raise UsageError(
                "%s has no pip, and neither uv nor ensurepip is there: run `python3 -m venv .venv` in the project, "
                "then start again with reset" % sys.executable
            )
        importlib.invalidate_caches()
    program = [sys.executable, "-m", "pip", "--disable-pip-version-check", command]
    status = _run(shell, program, rest, command == "uninstall")
    if status and command == "install" and _managed():
        shell.kernel.notice(
            "%s is managed by the system and takes no packages: make an environment with `python3 -m venv .venv` "
            "in the project, then reset; it is then preferred" % sys.executable
        )
    return status


def _run(shell, program, rest, asks=False):
    """Runs a program with a rest that is the shell's (`| tail -1`, `2>&1`); gives the status of what installs."""
    words = [word for word in program if word]
    if asks and not _AGREED.search(rest):
        words.append("-y")
    rest = _NO_OPERATOR.sub(lambda found: found[0] if found["quoted"] else "\\" + found[0], rest)
    return shell.run_line("%s %s" % (shlex.join(words), rest), not _CHANGES.isdisjoint(words))


def _managed():
    return sys.prefix == sys.base_prefix and os.path.exists(
        os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    )


def watched(shell, line, call):
    """Runs an installer; then what changed is imported anew, or the reason why not is told."""
    before = _versions()
    status = call()
    importlib.invalidate_caches()
    _refresh(shell.kernel, before, _versions())
    shell.user_ns["_exit_code"] = status
    # Of `list | grep name` it only says that the name is not there.
    if status and not ("|" in line and _CHANGES.isdisjoint(line.split())):
        raise UsageError("the installer exited with %s" % status)


def _versions():
    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name and name.lower() not in found:
            found[name.lower()] = (distribution.version, distribution)
    return found


def _refresh(kernel, before, after):
    """Drops from `sys.modules` what belongs to distributions whose version is another now."""
    dropped, loaded = set(), []
    for name, (_, distribution) in {**before, **after}.items():
        old, new = before.get(name, (None,))[0], after.get(name, (None,))[0]
        if old == new:
            continue
        for top in _imported_as(distribution):
            modules = [module for module in sys.modules if module == top or module.startswith(top + ".")]
            if not modules:
                continue
            if any(_compiled(sys.modules[module]) for module in modules):
                loaded.append((top, old, new))
                continue
            for module in modules:
                del sys.modules[module]
            dropped.add(top)
    for top, old, new in loaded:
        kernel.notice(
            "%s was %s but its compiled part is loaded in this kernel: reset to use it"
            % (top, "upgraded from %s to %s" % (old, new) if old and new else "installed" if new else "removed")
        )
    held = sorted(
        name for name, value in kernel.cells.names.items() if _module_of(value) in dropped and not name.startswith("_")
    )
    if held:
        kernel.notice(
            "these names are still of the version before; import again what they stand for: %s" % ", ".join(held)
        )


def _module_of(value):
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return name.partition(".")[0] if isinstance(name, str) else None


def _compiled(module):
    path = getattr(module, "__file__", None)
    return isinstance(path, str) and path.endswith(tuple(EXTENSION_SUFFIXES))


def _imported_as(distribution):
    """The names under which a distribution is imported: Pillow is PIL."""
    try:
        named = (distribution.read_text("top_level.txt") or "").split()
    except Exception:
        named = []
    names = set(named)
    for file in distribution.files or ():
        first = file.parts[0] if file.parts else ""
        if first in ("..", "/", "__pycache__") or first.endswith((".dist-info", ".egg-info", ".data", ".pth")):
            continue
        if len(file.parts) > 1:
            names.add(first)
        elif first.endswith((".py", ".so", ".pyd")):
            names.add(first.partition(".")[0])
    return {name for name in names if name.isidentifier()}
