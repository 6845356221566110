"""The kernel: takes requests, runs one cell at a time in the real `__main__`, and says how each ended."""

import os
import sys
from _queue import SimpleQueue
from _thread import get_ident
from functools import wraps
from os import getcwd

import livetools_kernel

from . import others
from .bridge import Bridge, ToolError, Tools
from .cells import Cells
from .displays import Displays
from .freshness import Freshness
from .interrupts import Interrupts
from .originals import provide
from .owners import Owners
from .streams import Streams
from .wire import Wire


class Kernel:
    """One interpreter and its wire; the other parts reach each other through it."""

    def __init__(self):
        livetools_kernel.current = self
        self.wire = Wire()
        self.streams = Streams(self.wire)
        self.owners = Owners()
        self.interrupts = Interrupts(self.wire, self.owners)
        self.streams.killing = self.interrupts.by_itself
        self.queue = SimpleQueue()
        self.cell = None
        self.loop = None
        self.tools = self.lost = False
        self.cells = Cells(self)
        self.displays = Displays(self)
        self.freshness = Freshness(self)
        self.bridge = Bridge(self)
        self._shell = None
        self._provide()
        others.install(self)

    @property
    def shell(self):
        """Made on first use: few cells have idioms."""
        if self._shell is None:
            from .shell import Shell

            self._shell = Shell(self)
        return self._shell

    def event_loop(self):
        """The kernel's loop; a cell that awaits has one even without importing asyncio."""
        if self.loop is None:
            __import__("asyncio")
        if self.loop is None:
            self.asyncio_imported()
        return self.loop

    def _provide(self):
        """The names that cells have without defining them; as builtins they survive a cell that clears its globals."""
        leave = Leave()
        provide(
            exit=leave,
            quit=leave,
            input=_input,
            display=self.displays.display,
            update_display=self.displays.update_display,
            clear_output=self.displays.clear,
            tool=Tools(self.bridge),
            tools=self.bridge.tools,
            ToolError=ToolError,
            get_ipython=lambda: self.shell,
            __livetools__=Reached(self),
        )
        sys.breakpointhook = _breakpoint
        os.system = _interruptible(os.system, self.interrupts)

    def asyncio_imported(self, _module=None):
        """Gives the cells their loop; for the rest of the running one too."""
        from .loop import Loop

        self.loop = Loop(self)
        if self.cell is not None and get_ident() == self.interrupts.main:
            self.loop.enter()

    def tell(self, head, error):
        """An exception that no cell gets, with the lines of the cells it comes from."""
        self.say(head + self.cells.described(error)["traceback"])

    def say(self, text):
        """A text on standard error, which a cell may have replaced by what takes none."""
        try:
            sys.stderr.write(text)
        except Exception:
            self.streams.err.write(text)

    def handle(self, request):
        """On the reader's thread: what must not wait for the cell is done here, the rest is queued."""
        kind = request.get("t")
        if kind == "interrupt":
            self.interrupts.asked(request.get("cell"))
        elif kind == "reply":
            self.bridge.replied(request)
        else:
            self.queue.put(request)
            if self.loop is not None:
                self.loop.wake()

    def serve(self):
        """Answers requests for ever; the reader's thread ends the process."""
        self.wire.read_forever(self.handle)
        version = sys.version.split()[0]
        ready = {
            "t": "ready",
            "language": "python",
            "version": version,
            "executable": sys.executable,
            "pid": os.getpid(),
        }
        self.wire.send(ready, ordered=False)
        while True:
            request = self._next()
            kind = request.get("t")
            if kind == "init":
                self._init(request)
            elif kind == "run":
                self._run(request)

    def _next(self):
        while True:
            try:
                if self.loop is None:
                    return self.queue.get()
                return self.loop.idle(self.queue)
            except KeyboardInterrupt:
                pass

    def _init(self, request):
        self.wire.marker = request["marker"].encode("ascii")
        self.tools = bool(request.get("tools"))
        cwd = request.get("cwd")
        try:
            if cwd:
                os.chdir(cwd)
            self.freshness.root = os.getcwd()
        except OSError as error:
            self.notice("the working directory %s cannot be entered: %s" % (cwd, error.strerror))

    def _run(self, request):
        self.cell = request["cell"]
        self.owners.begin(self.cell)
        self.bridge.begin(self.cell)
        try:
            outcome = self._ran(request)
        except BaseException as error:
            # What a cell has replaced or left behind may break what is around the next one.
            outcome = self.cells.failed(error)
        if not self.wire.mine:
            self._leave_fork(outcome)
        self.bridge.end()
        frame = dict(outcome, t="done", cell=self.cell)
        rss = _rss()
        if rss:
            frame["rss"] = rss
        self.cell = None
        self.wire.send(frame)

    def _ran(self, request):
        for fd in self.streams.repair():
            self.notice("an earlier cell led descriptor %d elsewhere; it is the output of the cells again" % fd)
        self.displays.begin()
        self._look_where_it_is()
        if self._shell is not None:
            self._shell.events.trigger("pre_run_cell")
        outcome = self.cells.run(request["cell"], request["code"], request.get("file"))
        if not self.wire.mine:
            return outcome
        if self._shell is not None:
            self.wire.release()
            self._shell.events.trigger("post_run_cell")
        if self.loop is not None:
            self.wire.release()
            self.loop.tell_failed()
        for name in self.streams.astray():
            self.notice(
                "sys.{0} is {1!r} now: what is printed goes there; sys.{0} = sys.__{0}__ undoes it".format(
                    name, getattr(sys, name)
                )
            )
        return outcome

    def _look_where_it_is(self):
        try:
            getcwd()
            self.lost = False
        except OSError:
            if not self.lost:
                self.notice("the working directory is gone: %cd (or os.chdir) to one that is there")
            self.lost = True

    def _leave_fork(self, outcome):
        """A child that a cell forked has come to the end of the cell: it is not a second kernel."""
        self.streams.flush()
        os._exit(outcome.get("exit_code", 0 if outcome["status"] == "ok" else 1) & 0xFF)

    def publish(self, kind, fields, is_last=False):
        """An ordered frame of the cell that it comes from, which a thread or a task outlives; `is_last`: its end follows."""
        send = self.wire.hold if is_last else self.wire.send
        send(dict(fields, t=kind, cell=self.owners.current() or self.cell or 0))

    def notice(self, text):
        """Something for the model to know that is no output of the cell."""
        frame = {"t": "notice", "text": text}
        if self.cell is not None:
            frame["cell"] = self.cell
        self.wire.send(frame, ordered=False)


class Reached:
    """The shell as rewritten cells name it: made when the first of them does."""

    def __init__(self, kernel):
        self._kernel = kernel

    def __getattr__(self, name):
        return getattr(self._kernel.shell, name)


class Leave:
    """`exit` and `quit`: they end the cell, not the kernel, and leave standard input alone."""

    def __call__(self, code=None):
        raise SystemExit(code)

    def __repr__(self):
        return "Use exit() to end the cell; the kernel and its state stay"


def _input(prompt="", /):
    if prompt != "":
        print(prompt, flush=True)
    raise EOFError("input(): " + others.NOBODY)


def _interruptible(call, interrupts):
    """`os.system` ignores an interrupt while its child runs, and the child may have been ended by it."""

    @wraps(call)
    def system(command):
        status = call(command)
        interrupts.check()
        return status

    return system


def _breakpoint(*_arguments, **_keywords):
    print("the breakpoint is passed over: nobody is at the keyboard; the debug tool can stop here", file=sys.stderr)


_PAGE = os.sysconf("SC_PAGE_SIZE")


def _rss(open=os.open, read=os.read, close=os.close, page=_PAGE, flags=os.O_RDONLY):
    """Bytes in memory; None where the system does not say."""
    try:
        fd = open("/proc/self/statm", flags)
        try:
            return int(read(fd, 128).split()[1]) * page
        finally:
            close(fd)
    except (OSError, ValueError, IndexError):
        return None


def _children_find_this_python():
    """What a cell starts by name (`!pip`, `!python`) is of this environment, unless it is the system's."""
    folder = os.path.dirname(sys.executable)
    if folder in ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"):
        return
    paths = [path for path in os.environ.get("PATH", os.defpath).split(os.pathsep) if path != folder]
    os.environ["PATH"] = os.pathsep.join([folder, *paths])
    if sys.prefix != sys.base_prefix:
        os.environ["VIRTUAL_ENV"] = sys.prefix


def main():
    """Runs the kernel; does not return."""
    try:
        import faulthandler

        faulthandler.enable(2, all_threads=False)
    except Exception:
        pass
    _children_find_this_python()
    try:
        Kernel().serve()
    finally:
        sys.__excepthook__(*sys.exc_info())
        os._exit(1)
