/** Threads of the cells' programs: a `Worker` runs a TypeScript file too. */
import { createRequire, syncBuiltinESMExports } from "node:module"
import { pathToFileURL } from "node:url"
import Threads, { Worker, type WorkerOptions } from "node:worker_threads"
import * as CommonJs from "./CommonJs.ts"
import * as Hooks from "./Hooks.ts"
import { helper } from "./Messages.ts"
import * as Transpiler from "./Transpiler.ts"
import * as TypeScript from "./TypeScript.ts"

/** `script`: of the kernel. */
export const install = (script: string): void => {
  const { href } = new URL("javascript-thread.js", script)
  const withHooks = (file: string | URL, options: WorkerOptions = {}): WorkerOptions => {
    if (options.eval === true || !TypeScript.isTypeScript(String(file))) return options
    return { ...options, execArgv: [...(options.execArgv ?? process.execArgv), "--import", href] }
  }
  const Typed = class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(file, withHooks(file, options))
    }
  }
  Threads.Worker = Object.defineProperty(Typed, "name", { value: "Worker" })
  syncBuiltinESMExports()
}

/** In such a thread, before its program. `script`: what is run here, beside the kernel. */
export const prepare = (script: string): void => {
  const load = (file: string) => import(pathToFileURL(file).href)
  const value = Object.freeze({ ...CommonJs.helpers, requireOf: createRequire, load })
  Object.defineProperty(globalThis, helper, { value })
  Object.defineProperty(globalThis, "babelHelpers", { configurable: true, writable: true, value: Transpiler.helpers })
  Hooks.install(script)
  Hooks.prepareRequire(script)
  // A thread that it starts in turn.
  install(script)
}
