"""The magics that people type by reflex."""

import difflib
import io
import os
import runpy
import shlex
import sys

from .errors import UsageError


def unknown(name):
    """The one line about a magic that is not there."""
    bare = name.lstrip("%")
    names = sorted(set(LINE) | set(CELL) | set(AROUND))
    near = difflib.get_close_matches(bare, names, 1)
    meant = " (did you mean %s%s?)" % ("%" * (len(name) - len(bare)), near[0]) if near else ""
    return "unknown magic %s%s. Lines: %s. Cells: %s" % (
        name,
        meant,
        " ".join("%" + known for known in sorted(LINE)),
        " ".join("%%" + known for known in sorted([*CELL, *AROUND])),
    )


def words(line):
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError("%s in: %s" % (error, line)) from None


def options(line, flags, valued):
    """Leading `-n 5 -q` of a line, and the rest of it as it stands."""
    found = {}
    while line.startswith("-"):
        word, _, rest = line.partition(" ")
        if word == "--":
            return found, rest.lstrip()
        name = word[1:2]
        if name in valued:
            if len(word) > 2:
                found[name], line = word[2:], rest.lstrip()
            else:
                value, _, line = rest.lstrip().partition(" ")
                found[name], line = value, line.lstrip()
        elif name in flags and len(word) == 2:
            found[name], line = True, rest.lstrip()
        else:
            break
    return found, line


# Folders and the environment


def cd(shell, line):
    parts = words(line)
    target = parts[0] if parts else "~"
    here = pwd(shell, "")
    if target == "-":
        target = getattr(shell, "last_folder", None) or here or "~"
    try:
        os.chdir(os.path.expanduser(target))
    except OSError as error:
        raise UsageError("%%cd %s: %s" % (target, error.strerror)) from None
    shell.last_folder = here
    print(os.getcwd())


def pwd(_shell, _line):
    """The working directory; None when it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


def env(shell, line):
    line = line.strip()
    if not line:
        return dict(os.environ)
    name, equals, value = line.partition("=")
    if not equals and " " in line:
        name, _, value = line.partition(" ")
        equals = "="
    if not equals:
        if line not in os.environ:
            raise UsageError("the environment has no %s" % line)
        return os.environ[line]
    os.environ[name.strip()] = value.strip()
    print("env: %s=%s" % (name.strip(), value.strip()))


def as_command(name):
    def run(shell, line):
        shell.user_ns["_exit_code"] = shell.run((name + " " + line).strip(), shell=True)

    return run


# Time


def timeit(shell, line):
    from .timing import timeit

    flags, statement = options(line, "qopcvt", "nrtp")
    return timeit(flags, "pass", statement, sys._getframe(2))


def timeit_cell(shell, line, body):
    from .timing import timeit

    flags, setup = options(line, "qopcvt", "nrtp")
    return timeit(flags, setup or "pass", body, sys._getframe(2))


def prun(shell, line):
    from .timing import profile

    profile(line, sys._getframe(2))


# Code


def run(shell, line):
    parts = words(line)
    while parts and parts[0].startswith("-") and parts[0] != "-":
        if parts[0] == "-m":
            break
        parts.pop(0)
    if not parts:
        raise UsageError("%run wants a file")
    module = parts.pop(0) == "-m" if parts[0] == "-m" else False
    target = parts[0]
    names = shell.user_ns
    before = {name: names[name] for name in ("__file__",) if name in names}
    arguments, sys.argv = sys.argv, list(parts)
    try:
        if module:
            names.update(_public(runpy.run_module(target, run_name="__main__", alter_sys=False)))
            return
        path = os.path.expanduser(target)
        if not os.path.exists(path) and os.path.exists(path + ".py"):
            path += ".py"
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError as error:
            raise UsageError("%%run %s: %s" % (target, error.strerror)) from None
        folder = os.path.dirname(os.path.abspath(path))
        sys.path.insert(0, folder)
        names["__file__"] = path
        try:
            if path.endswith(".ipynb"):
                raise UsageError("%run takes Python files, not notebooks")
            exec(compile(source, path, "exec", dont_inherit=True), names)
        except SystemExit as leave:
            if leave.code not in (None, 0):
                print("%s exited with %s" % (target, leave.code), file=sys.stderr)
        finally:
            if folder in sys.path:
                sys.path.remove(folder)
    finally:
        sys.argv = arguments
        names.pop("__file__", None)
        names.update(before)


def _public(names):
    return {name: value for name, value in names.items() if not name.startswith("__")}


def load(shell, line):
    """Runs the file's text in the namespace: there is no cell to put it into."""
    with open(os.path.expanduser(line.strip()), encoding="utf-8") as file:
        shell.run_cell(file.read())


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


def script(shell, line, body):
    command = words(line)
    if not command:
        raise UsageError("%%script wants a program")
    shell.script(command, body)


def program(*command):
    def start(shell, line, body):
        shell.script([*command, *words(line)], body)

    return start


def python(shell, line, body):
    shell.script([sys.executable, *words(line)], body)


def system(shell, line, body):
    return shell.getoutput(line + "\n" + body)


# Names


def _own(shell):
    hidden = ("In", "Out", "exit", "quit")
    return {name: value for name, value in shell.user_ns.items() if not name.startswith("_") and name not in hidden}


def who_ls(shell, _line):
    return sorted(_own(shell))


def who(shell, _line):
    print("  ".join(sorted(_own(shell))) or "no names of yours")


def whos(shell, _line):
    rows = [("Variable", "Type", "Value")]
    for name, value in sorted(_own(shell).items()):
        try:
            text = repr(value) if sys.getsizeof(value) < 10_000 else "…"
        except Exception:
            text = "?"
        length = "n=%d " % len(value) if isinstance(value, (list, tuple, dict, set, str)) else ""
        shape = getattr(value, "shape", None)
        length = "shape=%s " % (shape,) if isinstance(shape, tuple) else length
        rows.append((name, type(value).__name__, length + " ".join(text.split())[:60]))
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    for row in rows:
        print("%s  %s  %s" % (row[0].ljust(widths[0]), row[1].ljust(widths[1]), row[2]))


def reset(shell, _line):
    for name in list(shell.user_ns):
        if not name.startswith("__"):
            del shell.user_ns[name]
    shell.kernel.cells.history.forget()


def history(shell, line):
    sources = shell.kernel.cells.history.sources
    _, rest = options(line, "nopt", "lf")
    first = 1
    if rest.strip().isdigit():
        first = max(1, int(rest))
    for number, source in enumerate(sources[first:], first):
        print("%d: %s" % (number, source))


def lsmagic(_shell, _line):
    print(" ".join("%" + name for name in sorted(LINE)))
    print(" ".join("%%" + name for name in sorted([*CELL, *AROUND])))


def pinfo(shell, line):
    from .inspection import tell

    tell(line.strip(), False, sys._getframe(2))


def pinfo2(shell, line):
    from .inspection import tell

    tell(line.strip(), True, sys._getframe(2))


def nothing(_shell, _line):
    """Accepted and without effect here."""


def autoreload(shell, line):
    from .freshness import LEVELS

    level = line.strip().lower() or "1"
    if level not in LEVELS:
        raise UsageError("%autoreload off, now, explicit or all (0, 1, 2)")
    shell.kernel.freshness.level(LEVELS[level])


def load_ext(_shell, line):
    if line.strip() not in ("autoreload", "memory_profiler", "line_profiler", "tensorboard", "sql", "dotenv", "rich", ""):
        print("%%load_ext %s: extensions of IPython are not loaded here" % line.strip(), file=sys.stderr)


def not_here(name):
    def refuse(_shell, _line):
        raise UsageError("%%%s needs somebody at the keyboard; use the debug tool" % name)

    return refuse


# Packages


def pip(shell, line):
    from .packages import install

    install(shell, words(line))


def uv(shell, line):
    from .packages import uv

    uv(shell, words(line))


def conda(shell, line):
    from .packages import watched

    watched(shell, lambda: shell.run(["conda", *words(line)]))


# Displays


def shown_as(mime):
    def show(shell, _line, body):
        shell.kernel.displays.publish({mime: body, "text/plain": body})

    return show


# Around a cell


class time_cell:
    def __init__(self, shell, _line):
        self.shell = shell

    def __enter__(self):
        self.started = self.shell.start()

    def __exit__(self, *_):
        self.shell.stop(self.started, None)


class capture:
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
        return "<captured: %d characters of output, %d displays>" % (len(self.stdout) + len(self.stderr), len(self.outputs))


AROUND = {"time": time_cell, "capture": capture}

LINE = {
    "cd": cd, "pwd": pwd, "env": env, "set_env": env, "timeit": timeit, "prun": prun, "run": run, "load": load,
    "who": who, "who_ls": who_ls, "whos": whos, "reset": reset, "history": history, "hist": history, "lsmagic": lsmagic,
    "pinfo": pinfo, "pinfo2": pinfo2, "autoreload": autoreload, "load_ext": load_ext, "reload_ext": load_ext,
    "pip": pip, "uv": uv, "conda": conda, "mamba": conda,
    "debug": not_here("debug"), "pdb": not_here("pdb"),
    "time": lambda shell, line: shell.run_cell(line),
    "system": lambda shell, line: shell.getoutput(line), "sx": lambda shell, line: shell.getoutput(line),
    "sc": lambda shell, line: shell.getoutput(line),
}
for _name in ("ls", "cat", "mkdir", "rmdir", "rm", "cp", "mv", "ll", "less", "more", "man", "grep", "head", "tail", "git"):
    LINE[_name] = as_command("ls -l" if _name == "ll" else "cat" if _name in ("less", "more") else _name)
for _name in (
    "matplotlib", "config", "precision", "xmode", "colors", "unload_ext", "automagic", "pylab", "gui", "pprint", "doctest_mode",
    "logstart", "logstop", "aimport",
):
    LINE[_name] = nothing

CELL = {
    "timeit": timeit_cell, "writefile": writefile, "file": writefile, "script": script, "system": system, "sx": system,
    "bash": program("bash"), "sh": program("sh"), "perl": program("perl"), "ruby": program("ruby"),
    "python": python, "python3": python, "node": program("node"), "js": shown_as("application/javascript"),
    "javascript": shown_as("application/javascript"), "html": shown_as("text/html"), "HTML": shown_as("text/html"),
    "markdown": shown_as("text/markdown"), "latex": shown_as("text/latex"), "svg": shown_as("image/svg+xml"),
    "SVG": shown_as("image/svg+xml"), "prun": lambda shell, line, body: prun(shell, body),
}

# `{` and `$` in what follows are not places to fill in.
VERBATIM = frozenset(("timeit", "prun", "time", "load", "config", "bash", "sh", "python", "python3", "perl", "ruby", "node"))

