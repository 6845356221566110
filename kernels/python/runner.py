"""Starts the Python kernel: `python3 runner.py`, with frames on fd 3 and requests on fd 4 (SPEC §8)."""

import sys

if __name__ == "__main__":
    # Needed for the first import alone, and not there under PYTHONSAFEPATH: the modules find each other by the package.
    folder = __file__.rpartition("/")[0] or "."
    sys.path.insert(0, folder)
    # This folder may lie in the user's project: no bytecode is left in it.
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    from livetools_kernel.kernel import main

    sys.dont_write_bytecode = written
    sys.path[:] = [entry for entry in sys.path[1:] if entry != folder]
    main()
