"""Values of well-known libraries that their own display methods show badly to a reader of text."""

import io
import sys

ROWS = 2_000
IMAGE_SIDE = 2_000


def known(value):
    """What is known of a value: a bundle, and whether its own methods have nothing to add to it."""
    for kind in type(value).__mro__:
        found = _KNOWN.get((kind.__module__.partition(".")[0], kind.__name__))
        if found is not None:
            made, complete = found
            try:
                return made(value), complete
            except Exception as error:
                print("%s could not be shown: %s: %s" % (kind.__name__, type(error).__name__, error), file=sys.stderr)
                break
    return {}, False


def _frame(frame):
    option = sys.modules["pandas"].get_option
    text = frame.to_string(
        max_rows=_rows(option("display.max_rows"), len(frame)),
        min_rows=option("display.min_rows"),
        max_cols=option("display.max_columns") or 20,
        max_colwidth=option("display.max_colwidth"),
        line_width=None,
        show_dimensions=False,
    )
    return {"text/plain": "%s\n\n[%d rows x %d columns]" % (text, *frame.shape)}


def _rows(rows, length):
    rows = 60 if rows == 0 else rows
    return min(ROWS, length) if rows is None else rows


def _series(series):
    option = sys.modules["pandas"].get_option
    rows, least = _rows(option("display.max_rows"), len(series)), option("display.min_rows")
    return {"text/plain": series.to_string(max_rows=rows, min_rows=least, name=True, dtype=True, length=True)}


def _styler(styler):
    return _frame(styler.data)


def _picture(image):
    sides, mode = image.size, image.mode
    if max(sides) > IMAGE_SIDE:
        image = image.copy()
        image.thumbnail((IMAGE_SIDE, IMAGE_SIDE))
    if mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I", "I;16"):
        image = image.convert("RGB")
    data = io.BytesIO()
    image.save(data, "PNG")
    text = "<%s image of %d×%d pixels>" % (mode, *sides)
    if image.size != sides:
        text += " shown at %d×%d" % image.size
    return {"image/png": data.getvalue(), "text/plain": text}


def _figure(figure):
    from .figures import render

    return render(figure)


def _plotly(figure):
    made = {"application/vnd.plotly.v1+json": figure.to_plotly_json()}
    traces = ", ".join(sorted({trace.type for trace in figure.data}))
    made["text/plain"] = "<plotly figure with %d traces (%s)>" % (len(figure.data), traces)
    return made


def _content(shown):
    """IPython's `HTML`, `Markdown` and their like, whose own text only says what they are."""
    data = getattr(shown, "data", None)
    return {"text/plain": data} if isinstance(data, str) else {}


_KNOWN = {
    ("pandas", "DataFrame"): (_frame, False),
    ("pandas", "Series"): (_series, False),
    ("pandas", "Styler"): (_styler, False),
    ("PIL", "Image"): (_picture, True),
    ("matplotlib", "Figure"): (_figure, True),
    ("plotly", "BaseFigure"): (_plotly, True),
    ("IPython", "TextDisplayObject"): (_content, False),
}
