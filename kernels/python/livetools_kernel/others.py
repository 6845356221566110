"""What is put right in modules of others, so that they do in a kernel what they do in a program."""

import _thread
import os
import sys
from functools import wraps

from .hooks import Hooks

NOBODY = "standard input is empty here and nobody can answer: put the value into the code"


def install(kernel):
    """Waits for their imports."""
    hooks = Hooks()
    hooks.on("linecache", kernel.cells.linecache_imported)
    hooks.on("asyncio", kernel.asyncio_imported)
    _thread.interrupt_main = kernel.interrupts.signalling(_thread.interrupt_main)
    hooks.on("signal", lambda module: setattr(module, "raise_signal", kernel.interrupts.signalling(module.raise_signal)))
    hooks.on("pdb", lambda module: setattr(module, "set_trace", sys.breakpointhook))
    hooks.on("inspect", lambda module: _inspect(module, kernel.cells))
    hooks.on("anyio", lambda module: setattr(module, "run", kernel.event_loop().outside(module.run)))
    hooks.on("threading", lambda module: _threading(module, kernel))
    hooks.on("concurrent.futures.thread", kernel.owners.futures_imported)
    hooks.on("multiprocessing.pool", kernel.owners.pool_imported)
    hooks.on("multiprocessing.spawn", _spawn)
    hooks.on("multiprocessing.context", _default_context)
    hooks.on("getpass", _getpass)
    hooks.on("matplotlib", _matplotlib)
    hooks.on("plotly.io", lambda module: _plotly(module, kernel.displays))
    hooks.on("IPython.core.getipython", _ipython_shell)
    hooks.on("IPython.core.display_functions", _ipython)
    hooks.on("IPython.core.display", _ipython)
    sys.meta_path.append(_Late())
    sys.excepthook = lambda _kind, error, _traceback: kernel.tell("", error)
    sys.unraisablehook = lambda raised: kernel.tell(
        "%s: %r\n" % (raised.err_msg or "Exception ignored in", raised.object), raised.exc_value
    )
    if sys.version_info >= (3, 12):
        import warnings

        # The kernel's own threads are the reason for it.
        warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)


def _threading(module, kernel):
    def excepthook(raised):
        if raised.exc_type is not SystemExit:
            name = raised.thread.name if raised.thread else "of no name"
            kernel.tell("Exception in thread %s:\n" % name, raised.exc_value)

    module.excepthook = excepthook
    kernel.owners.threading_imported(module)


def _inspect(module, cells):
    findsource, getfile = module.findsource, module.getfile

    def place(kind):
        if not isinstance(kind, type) or kind.__module__ != "__main__":
            return None
        from linecache import cache

        from .class_sources import place

        return place(kind, cells, cache)

    @wraps(getfile)
    def file(object):
        found = place(object)
        return getfile(object) if found is None else found[0]

    @wraps(findsource)
    def source(object):
        found = place(object)
        return findsource(object) if found is None else found[1:]

    module.getfile, module.findsource = file, source


def _spawn(module):
    ask = module.get_preparation_data

    def get_preparation_data(name):
        data = ask(name)
        if "init_main_from_name" not in data and "init_main_from_path" not in data:
            data["init_main_from_path"] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spawned.py")
        return data

    module.get_preparation_data = get_preparation_data


def _default_context(module):
    # A pool that maps a function of a cell needs a fork, which Python 3.14 does not choose by itself.
    default, contexts = getattr(module, "_default_context", None), getattr(module, "_concrete_contexts", {})
    if sys.version_info >= (3, 14) and sys.platform == "linux" and "fork" in contexts:
        default._default_context = contexts["fork"]


def _getpass(module):
    def getpass(prompt="Password: ", stream=None):
        raise EOFError("getpass(): " + NOBODY)

    module.getpass = getpass


def _matplotlib(module):
    from .backend import choose

    choose(module)


def _plotly(module, displays):
    # Its own choice is a browser, in which nobody looks.
    if "PLOTLY_RENDERER" not in os.environ:
        module.show = lambda figure, *_, **__: displays.display(figure)


def _ipython(module):
    from .ipython import patch

    patch(module)


def _ipython_shell(module):
    from .ipython import patch_shell

    patch_shell(module)


class _Late:
    """Asked when nothing else has the module: the stand-in for IPython."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] != "IPython":
            return None
        from .ipython import StandIn

        return StandIn().find_spec(name, path, target)
