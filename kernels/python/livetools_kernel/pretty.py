"""`repr` over several lines where it is long, bounded in size and time whatever the value holds."""

from time import monotonic

WIDTH = 79
ITEMS = 1_000
LIMIT = 64 * 1024
# Of bytes little is read: their beginning says what they are.
BYTES = 2_000
SECONDS = 2.0
DEPTH = 60

# Values whose text no display protocol can change.
PLAIN = frozenset(
    (int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None), range)
)

_OPEN = {list: "[", tuple: "(", set: "{", frozenset: "frozenset({", dict: "{"}
_CLOSE = {list: "]", tuple: ")", set: "}", frozenset: "})", dict: "}"}


def pretty(value):
    """The echo of a value: at most 64 KiB, head and tail."""
    kind = type(value)
    if kind is str or kind is bytes or kind is bytearray:
        return _long(value, LIMIT if kind is str else BYTES)
    if kind not in _OPEN:
        return bounded(repr(value))
    return bounded(_Printer().text(value, 0))


def bounded(text, limit=LIMIT):
    """Head and tail of a text, with its true length in between."""
    if len(text) <= limit:
        return text
    tail = limit // 4
    return "%s\n… %d of %d characters left out …\n%s" % (
        text[: limit - tail],
        len(text) - limit,
        len(text),
        text[-tail:],
    )


def _long(value, limit):
    if len(value) <= limit:
        return bounded(repr(value), limit)
    tail = limit // 4
    unit = "characters" if isinstance(value, str) else "bytes"
    middle = "… %d of %d %s left out …" % (len(value) - limit, len(value), unit)
    return "%s\n%s\n%s" % (bounded(repr(value[: limit - tail]), limit), middle, bounded(repr(value[-tail:]), limit))


class _Printer:
    """One walk over a value, with what is left to be written and when to stop."""

    def __init__(self):
        self.left = LIMIT * 2
        self.until = monotonic() + SECONDS
        self.inside = []

    def text(self, value, indent):
        kind = type(value)
        if kind is str or kind is bytes or kind is bytearray:
            text = _long(value, max(200, min(self.left, LIMIT if kind is str else BYTES)))
        elif kind in _OPEN and kind.__repr__ is _REPRS[kind]:
            return self._container(value, kind, indent)
        else:
            text = repr(value)
            if len(text) > LIMIT:
                text = bounded(text)
        self.left -= len(text)
        return text

    def _container(self, value, kind, indent):
        if not value:
            return repr(value)
        opened, closed = _OPEN[kind], _CLOSE[kind]
        if any(value is outer for outer in self.inside):
            return opened + "..." + closed
        if len(self.inside) >= DEPTH:
            return opened + "..." + closed
        self.inside.append(value)
        try:
            parts = self._parts(value, kind, indent + len(opened))
        finally:
            self.inside.pop()
        if kind is tuple and len(value) == 1:
            return opened + parts[0] + "," + closed
        if indent + sum(map(len, parts)) + 2 * len(parts) <= WIDTH and not any("\n" in part for part in parts):
            return opened + ", ".join(parts) + closed
        return opened + (",\n" + " " * (indent + len(opened))).join(parts) + closed

    def _parts(self, value, kind, indent):
        parts = []
        items = value.items() if kind is dict else value
        if kind is set or kind is frozenset:
            items = _sorted(value)
        for item in items:
            if len(parts) >= ITEMS or self.left <= 0 or monotonic() > self.until:
                parts.append("... (%d items in all)" % len(value) if len(value) > ITEMS else "...")
                break
            if kind is dict:
                key = self.text(item[0], indent)
                width = len(key.rpartition("\n")[2]) + 2
                parts.append("%s: %s" % (key, self.text(item[1], indent + width)))
            else:
                parts.append(self.text(item, indent))
            self.left -= 2
        return parts


def _sorted(values):
    if len(values) > ITEMS:
        return values
    try:
        return sorted(values)
    except Exception:
        return values


_REPRS = {kind: kind.__repr__ for kind in _OPEN}
