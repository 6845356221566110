"""The C library's `stdout`, made line buffered on import: on a pipe it would hold text back until the end."""

import sys


def _fflush():
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        stdout = ctypes.c_void_p.in_dll(libc, "__stdoutp" if sys.platform == "darwin" else "stdout")
        libc.setvbuf(stdout, None, 1, 0)
        fflush = libc.fflush
        fflush.argtypes = [ctypes.c_void_p]
        return lambda: fflush(stdout)
    except Exception:
        return lambda: None


flush = _fflush()
