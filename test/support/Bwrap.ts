/** Whether this machine lets bubblewrap make its namespaces. */
import * as ChildProcess from "node:child_process"

const probe = ChildProcess.spawnSync("bwrap", ["--unshare-user-try", "--unshare-pid", "--ro-bind", "/", "/", "true"])

export const isUsable = probe.status === 0
export const reason = isUsable ? "" : (probe.error?.message ?? probe.stderr.toString().trim())
