"""What a value shows: a bundle of MIME types by the protocol of notebooks, each bounded."""

import sys
from binascii import b2a_base64

from .pretty import PLAIN, bounded, pretty
from .wire import encode

IMAGE_LIMIT = 5 * 1024 * 1024
IMAGE_SIDE = 8_000
TEXT_LIMIT = 256 * 1024
IMAGES_A_CELL = 20

_METHODS = (
    ("text/html", "_repr_html_"),
    ("text/markdown", "_repr_markdown_"),
    ("image/svg+xml", "_repr_svg_"),
    ("image/png", "_repr_png_"),
    ("image/jpeg", "_repr_jpeg_"),
    ("text/latex", "_repr_latex_"),
    ("application/json", "_repr_json_"),
    ("application/javascript", "_repr_javascript_"),
)
_IMAGES = ("image/png", "image/jpeg")
# In base64, of the first six bytes of a PNG and the first three of a JPEG.
_BEGINNINGS = {"image/png": "iVBORw0K", "image/jpeg": "/9j/"}


class Displays:
    """Turns values into bundles and sends them as the cell's."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.sinks = []
        self.images = 0
        self.ids = 0

    def begin(self):
        self.images = 0

    def result(self, value, is_last=False):
        """The echo of a cell's last expression."""
        if self._shows_itself(value):
            return
        data = self.limited(bundle(value))
        self._figure_shown(value)
        if self.sinks:
            self.sinks[-1].append(data)
        else:
            self.kernel.publish("result", {"data": data}, is_last)

    def display(
        self,
        *values,
        raw=False,
        include=None,
        exclude=None,
        metadata=None,
        transient=None,
        display_id=None,
        clear=False,
        **_,
    ):
        """Shows values now; with `display_id` gives a handle whose `update` shows another in its place."""
        handle = None
        if clear:
            self.clear(wait=True)
        if display_id is not None:
            handle = DisplayHandle(self, None if display_id is True else str(display_id))
        for value in values:
            if raw:
                self.publish(value, display_id=handle and handle.display_id)
            elif not self._shows_itself(value):
                data = bundle(value, include, exclude)
                self._figure_shown(value)
                self.publish(data, display_id=handle and handle.display_id)
        return handle

    def publish(self, data, metadata=None, source=None, *, transient=None, update=False, display_id=None, **_):
        """Sends a bundle."""
        if not isinstance(data, dict):
            raise TypeError("a display's data is a dict of MIME types, not %s" % type(data).__name__)
        display_id = display_id or (transient or {}).get("display_id")
        data = self.limited(_encoded(data))
        if self.sinks:
            self.sinks[-1].append(data)
            return
        frame = {"data": data}
        if display_id is not None:
            frame["id"] = str(display_id)
        if update:
            frame["update"] = True
        self.kernel.publish("display", frame)

    def update_display(self, value, *, display_id, raw=False, **_):
        """Shows a value in the place of an earlier one."""
        data = value if raw else bundle(value)
        self._figure_shown(value)
        self.publish(data, update=True, display_id=display_id)

    def clear(self, wait=False):
        """Drops what the cell has shown so far."""
        if not self.sinks:
            self.kernel.publish("clear", {"wait": bool(wait)})

    def new_id(self):
        self.ids += 1
        return "display-%d" % self.ids

    def _shows_itself(self, value):
        shows = _method(value, "_ipython_display_")
        if shows is None or _is(value, "plotly.basedatatypes", "BaseFigure"):
            return False
        try:
            shows()
            return True
        except NotImplementedError:
            return False

    def _figure_shown(self, value):
        figures = sys.modules.get("livetools_kernel.figures")
        if figures is not None:
            figures.shown(value)

    def limited(self, data):
        """The bundle without what is over its limit, and a word on that in its text."""
        said = []
        kept = {}
        for mime, content in data.items():
            if mime in _IMAGES:
                problem = self._image_problem(mime, content)
                if problem:
                    said.append(problem)
                    continue
            elif mime == "text/plain":
                content = bounded(content)
            else:
                size = _size(content)
                if size > TEXT_LIMIT:
                    said.append("%s of %d characters is over the limit of %d and left out" % (mime, size, TEXT_LIMIT))
                    continue
            kept[mime] = content
        if said:
            kept["text/plain"] = "\n".join([*([kept["text/plain"]] if "text/plain" in kept else []), *said])
        return kept

    def _image_problem(self, mime, content):
        size = len(content) * 3 // 4
        if size > IMAGE_LIMIT:
            return "%s of %.1f MiB is over the limit of 5 MiB and left out" % (mime, size / 1024 / 1024)
        if not content.startswith(_BEGINNINGS[mime]):
            return "%s left out: its bytes are something else" % mime
        sides = _png_sides(content) if mime == "image/png" else None
        if sides and max(sides) > IMAGE_SIDE:
            return "image of %d×%d pixels left out: a side is over %d" % (*sides, IMAGE_SIDE)
        self.images += 1
        if self.images > IMAGES_A_CELL:
            return "image left out: this cell has shown %d already" % IMAGES_A_CELL
        return None


class DisplayHandle:
    """A place in the output that can be shown anew."""

    def __init__(self, displays, display_id=None):
        self._displays = displays
        self.display_id = display_id or displays.new_id()

    def display(self, value, **keywords):
        self._displays.display(value, display_id=self.display_id, **keywords)

    def update(self, value, **keywords):
        self._displays.update_display(value, display_id=self.display_id, **keywords)

    def __repr__(self):
        return "<DisplayHandle display_id=%s>" % self.display_id


def _method(value, name):
    """A method of the protocol, looked up on the type: neither a class nor a mock has one by accident."""
    if isinstance(value, type):
        return None
    found = getattr(type(value), name, None)
    if found is None or not callable(found):
        return None
    return getattr(value, name, None)


def _is(value, module, name):
    return any(kind.__name__ == name and kind.__module__ == module for kind in type(value).__mro__)


def bundle(value, include=None, exclude=None):
    """MIME types to contents; `text/plain` is always there. What raises in a method drops its type alone."""
    data = {}
    if type(value) not in PLAIN:
        from .rich import known

        data, complete = known(value)
        if not complete:
            made = _call(value, "_repr_mimebundle_", include=include, exclude=exclude)
            if isinstance(made, tuple) and made:
                made = made[0]
            if isinstance(made, dict):
                data = {**made, **data}
            for mime, name in _METHODS:
                if mime not in data:
                    content = _call(value, name)
                    if isinstance(content, tuple) and content:
                        content = content[0]
                    if content is not None:
                        data[mime] = content
    if include:
        data = {mime: content for mime, content in data.items() if mime in include}
    if exclude:
        data = {mime: content for mime, content in data.items() if mime not in exclude}
    data = _encoded(data)
    if not isinstance(data.get("text/plain"), str):
        data["text/plain"] = pretty(value)
    return data


def _call(value, name, **keywords):
    method = _method(value, name)
    if method is None:
        return None
    try:
        return method(**keywords)
    except NotImplementedError:
        return None
    except Exception as error:
        print("%s of %s raised %s: %s" % (name, type(value).__name__, type(error).__name__, error), file=sys.stderr)
        return None


def _encoded(data):
    """Contents as the wire has them: text, base64 for images, plain values for JSON; anything else is dropped."""
    encoded = {}
    for mime, content in data.items():
        if not isinstance(mime, str):
            continue
        if mime in _IMAGES:
            if isinstance(content, (bytes, bytearray, memoryview)):
                content = b2a_base64(bytes(content), newline=False).decode("ascii")
            if not isinstance(content, str):
                continue
            content = "".join(content.split())
        elif mime.endswith("json"):
            from .plain import plain

            try:
                content = plain(content)
            except (TypeError, ValueError, RecursionError):
                continue
        elif isinstance(content, (bytes, bytearray)):
            content = bytes(content).decode("utf-8", "replace")
        elif not isinstance(content, str):
            continue
        encoded[mime] = content
    return encoded


def _size(content):
    return len(content if isinstance(content, str) else encode(content))


def _png_sides(content):
    from binascii import a2b_base64

    try:
        head = a2b_base64(content[:44])
    except ValueError:
        return None
    if head[:8] != b"\x89PNG\r\n\x1a\n" or len(head) < 24:
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
