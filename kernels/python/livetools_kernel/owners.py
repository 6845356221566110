"""Which cell code runs for: the one that started its thread or task, or that handed it to a pool of threads."""

import sys
from _contextvars import ContextVar
from _thread import get_ident
from functools import wraps

_MARK = "_livetools_cell"


class Owners:
    """A task has the cell in its context, a thread on its object; work in a pool has that of whoever submitted it."""

    def __init__(self):
        self.cell = ContextVar("livetools_cell")

    def begin(self, cell):
        """On the main thread: what it does from now on is this cell's."""
        self.cell.set(cell)

    def current(self):
        """The number of a cell; None where nothing tells, as in a thread that `_thread` or C code has started."""
        owner = self.cell.get(None)
        if owner is None and "threading" in sys.modules:
            thread = getattr(sys.modules["threading"], "_active", {}).get(get_ident())
            owner = getattr(thread, "__dict__", {}).get(_MARK)
        return owner

    def threading_imported(self, module):
        begin = module.Thread.start

        @wraps(begin)
        def start(thread):
            thread.__dict__[_MARK] = self.current()
            return begin(thread)

        module.Thread.start = start

    def futures_imported(self, module):
        """A worker outlives the cell that it was started in, and works for those that submit to it."""
        item = getattr(module, "_WorkItem", None)
        if item is None:
            return
        make, run = item.__init__, item.run

        def made(work, *arguments, **keywords):
            work.cell = self.current()
            make(work, *arguments, **keywords)

        item.__init__ = made
        item.run = lambda work, *arguments: self._within(work.cell, run, (work, *arguments))

    def pool_imported(self, module):
        """`ThreadPool`; its functions that take another one first."""
        for name in {"apply_async", "_map_async", "imap", "imap_unordered"}.intersection(dir(module.ThreadPool)):
            setattr(module.ThreadPool, name, self._handing(getattr(module.ThreadPool, name)))

    def _handing(self, ask):
        @wraps(ask)
        def handing(pool, func, *arguments, **keywords):
            cell = self.current()

            def work(*given, **named):
                return self._within(cell, func, given, named)

            return ask(pool, work, *arguments, **keywords)

        return handing

    def _within(self, cell, call, arguments, keywords={}):
        token = self.cell.set(cell)
        try:
            return call(*arguments, **keywords)
        finally:
            self.cell.reset(token)
