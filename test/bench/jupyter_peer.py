"""The peer of the benchmark: ipykernel through jupyter_client. Prints one JSON object."""

import json
import os
import queue
import statistics
import sys
import threading
import time

from jupyter_client.manager import start_new_kernel


def fail(args):
    """The channels have threads that would keep a script alive that has failed."""
    sys.__excepthook__(args.exc_type, args.exc_value, args.exc_traceback)
    os._exit(1)


sys.excepthook = lambda *parts: (sys.__excepthook__(*parts), os._exit(1))
threading.excepthook = fail


def run(client, code):
    """Runs a cell to its end: idle, and all output read. Gives the milliseconds and the bytes of output."""
    since = time.perf_counter()
    message = client.execute(code, store_history=False)
    size = 0
    while True:
        reply = client.get_iopub_msg(timeout=120)
        if reply["parent_header"].get("msg_id") != message:
            continue
        if reply["msg_type"] == "stream":
            size += len(reply["content"]["text"])
        if reply["msg_type"] == "status" and reply["content"]["execution_state"] == "idle":
            break
    client.get_shell_msg(timeout=120)
    return (time.perf_counter() - since) * 1000, size


def p50(values):
    return statistics.median(values)


starts, rss = [], 0
for _ in range(3):
    since = time.perf_counter()
    manager, client = start_new_kernel(kernel_name="python3")
    run(client, "1+1")
    starts.append((time.perf_counter() - since) * 1000)
    status = open("/proc/%d/status" % manager.provisioner.pid).read()
    rss = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024
    if len(starts) < 3:
        client.stop_channels()
        manager.shutdown_kernel(now=True)

trips = p50([run(client, "1+1")[0] for _ in range(200)])
prints = p50([run(client, "for i in range(100000): print('x' * 99)")[0] for _ in range(3)])
child = p50([run(client, "!yes | head -c 10000000")[0] for _ in range(3)])


def until(kind, timeout):
    """Reads to the next message of a kind; False when nothing comes for so many seconds."""
    try:
        while client.get_iopub_msg(timeout=timeout)["msg_type"] != kind:
            pass
        return True
    except queue.Empty:
        return False


interrupts = []
for _ in range(5):
    client.execute("while True: pass", store_history=False, stop_on_error=False)
    until("execute_input", 60)
    time.sleep(0.5)
    # An interrupt that comes too early is lost: then the next one counts.
    for _ in range(10):
        since = time.perf_counter()
        manager.interrupt_kernel()
        if until("error", 3):
            interrupts.append((time.perf_counter() - since) * 1000)
            break
    client.get_shell_msg(timeout=60)
client.stop_channels()
manager.shutdown_kernel(now=True)
print(
    json.dumps(
        {
            "start": p50(starts),
            "trip": trips,
            "prints": prints,
            "child": child,
            "interrupt": p50(interrupts),
            "rss": rss,
        }
    )
)
