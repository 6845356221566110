"""`sys.stdout` and `sys.stderr` on the real descriptors, ordered with what children and C code write to them."""

import io
import os
import sys
from _thread import RLock, allocate_lock, start_new_thread
from os import dup2, fstat, set_blocking
from os.path import samestat
from time import monotonic, sleep

from .wire import SWITCH

WINDOW = 0.05
WRITES_A_WINDOW = 100

_write = io.TextIOWrapper.write
_BUFFER = io.IOBase
_STARTS_A_CHILD = frozenset(("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.exec", "os.forkpty"))


class Stream(io.TextIOWrapper):
    """Each write reaches the pipe at once; of a burst the rest is buffered for at most 50 ms."""

    def __init__(self, fd, name, streams):
        raw = _Raw(fd, "wb", closefd=False)
        bytes_ = _Bytes(raw, 1 << 16)
        bytes_.stream = self
        super().__init__(bytes_, encoding="utf-8", errors="backslashreplace", newline="\n")
        self._CHUNK_SIZE = 1 << 16
        self.mode = "w"
        self._streams = streams
        self._window = 0.0
        self._left = 0
        raw.name = name

    def write(self, text):
        streams = self._streams
        if streams.last is not self:
            streams.switch(self)
        if streams.armed:
            return _write(self, text)
        if streams.ticking:
            streams.settle()
        if streams.c_active:
            streams.c_flush()
        count = _write(self, text)
        # Forked processes share the pipe: whole lines, or they are torn by those of others.
        if streams.forked and "\n" not in text:
            return count
        self.flush()
        now = monotonic()
        if now > self._window:
            self._window = now + WINDOW
            self._left = WRITES_A_WINDOW
        self._left -= 1
        # What the C library prints goes out by the line: nothing may lie in a buffer then.
        if not self._left and not streams.c_active:
            streams.arm()
        return count


class _Bytes(io.BufferedWriter):
    """`sys.stdout.buffer`: what is written to it alone is not left lying there."""

    stream = None

    def write(self, data):
        streams = self.stream._streams
        if streams.last is not self.stream and not streams.switching:
            streams.switch(self.stream)
        count = super().write(data)
        if not streams.nudged:
            streams.nudge()
        return count


class _Raw(io.FileIO):
    """The descriptor, which a child that shares the pipe may have made non-blocking."""

    def write(self, data):
        count = super().write(data)
        while count is None:
            from select import select

            select([], [self], [])
            count = super().write(data)
        return count


class Streams:
    """Both streams, the C library's, and the order between them."""

    def __init__(self, wire):
        self.wire = wire
        self.last = None
        self.armed = self.nudged = self.ticking = self.switching = self.forked = False
        self.flushing = RLock()
        self._wake = allocate_lock()
        self._wake.acquire()
        self.c_flush = lambda: None
        self.c_active = False
        self.told = {"stdout": None, "stderr": None}
        self.killing = lambda _number: None
        self.out = self.err = None
        self.install()
        wire.flush = self.flush
        os.register_at_fork(before=self.flush, after_in_child=self._forked)
        sys.addaudithook(self._audit)
        start_new_thread(self._tick, ())

    def install(self):
        self.out = sys.stdout = sys.__stdout__ = Stream(1, "<stdout>", self)
        self.err = sys.stderr = sys.__stderr__ = Stream(2, "<stderr>", self)

    def repair(self):
        """Gives the next cell streams that work, whatever the last one closed or led elsewhere; tells what was led."""
        if not self.wire.mine:
            return ()
        led = []
        for fd, copy in zip((1, 2), self.wire.pipes):
            try:
                set_blocking(fd, True)
                if samestat(fstat(fd), fstat(copy)):
                    continue
                led.append(fd)
            except OSError:
                pass
            dup2(copy, fd)
        for name, fd in (("stdout", 1), ("stderr", 2)):
            if _works(getattr(sys, name, None)):
                continue
            stream = getattr(self, name[3:])
            if not _works(stream):
                stream = Stream(fd, "<%s>" % name, self)
                setattr(self, name[3:], stream)
                setattr(sys, "__%s__" % name, stream)
            setattr(sys, name, stream)
        return led

    def astray(self):
        """The names of streams that a cell has replaced by a buffer or a file, each told once."""
        names = []
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name, None)
            if stream is not self.told[name]:
                self.told[name] = stream
                if isinstance(stream, _BUFFER) and not isinstance(stream, Stream):
                    names.append(name)
        return names

    def flush(self):
        """Brings everything printed so far to the pipes."""
        with self.flushing:
            for stream in (getattr(sys, "stdout", None), getattr(sys, "stderr", None), self.out, self.err):
                try:
                    stream.flush()
                except Exception:
                    pass
        self.c_flush()
        self.last = None

    def settle(self):
        """Waits until what the tick has taken out of the buffers is in the pipes."""
        with self.flushing:
            pass

    def switch(self, stream):
        """Before a write to the other stream: what came before it is ahead of it on both pipes."""
        before, self.last = self.last, stream
        if before is None or not self.wire.mine:
            return
        self.switching = True
        try:
            for other in (self.out, self.err):
                if other is not stream:
                    try:
                        other.flush()
                    except (OSError, ValueError):
                        pass
            self.c_flush()
        finally:
            self.switching = False
        self.wire.mark(SWITCH)

    def arm(self):
        """Begins a burst: until the next tick text is only buffered."""
        self.armed = self.wire.mine
        self.nudge()

    def nudge(self):
        """Has the streams flushed soon."""
        self.nudged = True
        try:
            self._wake.release()
        except RuntimeError:
            pass

    def _tick(self):
        while True:
            self._wake.acquire()
            sleep(WINDOW * 0.8)
            with self.flushing:
                self.ticking = True
                self.armed = self.nudged = False
                for stream in (self.out, self.err):
                    try:
                        stream.flush()
                    except Exception:
                        pass
                self.ticking = False

    def _forked(self):
        # No thread ticks in the child.
        self.armed = self.ticking = False
        self.flushing = RLock()
        self.forked = True

    def _audit(self, event, arguments):
        if event == "import":
            # An extension module may print through the C library.
            if not self.c_active and arguments[1] and "lib-dynload" not in arguments[1]:
                self._c_begins()
        elif event == "ctypes.dlsym" or event == "ctypes.dlopen":
            self._c_begins()
        elif event in _STARTS_A_CHILD and self.wire.mine:
            self.flush()
            if event != "os.exec":
                self.wire.mark(SWITCH)
            self.last = _CHILD
        elif event == "os.kill" and arguments[0] == self.wire.pid:
            self.killing(arguments[1])

    def _c_begins(self):
        """Something may print through the C library from now on."""
        if not self.c_active:
            self.c_active = True
            self.armed = False
            self.flush()
            from .c_stdout import flush

            self.c_flush = flush


_CHILD = object()


def _works(stream):
    """Neither missing nor closed nor without its buffer."""
    try:
        return stream is not None and not getattr(stream, "closed", False)
    except ValueError:
        return False
