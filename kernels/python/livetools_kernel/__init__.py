"""A persistent Python interpreter behind two pipes; the standard library and nothing else (SPEC §8)."""

# The kernel of this process, for modules that others import by name (matplotlib's backend, IPython's stand-in).
current = None
