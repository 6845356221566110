"""What the rewritten idioms call: magics, commands of the shell, help. Also what `get_ipython()` gives."""

import os
import re
import subprocess
import sys
import tempfile
import time

from .errors import UsageError

_PLACE = re.compile(
    r"\{\{|\}\}|\$\$|\$\{[^}]*\}|\{(?P<expression>[^{}]+)\}|\$(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
)
_PROGRAMS = {
    "bash": "-c",
    "sh": "-c",
    "zsh": "-c",
    "dash": "-c",
    "ksh": "-c",
    "python": "-c",
    "perl": "-e",
    "ruby": "-e",
    "node": "-e",
}
_LONGEST_ARGUMENT = 100_000


class Lines(list):
    """The lines that a command printed: a list, with all of it as `.s` and `.n`, and the lines as `.l`."""

    @property
    def l(self):
        return list(self)

    @property
    def s(self):
        return " ".join(self)

    @property
    def n(self):
        return "\n".join(self)

    nlstr, spstr, list = n, s, l

    @property
    def p(self):
        from pathlib import Path

        return [Path(line) for line in self if os.path.exists(line)]

    def grep(self, pattern, **_):
        return Lines(line for line in self if re.search(pattern, line, re.IGNORECASE))

    def fields(self, *places):
        rows = [line.split() for line in self]
        return rows if not places else Lines(" ".join(row[at] for at in places if at < len(row)) for row in rows)


class Shell:
    """One per kernel; cells reach it under a name that they do not see."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.config = {}
        self.events = _Events()
        self._started = 0.0

    @property
    def user_ns(self):
        return self.kernel.cells.names

    user_global_ns = user_ns

    @property
    def execution_count(self):
        return self.kernel.cells.history.count

    def line(self, name, rest):
        """`%name rest`."""
        magics = _magics()
        call = magics.LINE.get(name)
        if call is None:
            raise UsageError(magics.unknown("%" + name))
        if name not in magics.VERBATIM:
            rest = self.filled(rest, sys._getframe(1))
        return call(self, rest)

    def cell(self, name, line, body):
        """`%%name line`, and the body."""
        magics = _magics()
        name = "system" if name == "!" else name
        call = magics.CELL.get(name)
        if call is None:
            raise UsageError(magics.unknown("%%" + name))
        if name not in magics.VERBATIM:
            line = self.filled(line, sys._getframe(1))
        return call(self, line, body)

    def around(self, name, line):
        return _magics().AROUND[name](self, line)

    def help(self, what, everything):
        """`what?` and `what??`."""
        from .inspection import tell

        tell(what, everything, sys._getframe(1))

    # `%time`, which is rewritten in place.
    def start(self):
        return time.perf_counter(), time.process_time()

    def stop(self, started, value):
        wall, cpu = time.perf_counter() - started[0], time.process_time() - started[1]
        print("CPU times: %s\nWall time: %s" % (seconds(cpu), seconds(wall)))
        return value

    def timed(self):
        return _Timed(self)

    def filled(self, text, frame):
        """`{expression}` and `$name` from the caller's names; what is none of them stays as it is."""

        def value(place):
            whole = place[0]
            if whole in ("{{", "}}"):
                return whole[0]
            if whole == "$$":
                return "$"
            source = place["expression"] or place["name"]
            if source is None:
                return whole
            if place["name"]:
                first = source.partition(".")[0]
                if first not in frame.f_locals and first not in frame.f_globals:
                    return whole
            try:
                found = eval(source, frame.f_globals, dict(frame.f_locals))
            except Exception:
                return whole
            # `{a,b}` is the shell's.
            return whole if type(found) is tuple else str(found)

        return _PLACE.sub(value, text) if "{" in text or "$" in text else text

    def system(self, command):
        """`!command`: its output is the cell's; its status becomes `_exit_code`."""
        self.user_ns["_exit_code"] = self.run(self.filled(command, sys._getframe(1)), shell=True)

    def captured(self, command):
        """`x = !command`: its lines."""
        return self.getoutput(self.filled(command, sys._getframe(1)))

    def getoutput(self, command, **_):
        out = self.run(command, shell=True, captured=True)
        return Lines(out.split("\n")[:-1] if out.endswith("\n") else out.split("\n") if out else [])

    def run(self, command, shell=False, captured=False, text=None):
        """Runs a program without input in a session of its own; gives its status, or what it printed when captured."""
        streams = self.kernel.streams
        out = subprocess.PIPE if captured or sys.stdout is not streams.out else None
        err = subprocess.PIPE if sys.stderr is not streams.err else None
        process = subprocess.Popen(
            command,
            shell=shell,
            executable=_bash() if shell else None,
            stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            if text is None and out is None and err is None:
                return process.wait()
            given = None if text is None else text.encode("utf-8", "surrogateescape")
            printed, complained = process.communicate(given)
        except BaseException:
            _end(process)
            raise
        if err is not None:
            sys.stderr.write(complained.decode("utf-8", "replace"))
        if captured:
            self.user_ns["_exit_code"] = process.returncode
            return printed.decode("utf-8", "replace")
        if out is not None:
            sys.stdout.write(printed.decode("utf-8", "replace"))
        return process.returncode

    def run_line(self, command, first):
        """Runs a line of the shell; gives its status, or that of its `first` program, whatever that is piped into."""
        ending = "\nexit ${PIPESTATUS[0]}" if first and _bash().endswith("bash") else ""
        return self.run(command + ending, shell=True)

    def script(self, command, body):
        """A program that is given the body as its script; standard input is empty where the program can do without."""
        command, keep = _script_options(command)
        program = os.path.basename(command[0])
        flag = _PROGRAMS.get(re.sub(r"[\d.]+$", "", program))
        if flag is None or len(command) > 1:
            given = {"command": command, "text": body}
        elif len(body) < _LONGEST_ARGUMENT:
            given = {"command": [*command, flag, body]}
        else:
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(body)
                file.flush()
                self._finish(program, self.run([*command, file.name]), keep)
            return
        if "out" in keep:
            self.user_ns[keep["out"]] = self.run(captured=True, **given)
            self._finish(program, self.user_ns["_exit_code"], keep)
        else:
            self._finish(program, self.run(**given), keep)

    def _finish(self, program, status, keep):
        self.user_ns["_exit_code"] = status
        if status and "no-raise-error" not in keep:
            raise subprocess.CalledProcessError(status, "%%" + program)

    # What pasted code asks of `get_ipython()`.
    def run_line_magic(self, name, line="", **_):
        return self.line(name, line)

    def run_cell_magic(self, name, line, cell):
        return self.cell(name, line, cell)

    def magic(self, line):
        name, _, rest = line.lstrip("%").partition(" ")
        return self.line(name, rest.strip())

    def run_cell(self, code, **_):
        self.kernel.cells.inner(code)

    ex = run_cell

    def ev(self, expression):
        return eval(expression, self.user_ns)

    def push(self, names, **_):
        self.user_ns.update(names)

    def register_magic_function(self, function, magic_kind="line", magic_name=None):
        magics = _magics()
        table = magics.CELL if magic_kind == "cell" else magics.LINE
        table[magic_name or function.__name__] = lambda _shell, *arguments: function(*arguments)

    def set_custom_exc(self, *_):
        pass

    def enable_gui(self, *_):
        pass

    def __repr__(self):
        return "<the shell of this kernel>"


class _Events:
    """Callbacks around cells, as libraries register them."""

    def __init__(self):
        self.callbacks = {}

    def register(self, event, function):
        self.callbacks.setdefault(event, []).append(function)

    def unregister(self, event, function):
        self.callbacks.get(event, []).remove(function)

    def trigger(self, event):
        for function in list(self.callbacks.get(event, ())):
            try:
                function()
            except Exception as error:
                print("%s callback: %s: %s" % (event, type(error).__name__, error), file=sys.stderr)


class _Timed:
    def __init__(self, shell):
        self.shell = shell

    def __enter__(self):
        self.started = self.shell.start()

    def __exit__(self, *_):
        self.shell.stop(self.started, None)


def seconds(value):
    """A duration in the unit that suits it."""
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if value * scale >= 1:
            return "%.3g %s" % (value * scale, unit)
    return "%.3g ns" % (value * 1e9)


def _script_options(command):
    """The command without the options that IPython's `%%script` takes, and those."""
    kept, keep = [], {}
    words = iter(command)
    for word in words:
        name, equals, value = word[2:].partition("=")
        if word == "--no-raise-error":
            keep["no-raise-error"] = True
        elif word.startswith("--") and name == "out":
            keep["out"] = value if equals else next(words, "out")
        else:
            kept.append(word)
    return kept, keep


def _magics():
    # The first two register themselves with the third.
    from . import cell_magics, line_magics, magics

    return magics


def _bash():
    return "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"


def _end(process):
    """Interrupts what the process started, then kills it."""
    import signal

    for number, patience in ((signal.SIGINT, 0.5), (signal.SIGKILL, 1)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience)
            return
        except (ProcessLookupError, PermissionError):
            return
        except subprocess.TimeoutExpired:
            pass
