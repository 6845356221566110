"""What is put right in a module of others' right after its import."""

import sys


class Hooks:
    """A finder that lets others load, and calls what waits for a module when it is there."""

    def __init__(self):
        self.after = {}
        self._busy = set()
        sys.meta_path.insert(0, self)

    def on(self, name, then):
        """Calls `then(module)` after the import of a module, at once when that has been."""
        if name in sys.modules:
            then(sys.modules[name])
        else:
            self.after[name] = then

    def find_spec(self, name, path=None, target=None):
        then = self.after.get(name)
        if name in self._busy or then is None and not name.startswith("livetools_kernel."):
            return None
        self._busy.add(name)
        try:
            for finder in sys.meta_path:
                if finder is self or not hasattr(finder, "find_spec"):
                    continue
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    break
            else:
                return None
        finally:
            self._busy.discard(name)
        loader = spec.loader
        run = getattr(loader, "exec_module", None)
        if run is None:
            return spec

        def exec_module(module):
            del loader.exec_module
            if then is None:
                _by_itself(run, module)
            else:
                run(module)
                then(module)

        try:
            loader.exec_module = exec_module
        except (AttributeError, TypeError):
            pass
        return spec


def _by_itself(run, module):
    """Runs a module of ours: what it imports is Python's, though the working directory has files of the same names."""
    here = [at for at, entry in enumerate(sys.path) if entry == ""]
    for at in reversed(here):
        del sys.path[at]
    try:
        run(module)
    finally:
        for at in here:
            sys.path.insert(at, "")
