/** Glob patterns of the protocol: `*`, `**`, `?`, `{a,b}`, `[a-z]`, `[!a]` (C41). */

const literal = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}/-]/g, "\\$&")

const toRegExp = (pattern: string): string => {
  let source = ""
  let depth = 0
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!
    if (character === "*") {
      const isDeep = pattern[i + 1] === "*"
      while (pattern[i + 1] === "*") i++
      if (!isDeep) source += "[^/]*"
      else if (pattern[i + 1] === "/") {
        source += "(?:[^/]*/)*"
        i++
      } else source += ".*"
    } else if (character === "?") source += "[^/]"
    else if (character === "{" && pattern.indexOf("}", i) > 0) {
      source += "(?:"
      depth++
    } else if (character === "}" && depth > 0) {
      source += ")"
      depth--
    } else if (character === "," && depth > 0) source += "|"
    else if (character === "[" && pattern.indexOf("]", i + 2) > 0) {
      const close = pattern.indexOf("]", i + 2)
      const isNot = pattern[i + 1] === "!"
      const set = pattern.slice(i + (isNot ? 2 : 1), close).replaceAll(/[\\^[\]]/g, "\\$&")
      source += isNot ? `[^/${set}]` : `[${set}]`
      i = close
    } else source += literal(character)
  }
  return source + ")".repeat(depth)
}

/** More than this many wildcards could take a very long time to match. */
const mostWildcards = 12

/**
 * Whether a path with `/`, relative to what the pattern is relative to, matches. A pattern that is malformed or beyond all
 * measure matches everything: a server that is told of too much does its work twice, one that is not told answers wrong.
 */
export const compile = (pattern: string): ((path: string) => boolean) => {
  const simple = pattern.replaceAll(/(?:\*\*\/){2,}/g, "**/")
  if (simple.length > 4096 || (simple.match(/\*+/g)?.length ?? 0) > mostWildcards) return () => true
  try {
    const expression = new RegExp(`^${toRegExp(simple)}$`, "su")
    return (path) => expression.test(path)
  } catch {
    return () => true
  }
}
