/** How the kernel's process is started. */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** What a process port needs to start the kernel; the frames and requests of the host are its descriptors 3 and 4. */
export interface Command {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The command for a Node program (default: this one). The shell moves the two descriptors from where programs look for theirs; Node
 * lets no child inherit descriptors up to 15.
 */
export const make = (
  node: string = process.execPath,
  entry: string = require.resolve("#javascript-kernel")
): Command => ({
  command: "/bin/sh",
  args: ["-c", 'exec "$@" 8>&3 9<&4 3>&- 4<&-', "sh", node, entry, "8", "9"],
  // Options of the host's own process: they load its code into the kernel, or open a debugging port.
  env: { NODE_OPTIONS: undefined, NODE_CHANNEL_FD: undefined, NODE_UNIQUE_ID: undefined, NODE_V8_COVERAGE: undefined }
})
