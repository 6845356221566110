/** What paths mean as text: pure, for either kind of separator (`path.posix`, `path.win32`). */
import type { posix } from "node:path"

type PlatformPath = Pick<typeof posix, "relative" | "isAbsolute"> & { readonly sep: string }

/** Whether `absolute` is `root` or lies below it. Both are absolute and free of `..`. */
export const isInside = (path: PlatformPath, root: string, absolute: string): boolean => {
  const relative = path.relative(root, absolute)
  return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
}

/** Relative to the root with `/` (the root itself is `.`); absolute, as it is, when outside the root. */
export const show = (path: PlatformPath, root: string, absolute: string): string =>
  isInside(path, root, absolute) ? path.relative(root, absolute).replaceAll(path.sep, "/") || "." : absolute

/** The names of a path in order, without empty ones and `.`. On Windows both separators count. */
export const segments = (path: PlatformPath, text: string): ReadonlyArray<string> =>
  text.split(path.sep === "\\" ? /[\\/]/ : "/").filter((name) => name !== "" && name !== ".")
