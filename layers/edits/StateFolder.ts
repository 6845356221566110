/** Where the library keeps what must outlive a process: the user's state folder. */
import * as Os from "node:os"
import * as Path from "node:path"

/** `$XDG_STATE_HOME/livetools`, `~/.local/state/livetools`; on macOS `~/Library/Application Support/livetools`. */
export const path = (
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
  home = Os.homedir()
): string => {
  const configured = env["XDG_STATE_HOME"]
  if (configured !== undefined && Path.isAbsolute(configured)) return Path.join(configured, "livetools")
  return platform === "darwin"
    ? Path.join(home, "Library", "Application Support", "livetools")
    : Path.join(home, ".local", "state", "livetools")
}
