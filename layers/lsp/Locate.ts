/** From what servers name to places in the texts that are on disk (C44–C53). */
import * as Diagnostics from "../../src/lsp/Diagnostics.ts"
import type { Diagnostic, Location } from "../../src/lsp/LanguageServers.ts"
import type { Place } from "../../src/lsp/Question.ts"
import * as TextPositions from "../../src/lsp/TextPositions.ts"
import * as Uri from "../../src/lsp/Uri.ts"
import type { Session } from "./Session.ts"
import type { Texts } from "./Texts.ts"

const longestLine = 1000

const indexedOf = (texts: Texts, path: string): TextPositions.Indexed | undefined => {
  const text = texts.read(path)
  return typeof text === "string" ? undefined : text.indexed
}

export const location = (session: Session, texts: Texts, { range, uri }: Place): Location => {
  const isFile = Uri.toPath(uri) !== undefined
  const path = session.pathOf(uri)
  const indexed = isFile ? indexedOf(texts, path) : undefined
  return {
    path,
    isFile,
    ...TextPositions.toSpan(indexed, range, session.capabilities.encoding),
    text: indexed === undefined ? undefined : TextPositions.lineText(indexed, range.start.line)?.slice(0, longestLine)
  }
}

/** What a server has said of a file. */
export const diagnostics = (
  session: Session,
  texts: Texts,
  path: string,
  from: Diagnostics.Source
): ReadonlyArray<Diagnostic> => {
  const items = session.diagnostics.items(path, from)
  if (items.length === 0) return []
  const indexed = indexedOf(texts, path)
  return items.map((item) => Diagnostics.toDiagnostic(item, path, indexed, session.capabilities.encoding))
}
