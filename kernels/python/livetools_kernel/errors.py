"""An exception as text: from the user's code on, with cause and context, and never longer than is of use."""

import os
import traceback
from collections import deque
from types import TracebackType

_HERE = os.path.dirname(os.path.abspath(__file__))
_LIBRARY = os.path.dirname(os.__file__)
MESSAGE_LIMIT = 4_000
TEXT_LIMIT = 16_000
FRAMES = 500


class UsageError(Exception):
    """A magic that does not exist or was called wrongly: one line says it."""


def describe(error, rewritten):
    """The fields of an `error` frame. `rewritten` gives the lines of a cell that are not compiled as they stand."""
    name = _name(type(error))
    try:
        message = str(error)
    except BaseException as worse:
        message = "<str() of it raised %s>" % type(worse).__name__
    message = cut(message, MESSAGE_LIMIT)
    if isinstance(error, UsageError):
        return {"name": name, "message": message, "traceback": "UsageError: %s\n" % message}
    try:
        text = _text(error, rewritten)
    except BaseException as worse:
        text = "%s: %s\n(its traceback could not be made: %s)\n" % (name, message, _name(type(worse)))
    return {"name": name, "message": message, "traceback": cut(text, TEXT_LIMIT)}


def _name(kind):
    name = getattr(kind, "__qualname__", None) or "Exception"
    module = getattr(kind, "__module__", None)
    return (
        name
        if module in ("builtins", "__main__", None) or module.startswith("livetools_kernel")
        else module + "." + name
    )


def _text(error, rewritten):
    entries, left = _shortened(error.__traceback__)
    told = traceback.TracebackException(type(error), error, entries)
    _trim(told, rewritten, set())
    text = "".join(told.format())
    return "%s(%d more frames between them are left out)\n" % (text, left) if left else text


def _shortened(whole):
    """Without the middle of a recursion without end, each frame of which would be looked up; how many are in it."""
    first, last, count, entry = [], deque(maxlen=FRAMES), 0, whole
    while entry is not None:
        (first if len(first) < FRAMES else last).append(entry)
        entry, count = entry.tb_next, count + 1
    left = count - len(first) - len(last)
    if not left:
        return whole, 0
    made = None
    for entry in reversed([*first, *last]):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made, left


def _trim(told, rewritten, seen):
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    told.stack[:] = [_shown(frame, rewritten) for frame in _of_the_user(list(told.stack))]
    if getattr(told, "text", None) and told.filename in rewritten:
        _restore(told, rewritten[told.filename])
    _trim(told.__cause__, rewritten, seen)
    _trim(told.__context__, rewritten, seen)
    for inner in getattr(told, "exceptions", None) or ():
        _trim(inner, rewritten, seen)


def _of_the_user(frames):
    """From the first frame of a cell on, without the runner's and what of the standard library is behind them."""
    kept, behind_runner = [], False
    first = next((at for at, frame in enumerate(frames) if frame.filename.startswith("<cell ")), 0)
    for frame in frames[first:]:
        if frame.filename.startswith(_HERE):
            behind_runner = True
        elif behind_runner and _is_library(frame.filename):
            pass
        else:
            behind_runner = False
            kept.append(frame)
    return kept


def _is_library(name):
    return name.startswith(_LIBRARY) and "site-packages" not in name


def _shown(frame, rewritten):
    if frame.lineno in rewritten.get(frame.filename, ()) and hasattr(frame, "colno"):
        # The columns are those of the rewritten line.
        frame.colno = frame.end_colno = None
    return frame


def _restore(told, lines):
    """A syntax error in a rewritten line shows the user's own."""
    import linecache

    if told.lineno is not None and int(told.lineno) in lines:
        told.text = linecache.getline(told.filename, int(told.lineno))
        told.offset = None
        if hasattr(told, "end_offset"):
            told.end_offset = None


def cut(text, limit):
    """Head and tail of a text over the limit, with what is left out counted."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    head = limit - tail
    return "%s\n… %d of %d characters left out …\n%s" % (text[:head], len(text) - limit, len(text), text[-tail:])
