/** Whether a text can be the new name of a symbol: servers accept what is none (C96, E9). */

const identifier = /^[\p{ID_Start}_$][\p{ID_Continue}$\u200c\u200d]*$/u

/** What may stand before or after an identifier as a part of the name: `@field`, `#secret`, `'a`, `valid?`. */
const dressed = /^([@$%&#'~:.]{0,2})(.*?)([?!=']?)$/su

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const script =
  "break case catch class const continue debugger default delete do else enum export extends false finally for function if import in " +
  "instanceof new null return super switch this throw true try typeof var void while with"
const c =
  "auto break case char const continue default do double else enum extern float for goto if int long register return short signed " +
  "sizeof static struct switch typedef union unsigned void volatile while"

/** Words that are no names, by language identifier; of other languages none are known here. */
const keywords: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...["javascript", "javascriptreact", "typescript", "typescriptreact", "vue", "svelte", "astro"].map(
    (id): [string, ReadonlySet<string>] => [id, words(script)]
  ),
  [
    "python",
    words(
      "False None True and as assert async await break class continue def del elif else except finally for from global if import in is " +
        "lambda nonlocal not or pass raise return try while with yield"
    )
  ],
  [
    "go",
    words(
      "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return " +
        "select struct switch type var"
    )
  ],
  [
    "rust",
    words(
      "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return " +
        "self Self static struct super trait true type unsafe use where while"
    )
  ],
  ["c", words(c)],
  [
    "cpp",
    words(
      `${c} bool catch class const_cast constexpr delete dynamic_cast explicit export false friend inline mutable namespace new noexcept ` +
        "nullptr operator private protected public reinterpret_cast static_cast template this throw true try typename using virtual"
    )
  ],
  [
    "java",
    words(
      "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float " +
        "for goto if implements import instanceof int interface long native new null package private protected public return short " +
        "static super switch synchronized this throw throws transient try void volatile while true false"
    )
  ]
])

/**
 * Why the new name cannot be; `undefined` where nothing speaks against it. Where the old name is an identifier the new one
 * must be, with the same sign before it; where it is not (`--color`, a heading), only white space is refused that it has not.
 */
export const fault = (names: {
  readonly from: string
  readonly to: string
  readonly languageId: string | undefined
}): string | undefined => {
  const { from, languageId, to } = names
  if (to.trim() === "") return "it is empty"
  if (to === from) return `the symbol is called \`${from}\` already`
  if (/[\r\n]/.test(to)) return "it has a line end in it"
  const isPlain = identifier.test(from) && identifier.test(to)
  const [, before, inner] = dressed.exec(from)!
  if (!isPlain && !identifier.test(inner!))
    return /\s/.test(to) && !/\s/.test(from) ? "it has white space in it" : undefined
  const [, nextBefore, next] = dressed.exec(to)!
  if (!isPlain && (!identifier.test(next!) || nextBefore !== before)) return `it is not a name as \`${from}\` is`
  if (languageId !== undefined && keywords.get(languageId)?.has(to) === true) return `it is a keyword of ${languageId}`
  return undefined
}
