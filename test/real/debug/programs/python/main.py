import os
import signal
import subprocess
import sys
import threading
import time


def add(a, b):
    total = a + b  # @add
    return total  # @return


def fact(n):
    if n <= 1:
        return 1  # @base
    return n * fact(n - 1)  # @recur


def work():
    numbers = list(range(1000))
    text = "héllo 世界"
    point = {"x": 1, "y": 2}
    total = 0
    for i in range(10):
        total = total + add(i, 1)  # @loop
    five = fact(5)  # @fact
    print("total", total, "fact", five, text, len(numbers), point["x"])  # @print
    return total


class Failure(Exception):
    pass


def fail(message):
    raise Failure(message)  # @throw


def caught():
    try:
        fail("inner")
    except Failure as error:
        print("caught", error)  # @caught


def worker(n, gate):
    own = n * 10  # @worker
    gate.wait()
    return own  # @worked


def threads():
    gate = threading.Barrier(3)
    all = [threading.Thread(target=worker, args=(n, gate), name=f"worker-{n}") for n in range(3)]
    for one in all:
        one.start()
    for one in all:
        one.join()
    print("joined", len(all))


def spin(heartbeat):
    ticks = 0
    while True:
        ticks = ticks + 1  # @tick
        if heartbeat is not None:
            with open(heartbeat, "w") as file:
                file.write(str(ticks))
        time.sleep(0.02)


def main():
    mode = sys.argv[1]
    if mode == "work":
        work()
    elif mode == "throw":
        fail("boom")
    elif mode == "caught":
        caught()
    elif mode == "print":
        for n in range(20000):
            print("line %06d %s" % (n, "x" * 98))
    elif mode == "quick":
        print("bye")
        sys.exit(3)
    elif mode == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif mode == "fork":
        child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        print("child", child.pid, flush=True)
        spin(None)
    elif mode == "wait":
        print("child said", subprocess.check_output([sys.executable, "-c", "print(6 * 7)"], text=True).strip())
    elif mode == "unended":
        print("the last line has no end", end="")
    elif mode == "stdin":
        print("read", repr(sys.stdin.read()))
    elif mode == "threads":
        threads()
    elif mode == "environment":
        print("variable", os.environ.get("PROBE"), "in", os.path.basename(os.getcwd()), "with", sys.argv[2:])
    elif mode == "spin":
        print("spinning", os.getpid(), flush=True)
        spin(sys.argv[2] if len(sys.argv) > 2 else None)


main()
