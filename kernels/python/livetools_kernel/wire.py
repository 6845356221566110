"""Frames to and from the host: one ASCII JSON object a line on two descriptors that no child inherits."""

import fcntl
import os
from _json import encode_basestring_ascii, make_encoder, make_scanner
from _thread import RLock, allocate_lock, get_ident, start_new_thread

# Bound here, and without the Python around JSON's own: a cell may replace what it finds in modules.
_write, _read, _close, _getpid, _exit = os.write, os.read, os.close, os.getpid, os._exit
_chunks = make_encoder(None, None, encode_basestring_ascii, None, ":", ",", False, False, False)


class _Reading:
    strict, object_hook, object_pairs_hook = True, None, None
    parse_float, parse_int, parse_constant = float, int, None


_scan = make_scanner(_Reading)

MAX_FRAME = 64 * 1024 * 1024
SWITCH = b"~"


class TooLarge(ValueError):
    """A frame over 64 MiB; nothing of it was sent."""


def encode(value):
    """JSON in ASCII."""
    return "".join(_chunks(value, 0))


def _body(frame):
    body = encode(frame).encode("ascii")
    if len(body) > MAX_FRAME:
        raise TooLarge("a frame of %d bytes is over the limit of %d" % (len(body), MAX_FRAME))
    return body


def _high(fd):
    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100)


def _write_all(fd, data):
    """Writes all of `data`, on a descriptor that a child may have made non-blocking too."""
    view = memoryview(data)
    while view:
        try:
            view = view[_write(fd, view) :]
        except BlockingIOError:
            import select

            select.select([], [fd], [])


class Wire:
    """The runner's end. `send` may be called from any thread; frames of one call to it are never interleaved."""

    def __init__(self):
        self.pid = _getpid()
        self.frames, self.requests = _high(3), _high(4)
        _close(3)
        _close(4)
        # Marks go to copies of the first descriptors: a cell may close 1 and 2 or point them elsewhere.
        self.pipes = []
        for fd in (1, 2):
            try:
                self.pipes.append(_high(fd))
            except OSError:
                pass
        self.marker = b""
        self.seq = 0
        self.lock = RLock()
        self.owner = None
        self.late = []
        self.held = None
        self.flush = lambda: None
        self.shield = _Shield()
        os.register_at_fork(after_in_child=self._forked)

    def _forked(self):
        for fd in [self.frames, self.requests, *self.pipes]:
            try:
                _close(fd)
            except OSError:
                pass
        self.pipes = []
        self.lock, self.owner, self.late, self.held = RLock(), None, [], None

    @property
    def mine(self):
        """False in a process that a cell forked: it has no protocol."""
        return self.pid == _getpid()

    def mark(self, kind=b""):
        """Writes a mark to both pipes; gives its number. `SWITCH`: no frame belongs to it."""
        with self.shield, self.lock:
            self.seq += 1
            mark = b"\0%b:%d%b\0" % (self.marker, self.seq, kind)
            for fd in self.pipes:
                try:
                    _write_all(fd, mark)
                except OSError:
                    pass
            return self.seq

    def send(self, frame, ordered=True):
        """Sends a frame; an ordered one goes behind everything printed so far. Refuses in a forked child."""
        if not self.mine:
            return
        if self.owner == get_ident():
            # A finalizer that ran inside a send: its frame follows.
            self.late.append((frame, ordered))
            return
        self._put(_body(frame), ordered)

    def hold(self, frame):
        """Sends an ordered frame together with the next one: for the time in which nothing of the user's runs."""
        if self.mine:
            self.held = _body(frame)

    def release(self):
        """Sends what is held now."""
        if self.held is not None:
            self._put(None, True)

    def _put(self, body, ordered):
        with self.shield, self.lock:
            self.owner = get_ident()
            try:
                if ordered:
                    self.flush()
                    bodies = [one for one in (self.held, body) if one is not None]
                    self.held = None
                    seq = self.mark()
                    body = b"\n".join([b'%b,"seq":%d}' % (one[:-1], seq) for one in bodies])
                _write_all(self.frames, body + b"\n")
            except OSError:
                _write(2, b"a cell has closed the descriptors that this kernel speaks through: it ends\n")
                _exit(1)
            finally:
                self.owner = None
        while self.late:
            self.send(*self.late.pop(0))

    def read_forever(self, handle):
        """Reads requests on a thread of its own; the end of the pipe ends the process."""

        def read():
            pending = []
            while True:
                try:
                    chunk = _read(self.requests, 1 << 16)
                except OSError:
                    chunk = b""
                if not chunk:
                    _exit(0)
                while True:
                    head, newline, chunk = chunk.partition(b"\n")
                    pending.append(head)
                    if not newline:
                        break
                    line = b"".join(pending)
                    pending.clear()
                    if line.strip():
                        try:
                            handle(_scan(line.decode("utf-8", "replace").strip(), 0)[0])
                        except Exception as error:
                            self.send({"t": "notice", "text": "a request could not be handled: %r" % (error,)}, False)

        start_new_thread(read, ())


class _Shield:
    """Holds an interrupt back while the main thread writes a frame; `raised` is called when it may come."""

    def __init__(self):
        self.main = get_ident()
        self.depth = 0
        self.pending = None

    def __enter__(self):
        if get_ident() == self.main:
            self.depth += 1

    def __exit__(self, *_):
        if get_ident() == self.main:
            self.depth -= 1
            if not self.depth and self.pending is not None:
                pending, self.pending = self.pending, None
                pending()
        return False
