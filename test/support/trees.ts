/** The tree of which only a pipe leads to a process. */
export const keptPipe = "an orphan in another session with a cleaned environment that kept a pipe"

/** Shell scripts that print the pids of the processes they start, one a line, and then `ready`. */
export const scripts: Readonly<Record<string, string>> = {
  "children in the background": `sleep 301 & echo $!; sleep 301 & echo $!; echo ready; wait`,
  "another session": `setsid sleep 302 & echo $!; echo ready; wait`,
  "a process that ignores SIGHUP": `nohup sleep 303 >/dev/null 2>&1 & echo $!; echo ready; wait`,
  "a double fork": `sh -c 'sleep 304 >/dev/null 2>&1 </dev/null & echo $!'; echo ready; sleep 304`,
  "a double fork in another session": `setsid sh -c 'sleep 305 >/dev/null 2>&1 </dev/null & echo $!'; echo ready; sleep 305`,
  "shells that ignore SIGTERM": `trap "" TERM; setsid sh -c 'while :; do sleep 306; done' & echo $!; echo ready; while :; do sleep 306; done`,
  "a child with a cleaned environment": `env -i /bin/sleep 307 & echo $!; echo ready; wait`,
  "another session with a cleaned environment": `env -i setsid /bin/sleep 308 >/dev/null 2>&1 </dev/null & echo $!; echo ready; wait`,
  "an orphan in its session with a cleaned environment": `sh -c 'env -i /bin/sleep 309 >/dev/null 2>&1 </dev/null & echo $!'; echo ready; sleep 309`,
  "a shell in another session with a cleaned environment that ignores SIGTERM": `env -i setsid /bin/sh -c 'trap "" TERM; while :; do /bin/sleep 312; done' >/dev/null 2>&1 </dev/null & echo $!; echo ready; wait`,
  "an orphan in another group of its session with a cleaned environment": `bash -c 'set -m; env -i /bin/sleep 313 >/dev/null 2>&1 </dev/null & echo $!'; echo ready; sleep 313`,
  [keptPipe]: `setsid sh -c 'env -i setsid /bin/sleep 310 & echo $!'; echo ready; sleep 310`,
  "a child with a cleaned environment and a name like lines of the process table": `
    d=$(mktemp -d); f="$d/x) S 1
9 (y"; cp /bin/sleep "$f"
    env -i setsid "$f" 311 >/dev/null 2>&1 </dev/null & echo $!
    sleep 0.1; rm -r "$d"; echo ready; wait`
}

/**
 * A tree that grows until it is killed, by processes that nothing but their parent leads to. Their command line ends in
 * `tag`, a number of seconds.
 */
export const growing = (tag: number): string =>
  `trap "" TERM; echo ready; while :; do env -i setsid /bin/sleep ${tag} >/dev/null 2>&1 </dev/null & sleep 0.001; done`
