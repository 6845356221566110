"""Values of Python as JSON has them."""

import math
import os


def plain(value, where="value", depth=0):
    """A copy of dicts, lists, text, numbers, booleans and None; TypeError names what has no such form."""
    if value is None or value is True or value is False or type(value) in (int, str):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
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
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for name in ("tolist", "item", "isoformat"):
        # numpy's arrays and numbers, dates.
        convert = getattr(type(value), name, None)
        if convert is not None:
            return plain(convert(value), where, depth + 1)
    raise TypeError(
        "%s is a %s; pass text, numbers, booleans, None, lists and dicts of them" % (where, type(value).__name__)
    )
