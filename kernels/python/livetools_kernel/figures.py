"""Matplotlib's figures as images of the cell: a backend without windows, and what is still open at its end."""

import io

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import livetools_kernel

SIDE = 2_000

# Figures that the running cell has shown: alive until its end, so that an identity is not met twice.
_shown = {}


class FigureManager(FigureManagerBase):
    """A figure that is shown in the output."""

    def show(self):
        _publish(self.canvas.figure)


FigureCanvas = FigureCanvasAgg


def new_figure_manager(num, *arguments, FigureClass=Figure, **keywords):
    return new_figure_manager_given_figure(num, FigureClass(*arguments, **keywords))


def new_figure_manager_given_figure(num, figure):
    return FigureManager(FigureCanvasAgg(figure), num)


def show(*_arguments, **_keywords):
    """`plt.show()`: the open figures now, and those shown before that have changed since."""
    for figure in list(_shown.values()):
        if figure.stale and figure not in _open():
            _publish(figure)
    for figure in _open():
        if not (id(figure) in _shown and not figure.stale):
            _publish(figure)
    if not _shown:
        livetools_kernel.current.notice(
            "plt.show() had nothing to show: figures are closed at the end of their cell; display(figure) shows one again"
        )
    Gcf.destroy_all()


def _open():
    managers = sorted(Gcf.get_all_fig_managers(), key=lambda manager: manager.num)
    figures = [manager.canvas.figure for manager in managers]
    return [
        figure for figure in figures if figure.axes or figure.lines or figure.texts or figure.images or figure.patches
    ]


def _publish(figure):
    displays = livetools_kernel.current.displays
    displays.publish(render(figure))
    shown(figure)


def shown(value):
    """Remembers that the cell has shown this figure as it now is."""
    if isinstance(value, Figure):
        value.stale = False
        _shown[id(value)] = value


def finish():
    """At the end of a cell: each open figure that was not shown as it is, then none is open."""
    try:
        for figure in _open():
            if not (id(figure) in _shown and not figure.stale):
                _publish(figure)
    finally:
        _shown.clear()
        Gcf.destroy_all()


def render(figure):
    """The figure as a PNG no side of which is over the limit."""
    inches = max(figure.get_size_inches())
    wanted = figure.dpi
    dpi = max(1, min(wanted, SIDE / max(inches, 0.01)))
    data = _png(figure, dpi, "tight")
    if max(_sides(data)) > SIDE * 1.2:
        data = _png(figure, dpi, None)
    text = "<Figure size %dx%d with %d Axes>" % (*(figure.get_size_inches() * wanted), len(figure.axes))
    if dpi < wanted:
        text += " shown at %d instead of %d dots per inch" % (dpi, wanted)
    return {"image/png": data, "text/plain": text}


def _png(figure, dpi, box):
    if figure.canvas is None or not hasattr(figure.canvas, "print_png"):
        FigureCanvasAgg(figure)
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dpi, bbox_inches=box)
    return data.getvalue()


def _sides(data):
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
