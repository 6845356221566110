"""IPython's display: where it is installed its functions reach ours, else there is a small stand-in."""

import sys

from . import displays as _displays


def patch(module):
    """After the import of IPython's own display functions."""
    import livetools_kernel

    ours = livetools_kernel.current.displays
    for name, function in (
        ("display", ours.display),
        ("update_display", ours.update_display),
        ("clear_output", ours.clear),
        ("publish_display_data", ours.publish),
    ):
        if hasattr(module, name):
            setattr(module, name, function)


def patch_shell(module):
    import livetools_kernel

    shell = livetools_kernel.current.shell
    module.get_ipython = lambda: shell


class StandIn:
    """The last finder: gives the stand-in to cells, not to libraries that look whether IPython is there."""

    names = ("IPython", "IPython.display", "IPython.core", "IPython.core.display")

    def find_spec(self, name, path=None, target=None):
        if name not in self.names or not _asked_by_a_cell():
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, is_package=name in ("IPython", "IPython.core"))

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        import livetools_kernel

        kernel = livetools_kernel.current
        if module.__name__ == "IPython":
            module.version_info = (8, 30, 0, "")
            module.__version__ = "8.30.0"
            module.get_ipython = lambda: kernel.shell
            from importlib import import_module

            module.display = import_module("IPython.display")
        elif module.__name__ != "IPython.core":
            ours = kernel.displays
            module.display, module.update_display = ours.display, ours.update_display
            module.clear_output, module.publish_display_data = ours.clear, ours.publish
            module.DisplayHandle = _displays.DisplayHandle
            for kind in (HTML, Markdown, Latex, Math, SVG, JSON, Javascript, Image, Pretty, Code):
                setattr(module, kind.__name__, kind)


def _asked_by_a_cell():
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if "importlib" not in name and not name.startswith(("livetools_kernel", "IPython")):
            return name == "__main__"
        frame = frame.f_back
    return False


class _Shown:
    """Content with a MIME type; a file name is read."""

    mime = "text/plain"

    def __init__(self, data=None, url=None, filename=None, **_):
        if (
            isinstance(data, str)
            and filename is None
            and data.startswith(("http://", "https://"))
            and self.mime in IMAGES
        ):
            url, data = data, None
        self.data, self.url = data, url
        if filename is not None:
            with open(filename, "rb") as file:
                self.data = file.read()
            if self.mime not in IMAGES:
                self.data = self.data.decode("utf-8", "replace")

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.data is None:
            return {"text/plain": "<%s %s>" % (type(self).__name__, self.url)}
        text = self.data if isinstance(self.data, str) else "<%s>" % type(self).__name__
        return {self.mime: self.data, "text/plain": text}

    def __repr__(self):
        return "<IPython.core.display.%s object>" % type(self).__name__


IMAGES = ("image/png", "image/jpeg")


class HTML(_Shown):
    mime = "text/html"


class Markdown(_Shown):
    mime = "text/markdown"


class Latex(_Shown):
    mime = "text/latex"


class Math(Latex):
    def __init__(self, data=None, **keywords):
        super().__init__("$\\displaystyle %s$" % data.strip("$"), **keywords)


class SVG(_Shown):
    mime = "image/svg+xml"


class Javascript(_Shown):
    mime = "application/javascript"


class Pretty(_Shown):
    pass


class Code(_Shown):
    pass


class JSON(_Shown):
    mime = "application/json"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}


class Image(_Shown):
    mime = "image/png"

    def __init__(self, data=None, url=None, filename=None, format=None, **keywords):
        if isinstance(data, str) and not data.startswith(("http://", "https://")):
            filename, data = data, None
        super().__init__(data, url, filename, **keywords)
        if self.data is not None and bytes(self.data[:2]) == b"\xff\xd8":
            self.mime = "image/jpeg"
