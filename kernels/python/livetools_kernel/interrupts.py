"""SIGINT as the interrupt of one cell: never of an idle kernel, of the next cell, or of a half-written frame."""

from _signal import SIG_UNBLOCK, SIGINT, default_int_handler, getsignal, pthread_kill, pthread_sigmask, signal
from _thread import get_ident, start_new_thread
from functools import wraps
from os import register_at_fork
from time import sleep

# How long a signal waits for the frame that it belongs to.
WAIT, WAITS = 0.0005, 20


class Interrupts:
    """A signal counts when the host named the running cell (`asked`) before, or when the cell itself sends it."""

    def __init__(self, wire, owners):
        self.wire = wire
        self.owners = owners
        self.running = None
        self.wanted = None
        self.asked_for = self.taken = 0
        self.early = False
        self.cancel = lambda _frame: False
        self.main = get_ident()
        self.install()
        register_at_fork(after_in_child=self._forked)

    def install(self):
        """Before every cell: a cell or a library may have put a handler of its own there, or block the signal."""
        pthread_sigmask(SIG_UNBLOCK, (SIGINT,))
        if getsignal(SIGINT) != self._handler:
            signal(SIGINT, self._handler)

    def _forked(self):
        self.running = None
        try:
            signal(SIGINT, default_int_handler)
        except ValueError:
            pass

    def begin(self, cell):
        self.install()
        self.asked_for = self.taken = 0
        self.early = False
        self.running = cell

    def end(self):
        self.running = None

    def asked(self, cell):
        """The host's word, on the reader's thread."""
        if cell is None or cell != self.running:
            return
        self.wanted = cell
        self.asked_for += 1
        start_new_thread(self._deliver, (cell, self.asked_for, self.early))

    def by_itself(self, number=SIGINT):
        """A cell signals its own process, and means itself: not one that runs by then."""
        if number == SIGINT and self.owners.current() in (None, self.running):
            self.wanted = self.running

    def signalling(self, call):
        """One of the functions by which a cell may do so."""

        @wraps(call)
        def signalling(*number):
            self.by_itself(*number)
            return call(*number)

        return signalling

    def _deliver(self, cell, count, at_once):
        # The signal may be ahead of the frame, may have gone to a thread that waits in a call, and is ignored by
        # `os.system` while its child runs: it is repeated until it is taken.
        if not at_once:
            sleep(0.1)
        for _ in range(40):
            if self.taken >= count or self.running != cell:
                return
            pthread_kill(self.main, SIGINT)
            sleep(0.1)

    def _handler(self, _signum, frame):
        if self.running is None:
            return
        # The frame that names the cell may be behind the signal: its reader needs the interpreter, which a busy cell holds.
        for _ in range(WAITS):
            if self.wanted == self.running:
                break
            sleep(WAIT)
        if self.wanted != self.running:
            self.early = True
        elif self.wire.shield.depth:
            self.wire.shield.pending = self._raise
        else:
            self._raise(frame)

    def check(self):
        """After a call that ignores the signal while it runs: raises what it missed."""
        if get_ident() == self.main and self.taken < self.asked_for and self.wanted == self.running:
            self._raise()

    def _raise(self, frame=None):
        if self.running is None or self.wanted != self.running:
            return
        self.taken += 1
        if not self.cancel(frame):
            raise KeyboardInterrupt
