"""The `__main__` of a process that a cell started by `spawn` or `forkserver`, which has nothing that cells defined.

Without it such a process would die while it unpickles a function of a cell, and its pool would start the next."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    message = (
        "%s is defined in a cell, which a process started by spawn or forkserver does not have: put it into a module "
        '(%%%%writefile) and import it, or use multiprocessing.get_context("fork")' % name
    )

    class Refused(type):
        def __call__(cls, *_arguments, **_keywords):
            raise RuntimeError(message)

    class Unseen(metaclass=Refused):
        def __setstate__(self, _state):
            pass

        def __getattr__(self, _attribute):
            raise RuntimeError(message)

    return Unseen
