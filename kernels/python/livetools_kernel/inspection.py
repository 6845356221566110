"""`name?` and `name??`: signature, documentation and source, printed."""

import fnmatch
import inspect

LIMIT = 16_000


def tell(what, everything, frame):
    """Prints about a name of the caller's, a magic, or all names that a pattern with `*` matches."""
    names = dict(frame.f_globals)
    names.update(frame.f_locals)
    if what.startswith("%"):
        _magic(what.lstrip("%"))
        return
    if "*" in what:
        import builtins

        print("\n".join(sorted(name for name in {**vars(builtins), **names} if fnmatch.fnmatch(name, what))))
        return
    try:
        value = eval(what, frame.f_globals, names)
    except Exception:
        print("Object `%s` not found." % what)
        return
    lines = []
    if callable(value):
        try:
            lines.append("Signature: %s%s" % (what.rpartition(".")[2], inspect.signature(value)))
        except (TypeError, ValueError):
            pass
    lines.append("Type:      %s" % type(value).__name__)
    if not callable(value) and not inspect.ismodule(value):
        from .pretty import pretty

        lines.append("Value:     %s" % pretty(value)[:1000])
    source = None
    if everything:
        try:
            source = inspect.getsource(value)
        except (TypeError, OSError):
            pass
    if source is None:
        lines.append("Docstring: %s" % (inspect.getdoc(value) or "<no docstring>"))
    else:
        lines.append("Source:\n%s" % source)
    try:
        lines.append("File:      %s" % inspect.getfile(value if not _is_plain(value) else type(value)))
    except (TypeError, OSError):
        pass
    text = "\n".join(lines)
    print(text if len(text) <= LIMIT else text[:LIMIT] + "\n… %d characters left out" % (len(text) - LIMIT))


def _is_plain(value):
    return not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value))


def _magic(name):
    from . import cell_magics, line_magics, magics

    call = magics.LINE.get(name) or magics.CELL.get(name) or magics.AROUND.get(name)
    print(inspect.getdoc(call) or "%%%s is known here" % name if call else magics.unknown("%" + name))
