"""IPython's idioms (`%magic`, `!command`, `%%cell`, `name?`, prompts) as calls of the shell, one line for one line.

Only the start of a logical line is looked at, so that strings, brackets and continued lines are left alone."""

import re
import sys

from .source import Source

SHELL = "__livetools__"

_DOCUMENT = re.compile(r"<<(?P<tabs>-?)[ \t]*(?P<quote>['\"]?)(?P<word>[A-Za-z_]\w*)(?P=quote)")
_INDENT = re.compile(r"[ \t\f]*")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CELL = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\n)*[ \t\f]*%%(?P<name>!|[A-Za-z_]\w*)(?P<line>[^\n]*)(?:\n|\Z)")
_ASSIGNED = re.compile(
    r"(?P<to>[A-Za-z_(*][\w.,*() \t]*(?:\[[^\]\n]*\][\w.,*() \t]*)*)=[ \t]*(?P<mark>[%!])(?P<rest>(?!=).*)", re.DOTALL
)
_HELP = re.compile(
    r"(?:(?P<before>\?\??)[ \t]*(?P<what>[%\w.*]+)"
    r"|(?P<name>%{0,2}[A-Za-z_][\w.]*(?:\[[^\]\n]*\])?)[ \t]*(?P<after>\?\??))"
    r"[ \t]*;?[ \t]*(?:#.*)?\Z"
)
_PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)", re.MULTILINE)
_NUMBERED = re.compile(r"^(?:In \[\d+\]: ?|[ \t]*\.\.\.+: ?)", re.MULTILINE)
_POINT = re.compile(r"""(?P<prefix>(?<!\w)[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|")|[\[({})\]]|#[^\n]*|\\\n|\n""")
_IN_FSTRING = re.compile(r"\\[\\'\"]|\{\{|\{|\n|'''|\"\"\"|'|\"")
_NESTED_QUOTES = sys.version_info >= (3, 12)

_HELD = SHELL + ".held("

# The body of these is Python that belongs to the namespace: the cell runs as usual, with them around it.
_AROUND = ("time", "capture")


def rewrite(code):
    """The Python of a cell with idioms."""
    code = _without_prompts(code)
    cell = _CELL.match(code)
    if cell:
        return _cell_magic(code, cell)
    return Source(*_lines(_dedented(code)))


def _cell_magic(code, cell):
    name, line = cell["name"], cell["line"].strip()
    before = code.count("\n", 0, cell.start("name"))
    body = code[cell.end() :]
    if name in _AROUND:
        inner = rewrite("\n" * (before + 1) + body)
        return Source(inner.text, inner.rewritten, ((name, line), *inner.around))
    text = "%s%s.cell(%r, %r, %s)" % ("\n" * before, SHELL, name, line, _literal(body))
    return Source(text, (before + 1,))


def _literal(text):
    return ascii(text)


def _without_prompts(code):
    first = code.lstrip()
    if first.startswith(">>>"):
        return _PROMPT.sub("", _dedented(code))
    if first.startswith("In ["):
        return _NUMBERED.sub("", _dedented(code))
    return code


def _dedented(code):
    """Without the indentation of the first line that says something."""
    first = re.match(r"(?:[ \t\f]*(?:#[^\n]*)?\n)*([ \t\f]+)[^\s#]", code)
    if not first:
        return code
    indent = first[1].lstrip("\f")
    return "\n".join(line[len(indent) :] if line.startswith(indent) else line for line in code.split("\n"))


def _lines(code):
    """The text with its idioms rewritten, and the numbers of the lines concerned."""
    out, rewritten, at, number = [], [], 0, 1
    while at < len(code):
        indent = _INDENT.match(code, at).end()
        line_end = code.find("\n", indent)
        line_end = len(code) if line_end < 0 else line_end
        call = None
        if indent < line_end:
            physical = code[indent:line_end]
            if physical[0] in "%!?" or "=" in physical or "?" in physical:
                joined, end = _continued(code, indent, line_end)
                call = _call(joined, number)
                if call is not None and "<<" in joined:
                    # A document in the line of a shell goes on to the line that ends it.
                    further = _document_end(code, joined, end)
                    call = call if further == end else _call(joined + code[end:further], number)
                    end = further
        if call is None:
            end = _logical_end(code, at)
            out.append(code[at:end])
            number += code.count("\n", at, end)
            at = end
            continue
        more = code.count("\n", indent, end)
        out.append(code[at:indent] + call + "\n" * more)
        rewritten.extend(range(number, number + more + 1))
        number += more
        at = end
        if at < len(code):
            out.append("\n")
            number += 1
            at += 1
    return "".join(out), rewritten


def _continued(code, start, end):
    """A line with those that a backslash joins to it, as one; and where it ends."""
    parts = []
    while code[start:end].endswith("\\") and end < len(code):
        parts.append(code[start : end - 1])
        start = end + 1
        end = code.find("\n", start)
        end = len(code) if end < 0 else end
    parts.append(code[start:end])
    return " ".join(parts), end


def _document_end(code, line, end):
    document = _DOCUMENT.search(line)
    if not document or not re.match(r"!|[^!]*=[ \t]*!", line):
        return end
    last = re.compile(r"^%s%s$" % (r"\t*" if document["tabs"] else "", re.escape(document["word"])), re.MULTILINE)
    found = last.search(code, end)
    return found.end() if found else end


def _call(line, number):
    """The Python for a logical line that is an idiom, else None."""
    helped = _HELP.match(line) if "?" in line else None
    if helped:
        what = helped["what"] or helped["name"]
        marks = helped["before"] or helped["after"]
        return "%s.help(%r, %r)" % (SHELL, what, len(marks) > 1)
    if line.startswith("%%"):
        name = _NAME.match(line, 2)
        if name:
            from .errors import UsageError

            # What follows is no Python: it would be told as a wrong syntax of its own.
            raise UsageError(
                "%%%%%s is a cell magic: it stands on the first line of a cell, not on line %d. Nothing of the cell has run"
                % (name[0], number)
            )
        return None
    if line.startswith("%"):
        return _magic(line[1:], statement=True)
    if line.startswith("!!"):
        return "%s.captured(%s)" % (SHELL, _literal(line[2:]))
    if line.startswith("!"):
        return "%s.system(%s)" % (SHELL, _literal(line[1:]))
    assigned = _ASSIGNED.match(line)
    if not assigned:
        return None
    if assigned["mark"] == "!":
        call = "%s.captured(%s)" % (SHELL, _literal(assigned["rest"].lstrip("!")))
    else:
        call = _magic(assigned["rest"], statement=False)
    return None if call is None else "%s= %s" % (assigned["to"], call)


def _magic(text, statement):
    name = _NAME.match(text.lstrip())
    if not name:
        return None
    name, rest = name[0], text.lstrip()[name.end() :].strip()
    if name == "time" and rest:
        return _timed(rest, statement)
    return "%s.line(%r, %s)" % (SHELL, name, _literal(rest))


def _timed(rest, statement):
    # In place, so that names are bound and `await` works where the line stands.
    import warnings

    try:
        with warnings.catch_warnings():
            # Compiled again where it stands.
            warnings.simplefilter("ignore")
            compile(rest, "<time>", "eval", 0x2000 | 0x400, True)
        return "%s.stop(%s.start(), (%s))" % (SHELL, SHELL, rest.rstrip(";"))
    except (SyntaxError, ValueError):
        # A loop cannot follow `with …:` on its line: it comes to stand there when the cell is parsed.
        return "with %s.timed(): %s" % (SHELL, _HELD + _literal(rest) + ")") if statement else None


def unfold(tree, text, name):
    """Puts the statements that a cell's text only holds into its tree."""
    if _HELD not in text:
        return tree
    import ast

    class Unfolding(ast.NodeTransformer):
        def visit_Expr(self, node):
            call = node.value
            if not isinstance(call, ast.Call) or ast.unparse(call.func) + "(" != _HELD:
                return node
            return ast.parse("\n" * (node.lineno - 1) + call.args[0].value, name).body

    return Unfolding().visit(tree)


def _logical_end(code, at):
    """Where the logical line that begins at `at` ends, its newline included."""
    depth = 0
    while True:
        point = _POINT.search(code, at)
        if not point:
            return len(code)
        at = point.end()
        found = point[0]
        if found == "\n":
            if depth <= 0:
                return at
        elif point["quote"]:
            at = _string_end(code, at, point["prefix"], point["quote"])
        elif found in ("(", "[", "{"):
            depth += 1
        elif found in (")", "]", "}"):
            depth -= 1


def _string_end(code, at, prefix, quote):
    if _NESTED_QUOTES and ("f" in prefix.lower() or "t" in prefix.lower()):
        return _fstring_end(code, at, quote)
    while True:
        end = code.find(quote, at)
        if len(quote) == 1:
            newline = _unescaped_newline(code, at, end)
            if newline is not None:
                return newline
        if end < 0:
            return len(code)
        if _escaped(code, at, end):
            at = end + 1
            continue
        return end + len(quote)


def _escaped(code, start, at):
    count = 0
    while at - count - 1 >= start and code[at - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def _unescaped_newline(code, at, end):
    stop = len(code) if end < 0 else end
    newline = code.find("\n", at, stop)
    while newline >= 0 and _escaped(code, at, newline):
        newline = code.find("\n", newline + 1, stop)
    return newline if newline >= 0 else None


def _fstring_end(code, at, quote):
    while True:
        point = _IN_FSTRING.search(code, at)
        if not point:
            return len(code)
        found = point[0]
        at = point.end()
        if found == "{":
            at = _field_end(code, at)
        elif found[0] in "'\"" and code.startswith(quote, point.start()):
            return point.start() + len(quote)
        elif found[0] in "'\"":
            at = point.start() + 1
        elif found == "\n" and len(quote) == 1:
            return point.start()


_IN_FIELD = re.compile(r"""(?P<prefix>(?<!\w)[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|")|[\[({})\]:\n]""")
_IN_FORMAT = re.compile(r"[{}\n]")


def _field_end(code, at):
    """Behind the brace that closes a replacement field; its format has no strings."""
    depth = 0
    pattern = _IN_FIELD
    while True:
        point = pattern.search(code, at)
        if not point:
            return len(code)
        found = point[0]
        at = point.end()
        if pattern is _IN_FORMAT:
            if found == "{":
                at = _field_end(code, at)
            else:
                return at if found == "}" else point.start()
        elif point["quote"]:
            at = _string_end(code, at, point["prefix"], point["quote"])
        elif found in ("(", "[", "{"):
            depth += 1
        elif found == "}" and depth == 0:
            return at
        elif found in (")", "]", "}"):
            depth -= 1
        elif found == ":" and depth == 0:
            pattern = _IN_FORMAT
