"""Runs a command on a terminal of its own: standard input is typed, what the terminal shows goes to standard output.

The end of standard input closes the terminal. Exits with the command's code, or 128 and its signal.
"""
import fcntl, os, pty, select, struct, sys, termios

pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
inputs = [0, master]
while master in inputs:
    ready, _, _ = select.select(inputs, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            while typed:
                typed = typed[os.write(master, typed):]
        else:
            break
    if master in ready:
        try:
            shown = os.read(master, 65536)
        except OSError:
            shown = b""
        if not shown:
            break
        os.write(1, shown)
os.close(master)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
