/** Where the settings of a run lie on this machine. */
import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Settings from "../src/harness/Settings.ts"

const name = "livetools.json"

const userFile = (): string =>
  Path.join(process.env["XDG_CONFIG_HOME"] || Path.join(Os.homedir(), ".config"), "livetools", name)

const read = (file: string): Effect.Effect<Settings.Settings, Settings.SettingsError> =>
  Effect.suspend(() => {
    if (!Fs.existsSync(file)) return Effect.succeed({})
    try {
      return Settings.parse(file, Fs.readFileSync(file, "utf8"))
    } catch (error) {
      return Effect.fail(new Settings.SettingsError({ message: `${file} cannot be read: ${String(error)}` }))
    }
  })

/** The user's settings, and over them the project's own where it is trusted. */
export const load = Effect.fnUntraced(function* (options: { readonly cwd: string; readonly isTrusted: boolean }) {
  const user = yield* read(userFile())
  return options.isTrusted ? Settings.merge(user, yield* read(Path.join(options.cwd, name))) : user
})
