"""Modules of the workspace that changed on disk since they were imported."""

import importlib
import os
import sys
from os import stat
from types import ModuleType

_names = ModuleType.__dict__["__dict__"].__get__
LEVELS = {"0": 0, "off": 0, "now": 2, "1": 1, "explicit": 1, "2": 2, "all": 2, "complete": 2, "3": 2}


class Freshness:
    """Looks before each cell; says what is stale, or reloads it when `%autoreload` asks."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.root = None
        self.reload = False
        self._known = {}
        # What was told, or could not be reloaded, is not again until it changes.
        self._tried = {}
        self._seen = 0

    def level(self, number):
        self.reload = number == 2

    def look(self):
        if self.root is None:
            return
        if len(sys.modules) != self._seen:
            self._find()
        stale = []
        for name, (path, stamp, spec) in list(self._known.items()):
            if name not in sys.modules:
                del self._known[name]
                continue
            now = _stamp(path)
            if spec is not _spec(sys.modules[name]):
                # A cell has reloaded it.
                self._known[name] = (path, now, _spec(sys.modules[name]))
            elif now is not None and now != stamp and self._tried.get(name) != (now, self.reload):
                self._tried[name] = (now, self.reload)
                stale.append(name)
        if not stale:
            return
        if not self.reload:
            names = ", ".join(stale)
            self.kernel.notice(
                "changed on disk since it was imported: %s; this kernel still has the old code "
                "(importlib.reload, or %%autoreload 2 once)" % names
            )
            return
        for name in stale:
            try:
                importlib.reload(sys.modules[name])
                self._known[name] = (self._known[name][0], self._tried[name][0], _spec(sys.modules[name]))
                self._renew(name)
            except Exception as error:
                self.kernel.notice("%s changed on disk and could not be reloaded: %r" % (name, error))

    def _renew(self, name):
        """Names that the cells imported from the module mean its new functions and classes."""
        module = sys.modules[name]
        names = self.kernel.cells.names
        for own, value in list(names.items()):
            if getattr(value, "__module__", None) == name and getattr(value, "__name__", None):
                fresh = getattr(module, value.__name__, None)
                if fresh is not None and type(fresh) is type(value):
                    names[own] = fresh

    def _find(self):
        self._seen = len(sys.modules)
        inside = self.root + os.sep
        for name, module in list(sys.modules.items()):
            if name in self._known:
                continue
            path = _file(module)
            if (
                isinstance(path, str)
                and path.startswith(inside)
                and "site-packages" not in path
                and path.endswith(".py")
            ):
                stamp = _stamp(path)
                if stamp is not None:
                    self._known[name] = (path, stamp, _spec(module))


def _file(module):
    return _own(module, "__file__")


def _spec(module):
    return _own(module, "__spec__")


def _own(module, name):
    # Not by asking the module: what stands in for one may answer with an error, or load it.
    return _names(module).get(name) if issubclass(type(module), ModuleType) else None


def _stamp(path):
    try:
        state = stat(path)
        return state.st_mtime_ns, state.st_size
    except OSError:
        return None
