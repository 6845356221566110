"""`%pip` and its like: the interpreter's own installer, and imports that see what it changed."""

import importlib
import importlib.util
import os
import shutil
import sys
import sysconfig
import types
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES

from .errors import UsageError


def install(shell, arguments):
    """`%pip …` by pip, by uv where the environment has no pip, or by the pip that Python carries."""
    watched(shell, lambda: _pip(shell, arguments))


def uv(shell, arguments):
    """`%uv pip …` on this interpreter."""
    if arguments[:1] == ["pip"] and "--python" not in arguments:
        arguments = ["pip", *arguments[1:2], "--python", sys.executable, *arguments[2:]]
    watched(shell, lambda: shell.run(["uv", *arguments]))


def _pip(shell, arguments):
    if arguments[:1] == ["uninstall"] and "-y" not in arguments and "--yes" not in arguments:
        arguments = ["uninstall", "-y", *arguments[1:]]
    if importlib.util.find_spec("pip") is None:
        tool = shutil.which("uv")
        if tool:
            return shell.run([tool, "pip", *arguments[:1], "--python", sys.executable, *arguments[1:]])
        if importlib.util.find_spec("ensurepip") is None or shell.run([sys.executable, "-m", "ensurepip", "--upgrade"]):
            raise UsageError(
                "%s has no pip, and neither uv nor ensurepip is there: run `python3 -m venv .venv` in the project, "
                "then start again with reset" % sys.executable
            )
        importlib.invalidate_caches()
    status = shell.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments])
    if status and arguments[:1] == ["install"] and _managed():
        shell.kernel.notice(
            "%s is managed by the system and takes no packages: make an environment with `python3 -m venv .venv` "
            "in the project, then reset; it is then preferred" % sys.executable
        )
    return status


def _managed():
    return sys.prefix == sys.base_prefix and os.path.exists(
        os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    )


def watched(shell, call):
    """Runs an installer; then what changed is imported anew, or the reason why not is told."""
    before = _versions()
    status = call()
    importlib.invalidate_caches()
    _refresh(shell.kernel, before, _versions())
    shell.user_ns["_exit_code"] = status
    if status:
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
