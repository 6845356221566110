"""A cell: compiled, run in `__main__`, its last expression echoed, its error told from the user's code on."""

import __future__

import _ast
import builtins
import sys
from _contextvars import copy_context
from _weakref import ref
from contextlib import ExitStack
from sys import gettrace, settrace

from .originals import restored
from .pretty import PLAIN, pretty
from .source import normalised, prepare

_COROUTINE = 0x80
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag
_FUTURES &= ~0x10  # CO_NESTED has the bit of a nested function today

RESULTS_KEPT = 20
LARGE = 1 << 20


class Cells:
    """The user's namespace and what runs in it."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.flags = 0
        self.trace = None
        self.told = []
        self.main = type(sys)("__main__")
        self.names = self.main.__dict__
        self.names["__builtins__"] = builtins
        sys.modules["__main__"] = self.main
        sys.argv = [""]
        sys.path.insert(0, "")
        self.history = History(self.names)
        self.rewritten = {}
        self.sources = {}
        self.classes = {}

    def run(self, cell, code, file=None):
        """Runs a cell; gives the fields of its `done` frame."""
        name = file or "<cell %s>" % cell
        interrupts = self.kernel.interrupts
        try:
            try:
                interrupts.begin(cell)
                self.kernel.freshness.look()
                try:
                    self._execute(normalised(code), name)
                finally:
                    self._finish_figures()
                return {"status": "ok"}
            finally:
                interrupts.end()
        except SystemExit as leave:
            interrupts.end()
            return {"status": "exit", "exit_code": self._exit_code(leave)}
        except BaseException as error:
            interrupts.end()
            return self.failed(error, interrupts.taken > 0 and _comes_of_an_interrupt(error))

    def _finish_figures(self):
        if "matplotlib._pylab_helpers" not in sys.modules or not self.kernel.wire.mine:
            return
        self.kernel.wire.release()
        try:
            from . import figures

            figures.finish()
        except Exception as error:
            self.kernel.say("a figure could not be shown: %s: %s\n" % (type(error).__name__, error))

    def inner(self, code):
        """Runs code inside the running cell, as `%load` and `get_ipython().run_cell` do."""
        name = "<cell %s, inner>" % self.kernel.cell
        code = normalised(code)
        self._remember(code, name)
        for step, echoed in self.steps(prepare(code), name):
            value = eval(step, self.names)
            if step.co_flags & _COROUTINE:
                value.close()
                raise SyntaxError("await works at the top of a cell, not in code that is run inside it")
            if echoed and value is not None:
                self._echo(value)

    def _remember(self, code, name):
        """Keeps the lines of a cell for tracebacks and `inspect`."""
        self.sources[name] = (len(code), None, [line + "\n" for line in code.split("\n")], name)
        if "linecache" in sys.modules:
            self.linecache_imported(sys.modules["linecache"])

    def linecache_imported(self, module):
        module.cache.update(self.sources)
        self.sources.clear()

    def described(self, error):
        """The fields of an `error` frame."""
        try:
            from .errors import describe

            with restored:
                return describe(error, self.rewritten)
        except BaseException:
            # What it is made with is broken by what a cell has replaced.
            name = type(error).__name__
            message = next((part for part in error.args if type(part) is str), "")[:1000]
            return {"name": name, "message": message, "traceback": "%s: %s\n" % (name, message)}

    def failed(self, error, interrupted=False):
        """Tells of the error that has ended a cell; gives the fields of its `done` frame."""
        described = self.described(error)
        replaced = restored.missing()
        if replaced and replaced != self.told:
            self.told = replaced
            some = ", ".join(replaced[:10]) + (", …" if len(replaced) > 10 else "")
            self.kernel.notice("builtins that cells have replaced: %s; if that is why, reset gives clean ones" % some)
        if self.kernel.wire.mine:
            self.kernel.publish("error", described)
        else:
            self.kernel.say(described["traceback"])
        return {"status": "interrupted" if interrupted else "error"}

    def _exit_code(self, leave):
        code = leave.code
        if code is None:
            return 0
        if isinstance(code, int):
            return int(code)
        self.kernel.say("%s\n" % (code,))
        return 1

    def _execute(self, code, name):
        self.history.begin(code)
        self._remember(code, name)
        self.rewritten.pop(name, None)
        source = prepare(code)
        if source.rewritten:
            self.rewritten[name] = source.rewritten
        steps = self.steps(source, name)
        with ExitStack() as around:
            for wrapper, line in source.around:
                around.enter_context(self.kernel.shell.around(wrapper, line))
            try:
                self._play(steps, not source.around)
            finally:
                if "class" in code:
                    self._note_classes(name)

    def _note_classes(self, name):
        """Remembers for the sake of `inspect` which classes are this cell's: another may define one of the same name."""
        for kind in list(self.names.values()):
            if issubclass(type(kind), type) and self.defined_in(kind) is None:
                self.classes[id(kind)] = (ref(kind), name)

    def defined_in(self, kind):
        """The name of a cell."""
        known, name = self.classes.get(id(kind), (None, None))
        return name if known is not None and known() is kind else None

    def steps(self, source, name):
        """The compiled cell: pairs of code and whether its value is echoed."""
        text = source.text
        kinds = _ast.PyCF_ONLY_AST | _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        tree = compile(text, name, "exec", kinds | self.flags, True)
        if source.rewritten:
            from .idioms import unfold

            with restored:
                tree = unfold(tree, text, name)
        last = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr) and not _silenced(text):
            last = tree.body.pop()
        flags = _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | self.flags
        steps = []
        if tree.body or last is None:
            body = compile(tree, name, "exec", flags, True)
            self.flags |= body.co_flags & _FUTURES
            steps.append((body, False))
        if last is not None:
            steps.append((compile(_ast.Expression(last.value), name, "eval", flags | self.flags, True), True))
        return steps

    def _play(self, steps, ends_with_it):
        if any(code.co_flags & _COROUTINE for code, _ in steps):
            left = []
            try:
                self.kernel.event_loop().complete(self._play_async(steps, left))
            finally:
                # What a cell sets in its context (numpy's print options are there) is set for the next ones too.
                for variable, value in left:
                    variable.set(value)
            return
        if self.kernel.loop is not None:
            self.kernel.loop.enter()
        try:
            for code, echoed in steps:
                value = self._evaluate(code)
                if echoed and value is not None:
                    self._echo(value, ends_with_it)
        finally:
            if self.kernel.loop is not None:
                self.kernel.loop.leave()

    def _evaluate(self, code):
        """A trace function that a cell has set sees cells, not the kernel."""
        if self.trace is not None:
            settrace(self.trace)
        try:
            return eval(code, self.names)
        finally:
            self.trace = gettrace()
            if self.trace is not None:
                settrace(None)

    async def _play_async(self, steps, left):
        try:
            for code, echoed in steps:
                value = self._evaluate(code)
                if code.co_flags & _COROUTINE:
                    value = await value
                if echoed and value is not None:
                    self._echo(value)
        finally:
            left.extend(copy_context().items())

    def _echo(self, value, is_last=False):
        self.history.keep(value)
        if type(value) in PLAIN and not self.kernel.displays.sinks:
            self.kernel.publish("result", {"data": {"text/plain": pretty(value)}}, is_last)
        else:
            self.kernel.displays.result(value, is_last)


def _comes_of_an_interrupt(error):
    """False for the error of a cell that caught the interrupt and went on."""
    for _ in range(100):
        if error is None or isinstance(error, KeyboardInterrupt):
            break
        error = error.__cause__ or error.__context__
    return error is not None


def _silenced(code):
    """Whether the last token is a semicolon, comments apart."""
    if ";" not in code:
        return False
    last = code.rstrip().rpartition("\n")[2]
    if last.endswith(";") and "#" not in last and "'" not in last and '"' not in last:
        return True
    if ";" not in last and "#" not in last:
        return False
    end = None
    try:
        import io
        from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, generate_tokens

        skipped = (COMMENT, NL, NEWLINE, ENDMARKER, INDENT, DEDENT)
        with restored:
            for token in generate_tokens(io.StringIO(code).readline):
                if token.type not in skipped:
                    end = token.string
    except Exception:
        # No Python, or the tokenizer is broken by what a cell has replaced.
        pass
    return end == ";"


class History:
    """`In`, `Out`, `_`, `__`, `___` and `_n`, only as far back as keeps nothing large alive."""

    def __init__(self, names):
        self.names = names
        self.sources = [""]
        self.out = {}
        self.last = []

    @property
    def count(self):
        return len(self.sources) - 1

    def begin(self, code):
        self.sources.append(code)
        self.names.setdefault("In", self.sources)
        self.names.setdefault("Out", self.out)
        # A cell may have cleared its globals, or replaced them all.
        self.names["__name__"] = "__main__"
        self.names["__builtins__"] = builtins
        # By line number: a warning of another cell has not been shown yet.
        self.names.pop("__warningregistry__", None)

    def forget(self):
        self.out.clear()
        self.last = []

    def keep(self, value):
        names, count = self.names, self.count
        if not _large(value):
            self.out[count] = value
            names["_%d" % count] = value
            if len(self.out) > RESULTS_KEPT:
                old = next(iter(self.out))
                dropped = self.out.pop(old)
                if names.get("_%d" % old) is dropped:
                    del names["_%d" % old]
        # A `_` of the user's own (gettext's) stays.
        if "_" in names and not (self.last and names["_"] is self.last[0]):
            return
        self.last = [value, *(earlier for earlier in self.last[:2] if not _large(earlier))]
        for name, earlier in zip(("_", "__", "___"), self.last):
            names[name] = earlier


def _large(value):
    try:
        return sys.getsizeof(value) > LARGE
    except Exception:
        return True


