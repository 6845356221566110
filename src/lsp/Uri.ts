/**
 * File URIs. Ours are spelt as VS Code spells them, which is what servers are tested with; those of servers are compared
 * decoded (C49, C50).
 */

const encoder = new TextEncoder()
const plain = /[A-Za-z0-9\-._~/]/

const encode = (path: string): string => {
  let uri = ""
  for (const character of path) {
    if (plain.test(character)) uri += character
    else for (const byte of encoder.encode(character)) uri += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  }
  return uri
}

/** Percent signs that encode nothing stay what they are. */
const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (run) => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run
      }
    })
  }
}

/** The URI of an absolute path, of POSIX or (with a drive or a host) of Windows. */
export const fromPath = (path: string): string => {
  const drive = /^([A-Za-z]):[\\/]/.exec(path)
  if (drive !== null) {
    return `file:///${drive[1]!.toLowerCase()}%3A${encode(path.slice(2).replaceAll("\\", "/"))}`
  }
  const share = /^\\\\([^\\/]+)[\\/](.*)$/s.exec(path)
  if (share !== null) return `file://${share[1]!.toLowerCase()}/${encode(share[2]!.replaceAll("\\", "/"))}`
  return `file://${encode(path)}`
}

/**
 * The path of a `file` URI: decoded, a drive as `C:/…`, a host as `//host/…`, without query and fragment. `undefined` for any
 * other URI, and for one that can name no file.
 */
export const toPath = (uri: string): string | undefined => {
  const parts = /^file:(?:\/\/([^/?#]*))?(\/[^?#]*)/i.exec(uri)
  if (parts === null) return undefined
  const host = parts[1] ?? ""
  const path = decode(parts[2]!)
  if (path.includes("\0")) return undefined
  if (host !== "" && host.toLowerCase() !== "localhost") return `//${host.toLowerCase()}${path}`
  const drive = /^\/([A-Za-z]):(?=\/|$)/.exec(path)
  return drive === null ? path : `${drive[1]!.toUpperCase()}:${path.slice(3) || "/"}`
}

/** What two spellings of one URI have in common. */
export const key = (uri: string): string => toPath(uri) ?? uri

/** The URI of what `key` gave: of a path, or of no file. */
export const ofKey = (path: string): string => (/^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) ? fromPath(path) : path)
