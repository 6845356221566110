/** The static imports of a cell, which become calls of the kernel. */
import type { ImportDeclaration } from "acorn"

/** A name of a module, and what it is called in the cell. */
export interface Member {
  readonly name: string
  readonly as: string
}

export interface Parts {
  /** As JavaScript. */
  readonly from: string
  /** As JavaScript. */
  readonly attributes: string
  /** What the whole module is called. */
  readonly all: string | undefined
  readonly members: ReadonlyArray<Member>
  /** What it declares. */
  readonly names: ReadonlyArray<string>
}

export const parts = (node: ImportDeclaration): Parts => {
  const members: Array<Member> = []
  let all: string | undefined
  for (const each of node.specifiers) {
    if (each.type === "ImportNamespaceSpecifier") all = each.local.name
    else if (each.type === "ImportDefaultSpecifier") members.push({ name: "default", as: each.local.name })
    else {
      const name = each.imported.type === "Identifier" ? each.imported.name : String(each.imported.value)
      members.push({ name, as: each.local.name })
    }
  }
  const attributes = Object.fromEntries(
    node.attributes.map(({ key, value }) => [key.type === "Identifier" ? key.name : String(key.value), value.value])
  )
  return {
    from: JSON.stringify(node.source.value),
    attributes: JSON.stringify(attributes),
    all,
    members,
    names: [...(all === undefined ? [] : [all]), ...members.map(({ as }) => as)]
  }
}

/** The declaration of what is imported; `module` is an expression. Without a keyword: the assignment. */
export const declaration = (
  keyword: "let" | "var" | undefined,
  all: string | undefined,
  members: ReadonlyArray<Member>,
  module: string
): string => {
  const targets = `{ ${members.map(({ as, name }) => `${JSON.stringify(name)}: ${as}`).join(", ")} }`
  const whole = all === undefined ? [] : [`${all} = ${module}`]
  const parts = members.length === 0 ? whole : [...whole, `${targets} = ${all ?? module}`]
  if (parts.length === 0) return module
  return keyword === undefined ? `void (${parts.join(", ")})` : `${keyword} ${parts.join(", ")}`
}
