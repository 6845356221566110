"""Cell magics: `%%name rest`, and a body."""

import io
import os
import sys

from .errors import UsageError
from .magics import AROUND, cell_magic, options, words


@cell_magic("writefile", "file")
def writefile(_shell, line, body):
    parts = words(line)
    append = "-a" in parts or "--append" in parts
    names = [part for part in parts if part not in ("-a", "--append")]
    if len(names) != 1:
        raise UsageError("%%writefile [-a] FILE")
    path = os.path.expanduser(names[0])
    verb = "Appending to" if append else "Overwriting" if os.path.exists(path) else "Writing"
    with open(path, "a" if append else "w", encoding="utf-8", newline="") as file:
        file.write(body if body.endswith("\n") or not body else body + "\n")
    print("%s %s" % (verb, path))


@cell_magic("script")
def script(shell, line, body):
    command = words(line)
    if not command:
        raise UsageError("%%script wants a program")
    shell.script(command, body)


def _program(name):
    def start(shell, line, body):
        shell.script([sys.executable if name.startswith("python") else name, *words(line)], body)

    return start


for _name in "bash sh perl ruby node python python3".split():
    cell_magic(_name, verbatim=True)(_program(_name))


@cell_magic("system", "sx")
def system(shell, line, body):
    return shell.getoutput(line + "\n" + body)


def _shown_as(mime):
    def show(shell, _line, body):
        shell.kernel.displays.publish({mime: body, "text/plain": body})

    return show


for _names, _mime in (
    ("html HTML", "text/html"),
    ("markdown", "text/markdown"),
    ("latex", "text/latex"),
    ("svg SVG", "image/svg+xml"),
    ("javascript js", "application/javascript"),
):
    cell_magic(*_names.split())(_shown_as(_mime))


@cell_magic("timeit", verbatim=True)
def timeit_cell(shell, line, body):
    from .timing import timeit

    flags, setup = options(line, "qopcvt", "nrtp")
    return timeit(flags, setup or "pass", body, sys._getframe(2))


@cell_magic("prun", verbatim=True)
def prun_cell(_shell, line, body):
    from .timing import profile

    flags, _ = options(line, "qr", "lsTD")
    profile(flags, body, sys._getframe(2))


def timed(shell, line):
    """`%%time`: what a cell took."""
    if line:
        raise UsageError("%%time has nothing behind it: its statements are the lines below (%time takes one)")
    return shell.timed()


class Capture:
    """`%%capture [name]`: what the cell shows goes into an object with `.stdout`, `.stderr` and `.outputs`."""

    def __init__(self, shell, line):
        self.shell = shell
        parts = words(line)
        self.name = next((part for part in parts if not part.startswith("-")), None)
        self.hold_out, self.hold_err = "--no-stdout" not in parts, "--no-stderr" not in parts

    def __enter__(self):
        self.out, self.err, self.outputs = io.StringIO(), io.StringIO(), []
        self.before = sys.stdout, sys.stderr
        if self.hold_out:
            sys.stdout = self.out
        if self.hold_err:
            sys.stderr = self.err
        self.shell.kernel.displays.sinks.append(self.outputs)

    def __exit__(self, *_):
        sys.stdout, sys.stderr = self.before
        self.shell.kernel.displays.sinks.remove(self.outputs)
        if self.name:
            self.shell.user_ns[self.name] = Captured(self)


class Captured:
    def __init__(self, held):
        self.stdout, self.stderr, self.outputs = held.out.getvalue(), held.err.getvalue(), held.outputs
        self._displays = held.shell.kernel.displays

    def show(self):
        sys.stdout.write(self.stdout)
        sys.stderr.write(self.stderr)
        for data in self.outputs:
            self._displays.publish(data)

    __call__ = show

    def __str__(self):
        return self.stdout

    def __repr__(self):
        return "<captured: %d characters of output, %d displays>" % (
            len(self.stdout) + len(self.stderr),
            len(self.outputs),
        )


AROUND["time"] = timed
AROUND["capture"] = Capture
