"""The kernel's one event loop: cells await on it, and the tasks that they leave behind go on while it is idle."""

import asyncio
import contextlib
import functools
import os
import sys
from asyncio import events

_INTERNAL = (os.path.dirname(asyncio.__file__), os.path.dirname(os.path.abspath(__file__)))
_CURRENT_TASK_OF_THREAD = sys.version_info >= (3, 14)


class Loop:
    """While a cell without `await` runs, the resting loop passes for the running one, so that `create_task` works."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.task = None
        self.idling = False
        self.cancelled = None
        self.failed = []
        self.leaving = []
        self.stands_still = False
        self.loop = self._made()
        kernel.interrupts.cancel = self.cancel
        asyncio.run = asyncio.runners.run = self.outside(asyncio.run)
        if hasattr(asyncio, "Runner"):
            asyncio.Runner.run = self.outside(asyncio.Runner.run)
        base = asyncio.base_events.BaseEventLoop
        base.run_until_complete = self.outside(base.run_until_complete)
        base.run_forever = self.outside(base.run_forever)

    def outside(self, call):
        """The call as it is where no loop runs: another loop may run inside a cell."""

        @functools.wraps(call)
        def outside(*arguments, **keywords):
            running = events._get_running_loop()
            if running is not self.loop:
                return call(*arguments, **keywords)
            task = None
            if _CURRENT_TASK_OF_THREAD and running.is_running():
                task = asyncio.tasks._swap_current_task(running, None)
            events._set_running_loop(None)
            try:
                return call(*arguments, **keywords)
            finally:
                events._set_running_loop(running)
                if task is not None:
                    asyncio.tasks._swap_current_task(running, task)

        return outside

    def open(self):
        """The loop, made anew when a cell has closed it."""
        if self.loop.is_closed():
            self.loop = self._made()
        return self

    def _made(self):
        loop = asyncio.new_event_loop()
        create = loop.create_task

        # Not a factory: the user may set one, and Python 3.13.0 forgets the names of its tasks.
        @functools.wraps(create)
        def create_task(coroutine, **keywords):
            task = create(coroutine, **keywords)
            task.add_done_callback(self._ended)
            return task

        with contextlib.suppress(AttributeError):
            loop.create_task = create_task
        return loop

    def _ended(self, task):
        # What asyncio itself goes by when it tells of it, which is only when the task is collected.
        if getattr(task, "_log_traceback", False):
            self.failed.append(task)

    def tell_failed(self):
        """At the end of a cell: what failed in the background and was awaited by nobody, while the task is still held."""
        failed, self.failed = self.failed, []
        leaving, self.leaving = self.leaving, []
        for error in leaving:
            # Of a callback: a task keeps its own.
            if not any(task._exception is error for task in failed):
                self.kernel.tell("", error)
        for task in failed:
            if getattr(task, "_log_traceback", False):
                task._log_traceback = False
                self.kernel.tell("Task %s failed, and nothing has awaited it:\n" % task.get_name(), task.exception())

    def enter(self):
        """For a cell without `await`, or for the rest of one that has just imported asyncio."""
        self.open()
        events._set_running_loop(self.loop)

    def leave(self):
        events._set_running_loop(None)

    def complete(self, coroutine):
        """Runs the coroutine of a cell to its end."""
        events._set_running_loop(None)
        self.task = task = self.open().loop.create_task(coroutine)
        self.cancelled = None
        try:
            self._run_out(task)
        except KeyboardInterrupt:
            # Another task was running: the cell's own is still to be ended.
            if not task.done():
                task.cancel()
                with contextlib.suppress(BaseException):
                    self.loop.run_until_complete(task)
            raise
        except asyncio.CancelledError as error:
            if self.cancelled is not task:
                raise
            raise KeyboardInterrupt().with_traceback(_where(error)) from None
        finally:
            self.task = None
            if task.done() and not task.cancelled():
                # Told by the cell; asyncio need not tell it again.
                task.exception()

    def _run_out(self, task):
        while True:
            try:
                return self.loop.run_until_complete(task)
            except SystemExit as error:
                if task.done():
                    raise
                # Another task's, or a callback's: it ends no cell that does not await it.
                self._left(error)

    def _left(self, error):
        self.leaving.append(error)
        # Now the task that it comes from is told that it has ended.
        self.loop.call_soon(self.loop.stop)
        try:
            self.loop.run_forever()
        except SystemExit as another:
            self._left(another)

    def cancel(self, frame):
        """On an interrupt: cancels the cell's task when the loop only waits; False when code of a cell is running."""
        task = self.task
        if task is None or task.done() or self.cancelled is task or not self._waits(frame):
            return False
        self.cancelled = task
        self.loop.call_soon_threadsafe(task.cancel)
        return True

    def _waits(self, frame):
        while frame is not None:
            code = frame.f_code
            if code.co_name == "_run_once" and frame.f_locals.get("self") is self.loop:
                return True
            if not code.co_filename.startswith(_INTERNAL) and not code.co_filename.endswith("selectors.py"):
                return False
            frame = frame.f_back
        return False

    def wake(self):
        """From another thread: a request is there."""
        try:
            self.loop.call_soon_threadsafe(self._stop)
        except Exception:
            # Closed, or asyncio is broken by what a cell has replaced: then nothing idles on it.
            pass

    def _stop(self):
        if self.idling:
            self.loop.stop()

    def idle(self, queue):
        """Lets the tasks go on until there is a request; gives it."""
        self.open()
        self.idling = True
        try:
            while queue.empty():
                try:
                    self.loop.run_forever()
                    self.stands_still = False
                except KeyboardInterrupt:
                    pass
                except SystemExit as error:
                    self._left(error)
                except BaseException as error:
                    # No task's: the loop itself is broken by what a cell has replaced, and would raise for ever.
                    if not self.stands_still:
                        self.kernel.tell("The event loop stands still:\n", error)
                    self.stands_still = True
                    break
        finally:
            self.idling = False
        return queue.get()


def _where(error):
    """The traceback of a cancellation that names a cell: before Python 3.11 it is that of what was awaited."""
    found = error
    while found is not None:
        entry = found.__traceback__
        while entry is not None:
            if not entry.tb_frame.f_code.co_filename.startswith(_INTERNAL):
                return found.__traceback__
            entry = entry.tb_next
        found = found.__context__
    return error.__traceback__
