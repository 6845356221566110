"""The magics that people type by reflex: which there are, and how their lines are read."""

import difflib
import shlex

from .errors import UsageError

# By name: `call(shell, line)`, `call(shell, line, body)`, and context managers `call(shell, line)` around Python.
LINE, CELL, AROUND = {}, {}, {}
# `{` and `$` in the lines of these are not places to fill in.
VERBATIM = set()


def line_magic(*names, verbatim=False):
    """Registers a function as `%name`."""
    return _register(LINE, names, verbatim)


def cell_magic(*names, verbatim=False):
    """Registers a function as `%%name`."""
    return _register(CELL, names, verbatim)


def _register(table, names, verbatim):
    def register(call):
        for name in names:
            table[name] = call
            if verbatim:
                VERBATIM.add(name)
        return call

    return register


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
