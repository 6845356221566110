"""`%timeit` and `%prun`."""

import cProfile
import pstats
import statistics
import sys
import timeit as library

from .errors import UsageError
from .shell import seconds


def timeit(flags, setup, statement, frame):
    """Times a statement with the names of a frame; prints what it took, and gives it under `-o`."""
    names = dict(frame.f_globals)
    names.update(frame.f_locals)
    timer = library.Timer(statement, setup, globals=names)
    try:
        loops = int(flags.get("n", 0)) or timer.autorange()[0]
        runs = max(1, int(flags.get("r", 7)))
    except ValueError as error:
        raise UsageError("%%timeit: %s" % error) from None
    each = [taken / loops for taken in timer.repeat(runs, loops)]
    text = "%s ± %s per loop (mean ± std. dev. of %d run%s, %s loop%s each)" % (
        seconds(statistics.fmean(each)),
        seconds(statistics.pstdev(each)),
        runs,
        "" if runs == 1 else "s",
        format(loops, ","),
        "" if loops == 1 else "s",
    )
    if not flags.get("q"):
        print(text)
    return Measured(text, loops, each) if flags.get("o") else None


class Measured:
    """What `%timeit -o` gives."""

    def __init__(self, text, loops, timings):
        self.text, self.loops, self.timings = text, loops, timings
        self.best, self.worst, self.average = min(timings), max(timings), sum(timings) / len(timings)

    def __repr__(self):
        return "<TimeitResult : %s>" % self.text


def profile(flags, statement, frame):
    """Prints where a statement spends its time: `-s` says by what it is sorted, `-l` how many lines."""
    limit = flags.get("l", "30")
    taken = cProfile.Profile()
    try:
        taken.runctx(statement, frame.f_globals, frame.f_locals)
    finally:
        pstats.Stats(taken, stream=sys.stdout).sort_stats(flags.get("s", "tottime")).print_stats(
            int(limit) if limit.isdigit() else limit
        )
