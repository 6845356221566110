/** Trees on a real disk, engines over them, and disks that fail. */
import { Context, Effect, Layer, References, type Scope } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Disk from "../../../layers/edits/Disk.ts"
import * as NodeEdits from "../../../layers/edits/NodeEdits.ts"
import type { Owner } from "../../../layers/edits/Owner.ts"
import * as NodeWorkspace from "../../../layers/workspace/NodeWorkspace.ts"
import { Edits } from "../../../src/Edits.ts"
import { Workspace } from "../../../src/Workspace.ts"

// Modes of new files are compared.
process.umask(0o022)

export interface Place {
  readonly root: string
  readonly state: string
}

/** What lies at a path: a text, bytes, a link (`{ link }`), a directory (`null`); with a mode where one is given. */
export type Spec =
  | string
  | Uint8Array
  | null
  | { readonly link: string }
  | { readonly text: string; readonly mode: number }
export type Files = Readonly<Record<string, Spec>>

export const fill = (root: string, files: Files): void => {
  for (const [path, spec] of Object.entries(files)) {
    const whole = Path.join(root, path)
    Fs.mkdirSync(spec === null ? whole : Path.dirname(whole), { recursive: true })
    if (spec === null) continue
    if (typeof spec === "string" || spec instanceof Uint8Array) Fs.writeFileSync(whole, spec)
    else if ("link" in spec) Fs.symlinkSync(spec.link, whole)
    else {
      Fs.writeFileSync(whole, spec.text)
      Fs.chmodSync(whole, spec.mode)
    }
  }
}

/** In memory where the system has such a folder: thousands of trees are made. */
const folder = Fs.existsSync("/dev/shm") ? "/dev/shm" : Os.tmpdir()

export const makePlace = (files: Files): Place => {
  const base = Fs.realpathSync(Fs.mkdtempSync(Path.join(folder, "edits-")))
  const place = { root: Path.join(base, "work"), state: Path.join(base, "state") }
  Fs.mkdirSync(place.root)
  fill(place.root, files)
  return place
}

export const removePlace = (place: Place): void => Fs.rmSync(Path.dirname(place.root), { recursive: true, force: true })

export const tree = (files: Files): Effect.Effect<Place, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => makePlace(files)),
    (place) => Effect.sync(() => removePlace(place))
  )

/** Everything below a directory, byte by byte, with modes. Temporary files would show. */
export const snapshot = (root: string): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  const visit = (directory: string) => {
    for (const name of Fs.readdirSync(directory).sort()) {
      const path = Path.join(directory, name)
      const stats = Fs.lstatSync(path)
      const mode = (stats.mode & 0o7777).toString(8)
      const shown = Path.relative(root, path)
      if (stats.isSymbolicLink()) found[shown] = `link ${Fs.readlinkSync(path)}`
      else if (stats.isDirectory()) {
        found[shown] = `directory ${mode}`
        visit(path)
      } else found[shown] = `file ${mode} ${JSON.stringify(Fs.readFileSync(path).toString("latin1"))}`
    }
  }
  visit(root)
  return found
}

/** The journals that lie in the state folder, of whichever directory. */
export const journals = (place: Place): ReadonlyArray<string> => {
  const folder = Path.join(place.state, "edits")
  return Fs.existsSync(folder) ? Fs.readdirSync(folder).flatMap((name) => Fs.readdirSync(Path.join(folder, name))) : []
}

export const engines = (place: Place, options: NodeEdits.Options = {}) =>
  Layer.build(
    NodeEdits.layer({ stateFolder: place.state, ...options }).pipe(
      Layer.provideMerge(NodeWorkspace.layer({ root: place.root }))
    )
  ).pipe(
    Effect.map((context) => ({ edits: Context.get(context, Edits), workspace: Context.get(context, Workspace) })),
    // The warnings about repairs are expected here.
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.orDie
  )

export const engine = (place: Place, options: NodeEdits.Options = {}) =>
  Effect.map(engines(place, options), ({ edits }) => edits)

/** A process that is gone. */
export const deadOwner: Owner = { host: Os.hostname(), pid: 2 ** 22 + 1, start: "1" }

/** What happens to one call of the disk: it is done, refused, done and then reported as failed, or done by half. */
export type Fate = "do" | "fail" | "fail after" | "half"

const changing = [
  "create",
  "setMode",
  "flush",
  "link",
  "rename",
  "unlink",
  "symlink",
  "makeDirectory",
  "removeDirectory"
] as const
export type Changing = (typeof changing)[number]

/** A disk on which every call that changes something, in its order from 1, meets the fate that is decided for it. */
export const faulty = (
  decide: (step: { readonly number: number; readonly operation: Changing; readonly path: string }) => Fate,
  code = "EIO"
): Disk.Disk => {
  let number = 0
  const failing = () => Object.assign(new Error(`${code}: injected`), { code })
  const meet = (operation: Changing, path: string, run: () => void, half = () => {}) => {
    const fate = decide({ number: ++number, operation, path })
    if (fate === "half") half()
    if (fate === "fail" || fate === "half") throw failing()
    run()
    if (fate === "fail after") throw failing()
  }
  const real = Disk.node
  return {
    ...real,
    create: (path, bytes, like) =>
      meet(
        "create",
        path,
        () => real.create(path, bytes, like),
        () => real.create(path, bytes.subarray(0, bytes.length / 2), like)
      ),
    setMode: (path, mode) => meet("setMode", path, () => real.setMode(path, mode)),
    flush: (path) => meet("flush", path, () => real.flush(path)),
    link: (existing, path) => meet("link", path, () => real.link(existing, path)),
    rename: (from, to) => meet("rename", to, () => real.rename(from, to)),
    unlink: (path) => meet("unlink", path, () => real.unlink(path)),
    symlink: (target, path) => meet("symlink", path, () => real.symlink(target, path)),
    makeDirectory: (path) => meet("makeDirectory", path, () => real.makeDirectory(path)),
    removeDirectory: (path) => meet("removeDirectory", path, () => real.removeDirectory(path))
  }
}
