/** The version of this package. */
import { createRequire } from "node:module"

export const version: string = (
  createRequire(import.meta.url)("livetools/package.json") as { readonly version: string }
).version
