"""Values of Python as JSON has them, and back."""

from binascii import a2b_base64
from math import isfinite
from os import PathLike, fspath


_IMAGES = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))


def with_bytes(answer):
    """The value of an answer, with the images that it shows (SPEC §11) as bytes."""
    outputs = answer.get("outputs") if isinstance(answer, dict) else None
    for output in outputs if isinstance(outputs, list) else ():
        data = output.get("data") if isinstance(output, dict) else None
        for mime in _IMAGES.intersection(data) if isinstance(data, dict) else ():
            try:
                data[mime] = a2b_base64(data[mime])
            except (TypeError, ValueError):
                pass
    return answer


def plain(value, where="value", depth=0):
    """A copy of dicts, lists, text, numbers, booleans and None; TypeError names what has no such form."""
    if value is None or value is True or value is False or type(value) in (int, str):
        return value
    if isinstance(value, float):
        if not isfinite(value):
            raise ValueError("%s is %r, which JSON does not have" % (where, value))
        return float(value)
    if depth > 200:
        raise ValueError("%s is nested more than 200 deep" % where)
    if isinstance(value, dict):
        made = {}
        for key, inner in value.items():
            if not isinstance(key, (str, int, float, bool)) and key is not None:
                raise TypeError("%s has a key that is %s, not text" % (where, type(key).__name__))
            made[key if isinstance(key, str) else str(key)] = plain(inner, "%s[%r]" % (where, key), depth + 1)
        return made
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inner, "%s[%d]" % (where, at), depth + 1) for at, inner in enumerate(value)]
    if isinstance(value, (int, str)):
        return int(value) if isinstance(value, int) else str(value)
    if isinstance(value, PathLike):
        return fspath(value)
    for name in ("tolist", "item", "isoformat"):
        # numpy's arrays and numbers, dates.
        convert = getattr(type(value), name, None)
        if convert is not None:
            return plain(convert(value), where, depth + 1)
    raise TypeError(
        "%s is a %s; pass text, numbers, booleans, None, lists and dicts of them" % (where, type(value).__name__)
    )
