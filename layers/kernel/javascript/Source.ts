/**
 * A cell as V8's REPL mode takes it: imports become calls, the last expression is handed to the echo, a `return` at the top ends
 * the cell, TypeScript becomes JavaScript, and a name may be declared again as something else.
 *
 * Everything else (top-level `await`, live bindings, declaring again in the same way) is V8's own.
 */
import { join } from "node:path"
import { type AnyNode, type FunctionDeclaration, parse, type Program, type VariableDeclaration } from "acorn"
import * as Edits from "./Edits.ts"
import * as Imports from "./Imports.ts"
import { helper } from "./Messages.ts"
import type { Rewritten } from "./Rewritten.ts"
import * as Scopes from "./Scopes.ts"
import * as Transpiler from "./Transpiler.ts"

/** How V8 holds a name: a `let`, or a property of the global object (`var`, `function`). */
type Binding = "let" | "global"

/** What earlier cells declared. */
export type Known = Map<string, Binding>

interface Readable {
  readonly text: string
  readonly program: Program
  readonly prefix: number
  readonly transpiled?: Transpiler.Transpiled
}

const read = (text: string): Program | undefined => {
  try {
    return parse(text, {
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

const readable = (source: string): Readable | Omit<Rewritten, "ahead"> => {
  // What begins like a block and reads as an object is one, as in every JavaScript console.
  const isObject = /^\s*\{/.test(source) && !/;\s*$/.test(source)
  const candidates = [...(isObject ? [{ text: `(${source}\n)`, prefix: 1 }] : []), { text: source, prefix: 0 }]
  for (const candidate of candidates) {
    const program = read(candidate.text)
    if (program !== undefined) return { ...candidate, program }
  }
  let refused = whole(source)
  try {
    Transpiler.oxc()
  } catch (error) {
    return { ...refused, untried: (error as Error).message }
  }
  for (const { prefix, text } of candidates) {
    const types = Transpiler.transpile(text, cellFile("ts"), { isCell: true })
    const markup =
      "message" in types && /<[\w>]/.test(text) ? Transpiler.transpile(text, cellFile("tsx"), { isCell: true }) : types
    const transpiled = "message" in markup ? types : markup
    if ("message" in transpiled) refused = { ...whole(source), unreadable: transpiled }
    else {
      const program = read(transpiled.code)
      if (program !== undefined) return { text: transpiled.code, program, prefix, transpiled }
      refused = { ...whole(transpiled.code), prefix, transpiled }
    }
  }
  return refused
}

/** As it is, for V8 to judge. */
const whole = (code: string): Omit<Rewritten, "ahead"> => ({
  code,
  segments: [{ at: 0, from: 0, length: code.length }],
  prefix: 0
})

/** As if the cells lay in the working directory. */
const cellFile = (extension: string) => join(process.cwd(), `cell.${extension}`)

/** The cell in V8's terms. `known` is brought up to date. */
export const rewrite = (source: string, known: Known): Rewritten => {
  try {
    const found = readable(source)
    if (!("program" in found)) return found
    const { prefix, text, transpiled } = found
    const { ahead, beginning, edits } = editsOf(source, found, known)
    const { code, segments } = Edits.apply(text, edits, beginning)
    return {
      // The value of a cell is what the echo was given; V8 would otherwise send us what it takes for one.
      code: `${code}\n;void 0`,
      segments,
      prefix,
      ...(transpiled === undefined ? {} : { transpiled }),
      ...(ahead === undefined ? {} : { ahead })
    }
  } catch {
    // Nested too deeply to be walked through; V8 may still take it.
    return whole(source)
  }
}

const editsOf = (source: string, { program, text, transpiled }: Readable, known: Known) => {
  const edits: Array<Edits.Edit> = []
  const replace = (start: number, end: number, by: string) => edits.push({ start, end, text: by })
  const insert = (at: number, by: string) => edits.push({ start: at, end: at, text: by })
  /** The end of a statement without its semicolon. */
  const contentEnd = ({ start, end }: AnyNode) => (text[end - 1] === ";" && end - 1 > start ? end - 1 : end)

  const needsWalk = /\b(?:import|return|export|const|var|function|class|await)\b/.test(text)
  const used = new Set<string>()
  const variables: Array<{ readonly node: VariableDeclaration; readonly parent: AnyNode | undefined }> = []
  if (needsWalk) {
    Scopes.walk(program, (node, isTop, parent) => {
      if (node.type === "Identifier") {
        if (Scopes.isVariable(node, parent)) used.add(node.name)
      } else if (node.type === "ImportExpression") replace(node.start, node.start + 6, `${helper}.load`)
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

  // A cell may declare a constant of an earlier one again as anything: to V8 it is none, and an assignment in its own cell throws.
  const declarations = program.body.flatMap((statement) => {
    const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    return node?.type === "VariableDeclaration" ? [node] : []
  })
  const constants = declarations.flatMap((node) => (node.kind === "const" ? Scopes.declared(node) : []))
  for (const { isShorthand, node } of Scopes.assignments(program, new Set(constants))) {
    replace(node.start, node.end, `${isShorthand ? `${node.name}: ` : ""}${helper}.constant(${node.name}).value`)
  }

  const places = new Set(["__dirname", "__filename"].filter((name) => !known.has(name) && text.includes(name)))
  for (const { isShorthand, node } of Scopes.references(program, places)) {
    replace(node.start, node.end, `${isShorthand ? `${node.name}: ` : ""}${helper}.meta.${node.name.slice(2)}`)
  }

  // An enum has the members of its own cell only.
  if (transpiled !== undefined) {
    for (const { id, init } of declarations.flatMap((node) => node.declarations)) {
      if (id.type !== "Identifier" || init?.type !== "CallExpression") continue
      const [before] = init.arguments
      if (before !== undefined && text.slice(before.start, before.end) === `${id.name} || {}`)
        replace(before.start, before.end, "{}")
    }
  }

  const isLexical = (name: string) => known.get(name) === "let"
  /** Lexical names that this cell has declared, and may again by a `var` or as a function. */
  const already = new Set(
    program.body.flatMap((statement) => {
      const node = functionOf(statement)
      return node !== undefined && isLexical(node.id.name) ? [node.id.name] : []
    })
  )
  /** The keyword that V8 accepts for these names after what earlier cells declared; `undefined`: none for all of them. */
  const keyword = (kind: "let" | "const" | "var", names: ReadonlyArray<string>): "let" | "var" | undefined => {
    if (kind === "var" && names.some((name) => already.has(name))) return undefined
    const isGlobal = names.some((name) => known.get(name) === "global")
    if (names.some(isLexical)) return isGlobal ? undefined : "let"
    return isGlobal || kind === "var" ? "var" : "let"
  }
  const learn = (names: ReadonlyArray<string>, as: "let" | "var") => {
    for (const name of names) known.set(name, as === "var" ? "global" : as)
  }
  /** What declares these names, of which some are lexical, so that they can be assigned. */
  const declaring = (names: ReadonlyArray<string>) => {
    const lexical = names.filter((name) => isLexical(name) && !already.has(name))
    const others = names.filter((name) => !isLexical(name))
    learn(others, "var")
    return (
      (lexical.length > 0 ? `let ${lexical.join(", ")};` : "") + (others.length > 0 ? `var ${others.join(", ")};` : "")
    )
  }
  /** Makes a declaration an expression that assigns. It begins and ends a statement as one, whatever stands in the lines around it. */
  const assign = (node: VariableDeclaration, before: string, isHead: boolean) => {
    replace(node.start, node.start + node.kind.length, `${before}void(`)
    for (const { id, init } of node.declarations) {
      if (!init) replace(id.start, id.end, node.kind === "var" ? "0" : `${text.slice(id.start, id.end)} = undefined`)
    }
    insert(contentEnd(node), isHead || contentEnd(node) < node.end ? ")" : ");")
  }

  const beginning = program.body.find((node) => !("directive" in node))?.start ?? 0
  /** Runs first. */
  let hoisted = ""

  for (const { node, parent } of variables) {
    const names = Scopes.declared(node)
    const isOfTop = parent?.type === "Program" || parent?.type === "ExportNamedDeclaration"
    const as = isOfTop || !names.some(isLexical) ? keyword("var", names) : undefined
    if (as !== undefined) {
      if (as === "let") {
        replace(node.start, node.start + 3, as)
        for (const name of names) already.add(name)
      }
      learn(names, as)
      continue
    }
    if (isOfTop) {
      assign(node, declaring(names), false)
      continue
    }
    // A `let` in its place would be the block's own: it is assigned to what there is.
    const others = names.filter((name) => !isLexical(name))
    if (others.length > 0) hoisted += `var ${others.join(", ")};`
    learn(others, "var")
    if ((parent?.type === "ForInStatement" || parent?.type === "ForOfStatement") && parent.left === node)
      replace(node.start, node.start + 3, "")
    else assign(node, "", parent?.type === "ForStatement" && parent.init === node)
  }

  const imports = program.body.flatMap((node) => (node.type === "ImportDeclaration" ? [node] : []))
  let ahead = ""
  let isHiding = false
  const isSorted = program.body.slice(0, imports.length).every(({ type }) => type === "ImportDeclaration")
  for (const node of imports) {
    const { all, attributes, from, members, names } = Imports.parts(node)
    const isUnused = ({ as }: Imports.Member) => !used.has(as)
    // Only its types name it.
    const isTyped = ({ as }: Imports.Member) => transpiled !== undefined && count(source, as) > count(text, as)
    const asTypes = {
      unused: members.filter(isUnused).map(({ name }) => name),
      typed: members.filter((each) => isUnused(each) && isTyped(each)).map(({ name }) => name)
    }
    const load = (wanted: ReadonlyArray<string>, more = "") =>
      `await ${helper}.hold(${helper}.import(${from}, ${JSON.stringify(wanted)}, ${attributes}${more}))`
    ahead += `try { ${load([])} } catch {}\n`
    isHiding ||= names.some((name) => name in globalThis)
    const module = load(
      members.map(({ name }) => name),
      `, ${JSON.stringify(asTypes)}`
    )
    const as = keyword("let", names)
    if (as !== undefined) learn(names, as)
    const before = as === undefined ? declaring(names) : ""
    const declared = `${before}${Imports.declaration(as, all, members, module)};`
    replace(node.start, node.end, isSorted ? declared : "")
    if (!isSorted) insert(beginning, declared)
  }

  const hoistedNames = new Set<string>()
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
      const names = Scopes.declared(node)
      const as = keyword(node.kind, names)
      if (as === undefined) {
        assign(node, declaring(names), false)
        continue
      }
      if (as !== node.kind) replace(node.start, node.start + node.kind.length, as)
      if (as === "var") for (const { id, init } of node.declarations) if (!init) insert(id.end, " = undefined")
      learn(names, as)
    } else if (node.type === "ClassDeclaration" && node.id) {
      const { name } = node.id
      if (known.get(name) === "global") {
        insert(node.start, `var ${name} = `)
        insert(node.end, ";")
      } else learn([name], "let")
    }
    const made = functionOf(statement)
    if (made !== undefined) {
      const { end, id, start } = made
      if (isLexical(id.name)) {
        // It is there from the beginning of its cell on.
        edits.push({
          start,
          end: start,
          text: `${hoistedNames.has(id.name) ? "" : "let "}${id.name} = `,
          hoists: "from"
        })
        edits.push({ start: end, end, text: ";", hoists: "to" })
        hoistedNames.add(id.name)
      } else learn([id.name], "var")
    }
  }

  // `export {}` marks a module; the transpiler leaves it where all other imports were of types.
  const isNothing = (node: AnyNode) =>
    node.type === "EmptyStatement" ||
    (node.type === "ExportNamedDeclaration" && !node.declaration && !node.source && node.specifiers.length === 0)
  const last = program.body.findLast((node) => !isNothing(node))
  if (last?.type === "ExpressionStatement") {
    insert(last.start, `${helper}.echo((`)
    insert(contentEnd(last), "))")
  }
  if (hoisted !== "") edits.unshift({ start: beginning, end: beginning, text: hoisted })
  return { edits, beginning, ahead: isHiding ? ahead : undefined }
}

/** The function that a statement declares. */
const functionOf = (statement: AnyNode): FunctionDeclaration | undefined => {
  const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
  const node = isExport ? statement.declaration : statement
  return node?.type === "FunctionDeclaration" && node.id ? (node as FunctionDeclaration) : undefined
}

/** How often a text has a name. */
const count = (text: string, name: string): number =>
  text.split(/[^\p{ID_Continue}$]+/u).filter((each) => each === name).length

/** Whether a `return` of the cell itself stands in the block that this clause guards. */
const contains = (clause: AnyNode, owner: AnyNode | undefined): boolean => {
  if (owner?.type !== "TryStatement" || owner.handler !== clause) return false
  let found = false
  Scopes.walk(owner.block, (node, isTop) => {
    if (isTop && node.type === "ReturnStatement") found = true
  })
  return found
}
