"""The builtins as they were when the kernel started: its own modules have them, whatever a cell puts in their place."""

import builtins
from _thread import allocate_lock
from os import register_at_fork
from sys import path_importer_cache

# The loader gave this module, and each of ours, a copy that cells do not see.
_ours = __builtins__
_theirs = builtins.__dict__
_lock = allocate_lock()


def _forked():
    global _lock
    _lock = allocate_lock()


register_at_fork(after_in_child=_forked)


class _Restored:
    """While it is entered everybody has the original builtins: for calls of the standard library, which cannot do without."""

    def __init__(self):
        self.depth = 0
        self.kept = dict(_theirs)
        self.replaced = ()

    def missing(self):
        """The names of those that are another now."""
        try:
            # The fast way, which compares what is not the same by its own `==`.
            if self.kept == _theirs:
                return []
        except Exception:
            pass
        return [name for name, value in self.kept.items() if _theirs.get(name) is not value]

    def __enter__(self):
        with _lock:
            self.depth += 1
            if self.depth == 1:
                self.replaced = [(name, _theirs.get(name, self)) for name in self.missing()]
                for name, _ in self.replaced:
                    _theirs[name] = self.kept[name]

    def __exit__(self, *_):
        with _lock:
            self.depth -= 1
            if not self.depth:
                for name, value in self.replaced:
                    if value is self:
                        _theirs.pop(name, None)
                    else:
                        _theirs[name] = value
        return False


restored = _Restored()


def provide(**names):
    """Puts names for the cells among the builtins."""
    _theirs.update(names)
    restored.kept.update(names)


_folder = __file__.rpartition("/")[0]
_finder = path_importer_cache.get(_folder)


def _import(name, globals=None, locals=None, fromlist=(), level=0, load=builtins.__import__):
    if level and _finder is not None:
        # A cell may have cleared it: then ours would be loaded as any module is.
        path_importer_cache.setdefault(_folder, _finder)
    with restored:
        return load(name, globals, locals, fromlist, level)


_ours["__import__"] = _import
