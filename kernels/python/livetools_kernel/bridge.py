"""`tool(...)`: calls of the harness's tools over the kernel's own pipe."""

from _thread import allocate_lock, get_ident

from .plain import plain, with_bytes
from .wire import TooLarge


class ToolError(Exception):
    """A tool's failure: its message, with `.tool` and `.code`."""

    def __init__(self, message, tool=None, code=None):
        super().__init__(message)
        self.tool = tool
        self.code = code


ToolError.__module__ = "builtins"


class Bridge:
    """The calls that are on their way, matched with replies by id."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.lock = allocate_lock()
        self.waiting = {}
        self.last = 0
        self.listed = None
        self.cell = None

    def begin(self, cell):
        with self.lock:
            self.cell = cell

    def replied(self, request):
        """On the reader's thread."""
        with self.lock:
            call = self.waiting.pop(request.get("id"), None)
        if call is not None:
            call.settle(request)

    def end(self):
        """The cell is done: what it still waits for is given up."""
        with self.lock:
            self.cell = None
            left, self.waiting = list(self.waiting.values()), {}
        for call in left:
            self.kernel.wire.send({"t": "cancel", "id": call.id}, ordered=False)
            call.settle({"ok": False, "code": "cancelled", "message": "the cell ended before %s answered" % call.name})
        if left:
            names = ", ".join(sorted({call.name for call in left}))
            self.kernel.notice("cancelled with the end of the cell, unanswered: %s" % names)

    def start(self, name, params, settle):
        """Sends a call; `settle` is told its reply on the reader's thread."""
        kernel = self.kernel
        if not kernel.wire.mine:
            raise ToolError(
                "tools cannot be called from a forked process; call them in the kernel's own", name, "forked"
            )
        if not kernel.tools:
            raise ToolError("this kernel has no tools", name, "no_tools")
        try:
            params = plain(params, "params")
        except (TypeError, ValueError) as error:
            raise ToolError("%s: %s" % (name, error), name, "bad_params") from None
        owner = kernel.owners.current()
        with self.lock:
            cell = self.cell
            if cell is not None and owner in (None, cell):
                self.last += 1
                call = self.waiting[self.last] = _Call(self.last, name, settle)
            else:
                call = None
        if call is None:
            raise ToolError(_too_late(owner, name or "tools()", kernel.interrupts.main), name, "cell_ended")
        try:
            kernel.wire.send({"t": "call", "id": call.id, "cell": cell, "name": name, "params": params}, ordered=False)
        except TooLarge:
            self.drop(call)
            message = "%s: its parameters are over the limit of 64 MiB; put what is large into a file" % name
            raise ToolError(message, name, "too_large") from None
        return call

    def drop(self, call):
        with self.lock:
            return self.waiting.pop(call.id, None) is not None

    def give_up(self, call):
        if self.drop(call):
            self.kernel.wire.send({"t": "cancel", "id": call.id}, ordered=False)

    def call(self, name, params):
        """Calls and waits, on this thread alone."""
        answered = allocate_lock()
        answered.acquire()
        box = []

        def settle(reply):
            box.append(reply)
            answered.release()

        call = self.start(name, params, settle)
        try:
            answered.acquire()
        except BaseException:
            self.give_up(call)
            raise
        return self._value(name, box[0])

    async def acall(self, name, params):
        """Calls and awaits."""
        import asyncio

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def settle(reply):
            try:
                loop.call_soon_threadsafe(lambda: future.done() or future.set_result(reply))
            except RuntimeError:
                pass

        call = self.start(name, params, settle)
        try:
            reply = await future
        except BaseException:
            self.give_up(call)
            raise
        return self._value(name, reply)

    def _value(self, name, reply):
        if reply.get("ok"):
            return with_bytes(reply.get("value"))
        raise ToolError(str(reply.get("message") or "the call failed without a word"), name, reply.get("code"))

    def tools(self):
        """What may be called: dicts with `name`, `description`, `inputSchema`."""
        found = self.call("", None)
        self.listed = [entry.get("name") for entry in found if isinstance(entry, dict)]
        return found

    def names(self):
        if self.listed is None:
            self.tools()
        return self.listed


def _too_late(owner, name, main):
    started = "task" if get_ident() == main else "thread"
    ended = "the cell" if owner is None else "cell %d" % owner
    return (
        "%s has ended, which started this %s: its call of %s comes too late. A running cell may call tools, in threads "
        "and tasks that it starts itself and in what it submits to a ThreadPoolExecutor" % (ended, started, name)
    )


class _Call:
    __slots__ = ("id", "name", "settle")

    def __init__(self, id, name, settle):
        self.id, self.name, self.settle = id, name or "tools()", settle


def _params(name, params, keywords):
    if params is None:
        params = {}
    if not isinstance(params, dict):
        raise ToolError(
            'the parameters of %s are a dict or keywords, not %s: tool("%s", {…})'
            % (name, type(params).__name__, name),
            name,
            "bad_params",
        )
    return {**params, **keywords}


class Tools:
    """`tool("read", {"path": "a.txt"})`, `tool.read(path="a.txt")`, `await tool.aread(path="a.txt")`."""

    def __init__(self, bridge):
        self.__dict__["_bridge"] = bridge

    def __call__(self, name, params=None, /, **keywords):
        if not isinstance(name, str) or not name:
            raise ToolError('the first argument of tool() is the name of a tool: tool("read", {"path": "a.txt"})')
        return self._bridge.call(name, _params(name, params, keywords))

    async def acall(self, name, params=None, /, **keywords):
        return await self._bridge.acall(name, _params(name, params, keywords))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        bridge = self._bridge
        if name.startswith("a") and len(name) > 1:
            known = bridge.names()
            if name not in known and name[1:] in known:
                name = name[1:]

                async def acall(params=None, /, **keywords):
                    return await bridge.acall(name, _params(name, params, keywords))

                return acall

        def call(params=None, /, **keywords):
            return bridge.call(name, _params(name, params, keywords))

        call.__name__, call.__qualname__ = name, "tool." + name
        return call

    def __dir__(self):
        return [*self._bridge.names(), "acall"]

    def __repr__(self):
        return '<tool("name", {…}); tools() lists what there is>'
