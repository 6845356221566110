"""Where a class of a cell stands: Python knows that of functions only, whose code names their file."""

import ast

from .originals import restored
from .source import prepare


def place(kind, cells, cache):
    """The name of the cell and the lines of it, with the index of the first of the class; None for one of elsewhere."""
    inside = next(_code(kind), None)
    known = cells.defined_in(kind) if inside is None else inside.co_filename
    for name in [known] if known else reversed(list(cache)):
        if not name.startswith("<cell ") or name not in cache:
            continue
        lines = cache[name][2]
        with restored:
            found = list(_definitions(_tree("".join(lines)), kind.__qualname__, ()))
        if found:
            return name, lines, _chosen(found, kind, inside) - 1
    return None


def _code(kind):
    """The code of methods that stand in the class itself."""
    for value in vars(kind).values():
        value = getattr(value, "fget", None) or getattr(value, "__func__", value)
        code = getattr(value, "__code__", None)
        within = getattr(value, "__qualname__", "")
        # What `dataclass` and its like make is of no file.
        made = code is None or code.co_filename.startswith("<") and not code.co_filename.startswith("<cell ")
        if not made and within == "%s.%s" % (kind.__qualname__, code.co_name):
            yield code


def _tree(text):
    try:
        return ast.parse(prepare(text).text)
    except (SyntaxError, ValueError):
        return ast.parse("")


def _definitions(node, wanted, outer):
    """First and last line of each class of that qualified name, decorators included."""
    for child in ast.iter_child_nodes(node):
        within = outer
        if isinstance(child, ast.ClassDef):
            within = (*outer, child.name)
            if ".".join(within) == wanted:
                yield min([child.lineno, *(each.lineno for each in child.decorator_list)]), child.end_lineno
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            within = (*outer, child.name, "<locals>")
        yield from _definitions(child, wanted, within)


def _chosen(found, kind, inside):
    line = vars(kind).get("__firstlineno__") if inside is None else inside.co_firstlineno
    around = [first for first, last in found if line is not None and first <= line <= last]
    return (around or [first for first, _ in found])[-1]
