/** Near names for error messages. */

const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      row.push(
        Math.min(
          previous[j]! + 1,
          row[j - 1]! + 1,
          previous[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
        )
      )
    }
    previous = row
  }
  return previous[b.length]!
}

/** The names that are near enough to be meant, nearest first: at most `limit`, compared without case. */
export const near = (name: string, names: Iterable<string>, limit = 3): ReadonlyArray<string> => {
  const wanted = name.toLowerCase().slice(0, 100)
  const scored: Array<{ readonly name: string; readonly score: number }> = []
  for (const candidate of names) {
    const other = candidate.toLowerCase().slice(0, 100)
    const contained = wanted.length > 2 && (other.includes(wanted) || (other.length > 2 && wanted.includes(other)))
    const score = contained ? Math.abs(other.length - wanted.length) / 10 : distance(wanted, other)
    if (contained || score <= Math.max(1, Math.floor(wanted.length / 3))) scored.push({ name: candidate, score })
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map((entry) => entry.name)
}

/** `" Did you mean \`a\` or \`b\`?"`, or nothing. */
export const didYouMean = (name: string, names: Iterable<string>): string => {
  const found = near(name, names)
  return found.length === 0 ? "" : ` Did you mean ${found.map((n) => `\`${n}\``).join(" or ")}?`
}
