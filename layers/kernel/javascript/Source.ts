/**
 * A cell as V8's REPL mode takes it: imports become calls, the last expression is handed to the echo, a `return` at the top ends
 * the cell, TypeScript's types are dropped, and a name may be declared again as something else. Lines stay lines.
 *
 * Everything else (top-level `await`, live bindings, declaring again in the same way) is V8's own.
 */
import { type AnyNode, parse, type Pattern, type Program, type VariableDeclaration } from "acorn"
import type * as Sucrase from "sucrase"

const typeStripper = "sucrase".toString()

/** The global through which rewritten code reaches the kernel. */
export const helper = "__cell"

/** How V8 holds a name: a `let`, a `const`, or a property of the global object (`var`, `function`). */
type Binding = "let" | "const" | "global"

/** What earlier cells declared. */
export type Known = Map<string, Binding>

/** In this line of the rewritten code, columns from here on are this much further right than in the source. All 0-based. */
export interface Shift {
  readonly line: number
  readonly column: number
  readonly by: number
}

export interface Rewritten {
  /** Runs before the code, and fails never: loads what it imports under a name that these modules may use themselves. */
  readonly ahead?: string
  readonly code: string
  readonly shifts: ReadonlyArray<Shift>
  /** The cell could not be read: V8 says what is wrong with it. */
  readonly isRaw: boolean
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

const readers: ReadonlyArray<(source: string) => string | undefined> = [
  // What begins like a block and reads as an object is one, as in every JavaScript console.
  (source) => (/^\s*\{/.test(source) && !/;\s*$/.test(source) ? `(${source}\n)` : undefined),
  (source) => source
]

const read = (source: string): Program | undefined => {
  try {
    return parse(source, {
      ecmaVersion: "latest",
      sourceType: "script",
      allowAwaitOutsideFunction: true,
      allowReturnOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowHashBang: true
    })
  } catch {
    return undefined
  }
}

const readable = (source: string): { readonly text: string; readonly program: Program } | undefined => {
  for (const reader of readers) {
    const text = reader(source)
    const program = text === undefined ? undefined : read(text)
    if (text !== undefined && program !== undefined) return { text, program }
  }
  return undefined
}

/** The cell in V8's terms. `known` is brought up to date. */
export const rewrite = async (source: string, known: Known): Promise<Rewritten> => {
  const text = source.replace(/^\uFEFF/, "")
  const plain = readable(text) ?? (await withoutTypes(text))
  try {
    if (plain !== undefined) {
      const { ahead, edits } = editsOf(plain.text, plain.program, known)
      const { code, shifts } = apply(plain.text, edits)
      // The value of a cell is what the echo was given; V8 would otherwise send us what it takes for one.
      return { code: `${code}\n;void 0`, shifts, isRaw: false, ...(ahead === undefined ? {} : { ahead }) }
    }
  } catch {
    // Nested too deeply to be walked through; V8 may still take it.
  }
  return { code: text, shifts: [], isRaw: true }
}

const withoutTypes = async (source: string) => {
  try {
    // By a name that the bundler cannot follow: half a megabyte that most cells do not need.
    const { transform } = (await import(typeStripper)) as typeof Sucrase
    const { code } = transform(source, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true
    })
    return readable(code)
  } catch {
    return undefined
  }
}

/** Calls for every node; `isTop`: it is in no function, so that `await` and `return` in it are the cell's own. */
const walk = (
  node: AnyNode,
  visit: (node: AnyNode, isTop: boolean, parent: AnyNode | undefined) => void,
  isTop = true,
  parent?: AnyNode
): void => {
  visit(node, isTop, parent)
  const isInner = isTop && !isFunction(node)
  for (const value of Object.values(node)) {
    if (typeof value !== "object" || value === null) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) walk(child as AnyNode, visit, isInner, node)
    }
  }
}

const isFunction = ({ type }: AnyNode) =>
  type === "FunctionDeclaration" ||
  type === "FunctionExpression" ||
  type === "ArrowFunctionExpression" ||
  type === "StaticBlock" ||
  type === "PropertyDefinition"

const namesOf = (pattern: Pattern): ReadonlyArray<string> => {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name]
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => namesOf(each.type === "Property" ? each.value : each.argument))
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each === null ? [] : namesOf(each)))
    case "AssignmentPattern":
      return namesOf(pattern.left)
    case "RestElement":
      return namesOf(pattern.argument)
    default:
      return []
  }
}

const editsOf = (text: string, program: Program, known: Known) => {
  const edits: Array<Edit> = []
  const replace = (start: number, end: number, by: string) => edits.push({ start, end, text: by })
  const insert = (at: number, by: string) => edits.push({ start: at, end: at, text: by })
  /** The end of a statement without its semicolon. */
  const contentEnd = ({ start, end }: AnyNode) => (text[end - 1] === ";" && end - 1 > start ? end - 1 : end)

  const needsWalk = /\b(?:import|return|export|const|var|function|class|await)\b/.test(text)
  const assigned = new Set<string>()
  const variables: Array<{ readonly node: VariableDeclaration; readonly parent: AnyNode | undefined }> = []
  if (needsWalk) {
    walk(program, (node, isTop, parent) => {
      if (node.type === "AssignmentExpression" && node.left.type !== "MemberExpression") {
        for (const name of namesOf(node.left)) assigned.add(name)
      } else if (node.type === "UpdateExpression" && node.argument.type === "Identifier")
        assigned.add(node.argument.name)
      else if (node.type === "ImportExpression") replace(node.start, node.start + 6, `${helper}.load`)
      else if (node.type === "MetaProperty" && node.meta.name === "import")
        replace(node.start, node.end, `${helper}.meta`)
      else if (isTop && node.type === "AwaitExpression") {
        insert(node.start + "await".length, ` ${helper}.hold(`)
        insert(node.end, ")")
      } else if (isTop && node.type === "ForOfStatement" && node.await) {
        insert(node.right.start, `${helper}.each(`)
        insert(node.right.end, ")")
      } else if (isTop && node.type === "ReturnStatement") {
        replace(node.start, node.start + 6, `throw ${helper}.returned(${node.argument ? "(" : ""}`)
        insert(contentEnd(node), node.argument ? "))" : ")")
      } else if (isTop && node.type === "CatchClause" && contains(node, parent)) guard(node)
      else if (isTop && node.type === "VariableDeclaration" && node.kind === "var") variables.push({ node, parent })
    })
  }

  /** A `return` inside of `try` is no error for its `catch`. */
  function guard(clause: AnyNode & { readonly type: "CatchClause" }) {
    const { param } = clause
    if (param?.type === "Identifier")
      insert(clause.body.start + 1, `if (${helper}.isReturn(${param.name})) throw ${param.name};`)
    else if (!param) {
      insert(clause.start + 5, ` (${helper}Error)`)
      insert(clause.body.start + 1, `if (${helper}.isReturn(${helper}Error)) throw ${helper}Error;`)
    }
  }

  /** The keyword that V8 accepts for these names after what earlier cells declared, of those that keep the meaning. */
  const keyword = (kind: "let" | "const" | "var", names: ReadonlyArray<string>): "let" | "const" | "var" => {
    const has = (binding: Binding) => names.some((name) => known.get(name) === binding)
    if (has("global")) return "var"
    if (has("const")) return "const"
    if (kind === "var") return has("let") ? "let" : "var"
    // A `let` can be declared again as anything; a `const` is kept where its cell would break the promise.
    return kind === "const" && names.some((name) => assigned.has(name)) && !has("let") ? "const" : "let"
  }
  const learn = (names: ReadonlyArray<string>, as: "let" | "const" | "var") => {
    for (const name of names) known.set(name, as === "var" ? "global" : as)
  }

  /** Runs first. */
  let hoisted = ""

  for (const { node, parent } of variables) {
    const names = node.declarations.flatMap(({ id }) => namesOf(id))
    const isLexical = (name: string) => known.get(name) === "let" || known.get(name) === "const"
    if (parent?.type === "Program" || parent?.type === "ExportNamedDeclaration" || !names.some(isLexical)) {
      const as = keyword("var", names)
      if (as !== "var") replace(node.start, node.start + 3, as)
      learn(names, as)
      continue
    }
    // A `let` in its place would be the block's own: it is assigned to what there is.
    const others = names.filter((name) => !isLexical(name))
    if (others.length > 0) hoisted += `var ${others.join(", ")};`
    learn(others, "var")
    if ((parent?.type === "ForInStatement" || parent?.type === "ForOfStatement") && parent.left === node) {
      replace(node.start, node.start + 3, "")
      continue
    }
    // Begins and ends a statement as `var` does, whatever stands in the lines around it.
    replace(node.start, node.start + 3, "void(")
    for (const { id, init } of node.declarations) if (!init) replace(id.start, id.end, "0")
    const isHead = parent?.type === "ForStatement" && parent.init === node
    insert(contentEnd(node), isHead || contentEnd(node) < node.end ? ")" : ");")
  }

  const imports = program.body.flatMap((node) => (node.type === "ImportDeclaration" ? [node] : []))
  let ahead = ""
  let isHiding = false
  const isSorted = program.body.slice(0, imports.length).every(({ type }) => type === "ImportDeclaration")
  for (const node of imports) {
    const source = JSON.stringify(node.source.value)
    const members: Array<{ readonly name: string; readonly as: string }> = []
    let all: string | undefined
    for (const each of node.specifiers) {
      if (each.type === "ImportNamespaceSpecifier") all = each.local.name
      else if (each.type === "ImportDefaultSpecifier") members.push({ name: "default", as: each.local.name })
      else {
        const name = each.imported.type === "Identifier" ? each.imported.name : String(each.imported.value)
        members.push({ name, as: each.local.name })
      }
    }
    const names = [...(all === undefined ? [] : [all]), ...members.map(({ as }) => as)]
    const attributes = Object.fromEntries(
      node.attributes.map(({ key, value }) => [key.type === "Identifier" ? key.name : String(key.value), value.value])
    )
    const wanted = JSON.stringify(members.map(({ name }) => name))
    const loaded = `await ${helper}.hold(${helper}.import(${source}, [], ${JSON.stringify(attributes)}))`
    ahead += `try { ${loaded} } catch {}\n`
    isHiding ||= names.some((name) => name in globalThis)
    const module = `await ${helper}.hold(${helper}.import(${source}, ${wanted}, ${JSON.stringify(attributes)}))`
    const targets = `{ ${members.map(({ name, as }) => `${JSON.stringify(name)}: ${as}`).join(", ")} }`
    const as = keyword("let", names)
    const declared =
      names.length === 0
        ? `${module};`
        : all === undefined
          ? `${as} ${targets} = ${module};`
          : members.length === 0
            ? `${as} ${all} = ${module};`
            : `${as} ${all} = ${module}, ${targets} = ${all};`
    learn(names, as)
    const lines = "\n".repeat(text.slice(node.start, node.end).split("\n").length - 1)
    replace(node.start, node.end, isSorted ? declared + lines : lines)
    if (!isSorted) insert(program.body[0]!.start, declared)
  }

  for (const statement of program.body) {
    let node: AnyNode = statement
    if (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration") {
      if (!statement.declaration) {
        replace(statement.start, statement.end, "")
        continue
      }
      replace(statement.start, statement.declaration.start, "")
      node = statement.declaration
    } else if (statement.type === "ExportAllDeclaration") replace(statement.start, statement.end, "")
    if (node.type === "VariableDeclaration" && (node.kind === "let" || node.kind === "const")) {
      const names = node.declarations.flatMap(({ id }) => namesOf(id))
      const as = keyword(node.kind, names)
      if (as !== node.kind) replace(node.start, node.start + node.kind.length, as.padEnd(node.kind.length))
      if (as === "var") for (const { id, init } of node.declarations) if (!init) insert(id.end, " = undefined")
      learn(names, as)
    } else if (node.type === "ClassDeclaration" && node.id) {
      const { name } = node.id
      if (known.get(name) === "global") {
        insert(node.start, `var ${name} = `)
        insert(node.end, ";")
      } else learn([name], "let")
    } else if (node.type === "FunctionDeclaration" && node.id) {
      const { name } = node.id
      if (known.get(name) === "let") {
        // It is there from the beginning of its cell on; its lines stay where they are.
        const made = `${helper}_${name}`
        hoisted += `${name} = ${made}();`
        insert(node.start, `function ${made}() { return `)
        insert(node.end, " }")
      } else learn([name], "var")
    }
  }

  const last = program.body.findLast(({ type }) => type !== "EmptyStatement")
  if (last?.type === "ExpressionStatement") {
    insert(last.start, `${helper}.echo((`)
    insert(contentEnd(last), "))")
  }
  const beginning = program.body.find((node) => !("directive" in node))?.start ?? 0
  if (hoisted !== "") edits.unshift({ start: beginning, end: beginning, text: hoisted })
  return { edits, ahead: isHiding ? ahead : undefined }
}

/** Whether a `return` of the cell itself stands in the block that this clause guards. */
const contains = (clause: AnyNode, owner: AnyNode | undefined): boolean => {
  if (owner?.type !== "TryStatement" || owner.handler !== clause) return false
  let found = false
  walk(owner.block, (node, isTop) => {
    if (isTop && node.type === "ReturnStatement") found = true
  })
  return found
}

const apply = (text: string, edits: ReadonlyArray<Edit>) => {
  const shifts: Array<Shift> = []
  let code = ""
  let from = 0
  // Stable: at one place the outer edit, made later, comes first only where it was meant to (an echo around an import).
  for (const { start, end, text: by } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    code += text.slice(from, start) + by
    from = end
    const line = code.lastIndexOf("\n") + 1
    if (!by.includes("\n") && by.length !== end - start) {
      shifts.push({ line: code.split("\n").length - 1, column: code.length - line, by: by.length - (end - start) })
    }
  }
  return { code: code + text.slice(from), shifts }
}
