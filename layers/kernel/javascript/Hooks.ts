/**
 * How Node finds and reads local files for the cells: by the names that TypeScript has for them, in their present versions, and as
 * JavaScript. Where Node cannot run such hooks in the thread that imports (before 22.15), it runs them in one of its own.
 */
import NodeModule, {
  createRequire,
  type LoadHookSync,
  type LoadHook,
  type ResolveFnOutput,
  type ResolveHookContext,
  type ResolveHook,
  type ResolveHookSync
} from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import * as Compile from "./Compile.ts"
import type { Position } from "./Edits.ts"
import * as Transpiler from "./Transpiler.ts"
import * as TypeScript from "./TypeScript.ts"
import * as Versions from "./Versions.ts"

const require = createRequire(import.meta.url)

type Maps = Compile.Compiled["maps"]
/** By the address from which a file was loaded. */
const maps = new Map<string, Maps>()

/** `undefined`: it is loaded as it is. */
const compiled = (url: string, isRequired: boolean) => {
  if (!url.startsWith("file:") || !TypeScript.isTypeScript(new URL(url).pathname)) return undefined
  return Compile.file(fileURLToPath(url), isRequired)
}

/** TypeScript imports JSON without saying so. */
const asJson = <R extends ResolveFnOutput>(resolved: R, { importAttributes, parentURL = "" }: ResolveHookContext): R =>
  importAttributes["type"] === undefined && resolved.url.endsWith(".json") && /\.[cm]?tsx?(?:\?|$)/.test(parentURL)
    ? { ...resolved, importAttributes: { ...importAttributes, type: "json" } }
    : resolved

/** To the other thread, where there are two. */
let port: MessagePort | undefined

function* told(): Generator<unknown> {
  for (let next = port && receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port!)) {
    yield next.message
  }
}

// In a thread of their own.

const versions = new Map<string, string>()

export const initialize = (data: { readonly port: MessagePort }): void => {
  port = data.port
}

export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = asJson(await next(TypeScript.meant(specifier, context.parentURL), context), context)
  for (const changes of told()) {
    for (const [url, later] of changes as ReadonlyArray<readonly [string, string]>) versions.set(url, later)
  }
  return { ...resolved, url: versions.get(resolved.url) ?? resolved.url }
}

export const load: LoadHook = (url, context, next) => {
  const found = compiled(url, false)
  if (found === undefined) return next(url, context)
  port?.postMessage([url, found.maps])
  return { format: found.format, source: found.code, shortCircuit: true }
}

// In the thread that imports.

const resolveHere: ResolveHookSync = (specifier, context, next) => {
  const meant = TypeScript.meant(specifier, context.parentURL)
  if (context.conditions.includes("import")) {
    const resolved = asJson(next(meant, context), context)
    return { ...resolved, url: Versions.ofUrl(resolved.url) }
  }
  // `require` takes no URL.
  return next(meant !== specifier && meant.startsWith("file:") ? fileURLToPath(meant) : specifier, context)
}

const loadHere: LoadHookSync = (url, context, next) => {
  const found = compiled(url, !context.conditions.includes("import"))
  if (found === undefined) return next(url, context)
  maps.set(url, found.maps)
  return { format: found.format, source: found.code, shortCircuit: true }
}

const isHere = typeof NodeModule.registerHooks === "function"
let isInstalled = false

/** Has them run in this thread, once. `script`: of the kernel. */
export const install = (script: string): void => {
  if (isInstalled) return
  if (isHere) NodeModule.registerHooks({ resolve: resolveHere, load: loadHere })
  else {
    const { port1, port2 } = new MessageChannel()
    port = port1
    port1.unref()
    NodeModule.register(new URL("javascript-hooks.js", script), { data: { port: port2 }, transferList: [port2] })
  }
  // Not before: a cell may be stopped while the thread starts.
  isInstalled = true
}

/** Makes it possible to import these files in their present versions. `named` is imported by its URL. `script`: of the kernel. */
export const prepare = (script: string, named: string | undefined, files: ReadonlyArray<string>): void => {
  const later = Versions.later(files)
  // A thread takes its time to start.
  const isNeeded =
    isHere || files.some(TypeScript.isTypeScript) || Versions.later(files.filter((each) => each !== named)).length > 0
  if (isNeeded) install(script)
  if (later.length > 0) port?.postMessage(later)
}

let isRequiring = false
/** Makes it possible to `require` TypeScript files. */
export const prepareRequire = (script: string): void => {
  if (isRequiring) return
  isRequiring = true
  if (isHere) return install(script)
  // oxlint-disable-next-line typescript/no-deprecated -- what Node 20 has for it
  const { extensions } = require
  const compile = (module: NodeModule, path: string) => {
    const { code, maps: found } = Compile.file(path, true)
    maps.set(pathToFileURL(path).href, found)
    ;(module as NodeModule & { _compile(code: string, path: string): void })._compile(code, path)
  }
  extensions[".ts"] = extensions[".cts"] = extensions[".tsx"] = compile
}

/** Where in its source a place of a loaded file was; `undefined` for one that was loaded as it is. */
export const placeOf = (script: string, place: Position): Position | undefined => {
  for (const each of told()) {
    const [url, found] = each as readonly [string, Maps]
    maps.set(url, found)
  }
  const found = maps.get(script) ?? maps.get(script.startsWith("/") ? pathToFileURL(script).href : script)
  return found?.reduce((at, map) => Transpiler.placeOf(map, at), place)
}
