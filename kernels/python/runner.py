"""Starts the Python kernel: `python3 runner.py [FOLDER]`, with frames on fd 3 and requests on fd 4 (SPEC §8)."""

import sys

if __name__ == "__main__":
    # Needed for the first import alone, and not there under PYTHONSAFEPATH: the modules find each other by the package.
    folder = __file__.rpartition("/")[0] or "."
    sys.path.insert(0, folder)
    # A cell may replace a builtin: the kernel's modules have their own.
    import builtins

    own = dict(builtins.__dict__)
    # This folder may lie in the user's project: its bytecode is kept in FOLDER, or nowhere.
    import _frozen_importlib_external as external

    kept = sys.argv[1] if len(sys.argv) > 1 else None

    class Loader(external.SourceFileLoader):
        def get_code(self, name):
            before = sys.pycache_prefix, sys.dont_write_bytecode
            sys.pycache_prefix, sys.dont_write_bytecode = kept, kept is None
            try:
                return super().get_code(name)
            finally:
                sys.pycache_prefix, sys.dont_write_bytecode = before

        def exec_module(self, module):
            module.__builtins__ = own
            super().exec_module(module)

    for place in (folder, folder + "/livetools_kernel"):
        sys.path_importer_cache[place] = external.FileFinder(place, (Loader, [".py"]))
    from livetools_kernel.kernel import main

    sys.path[:] = [entry for entry in sys.path[1:] if entry != folder]
    main()
