"""The text of a cell as Python: what notebooks accept beyond it is rewritten, line for line."""

import re

from .originals import restored

# What makes it worth to look closer; a false alarm costs milliseconds and changes nothing.
_SUSPECT = re.compile(
    r"^[ \t\f]*(?:[%!?]|>>>|In \[\d)|\?[ \t]*$|=[ \t]*[%!]|\A(?:[ \t\f]*(?:#[^\n]*)?\n)*[ \t\f]+[^\s#]", re.MULTILINE
)


class Source:
    """`text` is compiled; `rewritten` holds the numbers of its lines that are not the user's own; `around` are the
    context managers (as functions of the shell) in which the cell runs."""

    def __init__(self, text, rewritten=(), around=()):
        self.text = text
        self.rewritten = frozenset(rewritten)
        self.around = around


def normalised(code):
    """Line ends as Python counts them, no byte order mark."""
    if code[:1] == "\ufeff":
        code = code[1:]
    if "\r" in code:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
    return code


def prepare(code):
    """The source to compile for a normalised cell."""
    if _SUSPECT.search(code):
        from .idioms import rewrite

        with restored:
            return rewrite(code)
    return Source(code)
