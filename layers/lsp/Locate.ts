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

/** The places in the order given; each file is looked at once. */
export const locations = (session: Session, texts: Texts, places: ReadonlyArray<Place>): ReadonlyArray<Location> => {
  const known = new Map<string, Pick<Location, "path" | "isFile"> & { indexed: TextPositions.Indexed | undefined }>()
  return places.map(({ range, uri }) => {
    let file = known.get(uri)
    if (file === undefined) {
      const isFile = Uri.toPath(uri) !== undefined
      const path = session.pathOf(uri)
      file = { path, isFile, indexed: isFile ? indexedOf(texts, path) : undefined }
      known.set(uri, file)
    }
    const { indexed, isFile, path } = file
    return {
      path,
      isFile,
      ...TextPositions.toSpan(indexed, range, session.capabilities.encoding),
      text: indexed === undefined ? undefined : TextPositions.lineText(indexed, range.start.line)?.slice(0, longestLine)
    }
  })
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
