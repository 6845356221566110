"""Line magics: `%name rest`."""

import os
import runpy
import sys

from .errors import UsageError
from .magics import AROUND, CELL, LINE, VERBATIM, line_magic, options, words


@line_magic("cd")
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


@line_magic("pwd")
def pwd(_shell, _line):
    """The working directory; None when it has been deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None


@line_magic("env", "set_env")
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


def _as_command(name):
    def run(shell, line):
        shell.user_ns["_exit_code"] = shell.run((name + " " + line).strip(), shell=True)

    return run


for _name in "ls cat mkdir rmdir rm cp mv man grep head tail git".split():
    line_magic(_name)(_as_command(_name))
line_magic("ll")(_as_command("ls -l"))
line_magic("less", "more")(_as_command("cat"))


@line_magic("system", "sx", "sc")
def system(shell, line):
    return shell.getoutput(line)


@line_magic("timeit", verbatim=True)
def timeit(shell, line):
    from .timing import timeit

    flags, statement = options(line, "qopcvt", "nrtp")
    return timeit(flags, "pass", statement, sys._getframe(2))


@line_magic("prun", verbatim=True)
def prun(shell, line):
    from .timing import profile

    flags, statement = options(line, "qr", "lsTD")
    profile(flags, statement, sys._getframe(2))


@line_magic("time", verbatim=True)
def time(shell, line):
    """Only for `get_ipython().run_line_magic`; in a cell it is rewritten in place."""
    with shell.timed():
        shell.run_cell(line)


@line_magic("run")
def run(shell, line):
    """A file as `__main__`, with the names of the cells."""
    parts = words(line)
    while parts and parts[0].startswith("-") and parts[0] != "-m":
        parts.pop(0)
    if not parts or parts == ["-m"]:
        raise UsageError("%run wants a file")
    names = shell.user_ns
    arguments = sys.argv
    try:
        if parts[0] == "-m":
            sys.argv = parts[1:]
            made = runpy.run_module(parts[1], run_name="__main__", alter_sys=False)
            names.update({name: value for name, value in made.items() if not name.startswith("__")})
        else:
            sys.argv = parts
            _run_file(parts[0], names)
    except SystemExit as leave:
        if leave.code not in (None, 0):
            print("%s exited with %s" % (parts[0], leave.code), file=sys.stderr)
    finally:
        sys.argv = arguments


def _run_file(target, names):
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
        exec(compile(source, path, "exec", dont_inherit=True), names)
    finally:
        names.pop("__file__", None)
        if folder in sys.path:
            sys.path.remove(folder)


@line_magic("load", verbatim=True)
def load(shell, line):
    """Runs the file's text in the namespace: there is no cell to put it into."""
    with open(os.path.expanduser(line.strip()), encoding="utf-8") as file:
        shell.run_cell(file.read())


def _own(shell):
    hidden = ("In", "Out", "exit", "quit")
    return {name: value for name, value in shell.user_ns.items() if not name.startswith("_") and name not in hidden}


@line_magic("who_ls")
def who_ls(shell, _line):
    return sorted(_own(shell))


@line_magic("who")
def who(shell, _line):
    print("  ".join(sorted(_own(shell))) or "no names of yours")


@line_magic("whos")
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


@line_magic("reset")
def reset(shell, _line):
    for name in list(shell.user_ns):
        if not name.startswith("__"):
            del shell.user_ns[name]
    shell.kernel.cells.history.forget()


@line_magic("history", "hist")
def history(shell, line):
    sources = shell.kernel.cells.history.sources
    _, rest = options(line, "nopt", "lf")
    first = 1
    if rest.strip().isdigit():
        first = max(1, int(rest))
    for number, source in enumerate(sources[first:], first):
        print("%d: %s" % (number, source))


@line_magic("lsmagic")
def lsmagic(_shell, _line):
    print(" ".join("%" + name for name in sorted(LINE)))
    print(" ".join("%%" + name for name in sorted([*CELL, *AROUND])))


@line_magic("pinfo")
def pinfo(shell, line):
    from .inspection import tell

    tell(line.strip(), False, sys._getframe(2))


@line_magic("pinfo2")
def pinfo2(shell, line):
    from .inspection import tell

    tell(line.strip(), True, sys._getframe(2))


@line_magic("matplotlib", "config", "precision", "xmode", "colors", "unload_ext", "automagic", "pylab", "gui")
@line_magic("pprint", "doctest_mode", "logstart", "logstop", "aimport")
def nothing(_shell, _line):
    """Accepted and without effect here."""


VERBATIM.add("config")


@line_magic("autoreload")
def autoreload(shell, line):
    from .freshness import LEVELS

    level = line.strip().lower() or "1"
    if level not in LEVELS:
        raise UsageError("%autoreload off, now, explicit or all (0, 1, 2)")
    shell.kernel.freshness.level(LEVELS[level])


@line_magic("load_ext", "reload_ext")
def load_ext(_shell, line):
    if line.strip() not in (
        "autoreload",
        "memory_profiler",
        "line_profiler",
        "tensorboard",
        "sql",
        "dotenv",
        "rich",
        "",
    ):
        print("%%load_ext %s: extensions of IPython are not loaded here" % line.strip(), file=sys.stderr)


@line_magic("debug", "pdb")
def debug(_shell, _line):
    raise UsageError("%debug needs somebody at the keyboard; use the debug tool")


@line_magic("pip")
def pip(shell, line):
    from .packages import install

    install(shell, line)


@line_magic("uv")
def uv(shell, line):
    from .packages import uv

    uv(shell, line)


@line_magic("conda")
def conda(shell, line):
    from .packages import conda

    conda(shell, line)
