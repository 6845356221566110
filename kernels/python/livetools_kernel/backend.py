"""Which backend matplotlib has in a kernel: ours, unless the user chose one that opens no window."""

import os
import sys

NAME = "module://livetools_kernel.figures"
_WINDOWS = ("tk", "gtk", "qt", "wx", "macosx", "nbagg", "webagg", "notebook", "widget", "ipympl", "module://ipympl")


def choose(matplotlib):
    """Right after the import of matplotlib, before pyplot."""
    chosen = dict.get(matplotlib.rcParams, "backend")
    if not isinstance(chosen, str) or _opens_windows(os.environ.get("MPLBACKEND", chosen)):
        matplotlib.rcParams["backend"] = NAME
    ask = matplotlib.use

    def use(backend, *arguments, **keywords):
        if _opens_windows(backend):
            print("%s is passed over: figures are shown in the output" % backend, file=sys.stderr)
            backend = NAME
        return ask(backend, *arguments, **keywords)

    use.__doc__ = ask.__doc__
    matplotlib.use = use


def _opens_windows(backend):
    return str(backend).lower().startswith(_WINDOWS)
