/** What stands where in the tree of a cell, and what its names mean. */
import type { AnyNode, Identifier, Pattern, Program, VariableDeclaration } from "acorn"

/** Calls for every node; `isTop`: it is in no function, so that `await` and `return` in it are the cell's own. */
export const walk = (
  node: AnyNode,
  visit: (node: AnyNode, isTop: boolean, parent: AnyNode | undefined) => void,
  isTop = true,
  parent?: AnyNode
): void => {
  visit(node, isTop, parent)
  const isInner = isTop && !isFunction(node)
  for (const child of children(node)) walk(child, visit, isInner, node)
}

const children = (node: AnyNode): ReadonlyArray<AnyNode> => {
  const found: Array<AnyNode> = []
  for (const value of Object.values(node)) {
    if (typeof value !== "object" || value === null) continue
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && "type" in child) found.push(child as AnyNode)
    }
  }
  return found
}

const isFunction = ({ type }: AnyNode) =>
  type === "FunctionDeclaration" ||
  type === "FunctionExpression" ||
  type === "ArrowFunctionExpression" ||
  type === "StaticBlock" ||
  type === "PropertyDefinition"

/** A name that a pattern binds or assigns. */
export interface Target {
  readonly node: Identifier
  /** It is a property's key too, as in `{ name }`. */
  readonly isShorthand: boolean
}

const targets = (pattern: Pattern, isShorthand = false): ReadonlyArray<Target> => {
  switch (pattern.type) {
    case "Identifier":
      return [{ node: pattern, isShorthand }]
    case "ObjectPattern":
      return pattern.properties.flatMap((each) =>
        each.type === "Property" ? targets(each.value, each.shorthand) : targets(each.argument)
      )
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each === null ? [] : targets(each)))
    case "AssignmentPattern":
      return targets(pattern.left, isShorthand)
    case "RestElement":
      return targets(pattern.argument)
    default:
      return []
  }
}

const namesOf = (pattern: Pattern): ReadonlyArray<string> => targets(pattern).map(({ node }) => node.name)

/** The names that a declaration of variables binds. */
export const declared = ({ declarations }: VariableDeclaration): ReadonlyArray<string> =>
  declarations.flatMap(({ id }) => namesOf(id))

/** Whether an identifier is read or written as a variable: it is no name of a property. */
export const isVariable = (node: Identifier, parent: AnyNode | undefined): boolean => {
  if (parent === undefined) return true
  if (parent.type === "MemberExpression") return parent.object === node || parent.computed
  if (parent.type === "Property") return parent.value === node || parent.computed || parent.shorthand
  if (parent.type === "MethodDefinition" || parent.type === "PropertyDefinition")
    return parent.key !== node || parent.computed
  return parent.type !== "ImportSpecifier" && parent.type !== "ImportDefaultSpecifier"
}

const varsOf = (body: AnyNode): ReadonlyArray<string> => {
  const names: Array<string> = []
  walk(body, (node, isTop) => {
    if (isTop && node.type === "VariableDeclaration" && node.kind === "var") names.push(...declared(node))
  })
  return names
}

const lexicalOf = (statements: ReadonlyArray<AnyNode>): ReadonlyArray<string> =>
  statements.flatMap((each) => {
    if (each.type === "VariableDeclaration") return each.kind === "var" ? [] : declared(each)
    return (each.type === "ClassDeclaration" || each.type === "FunctionDeclaration") && each.id ? [each.id.name] : []
  })

/** The names that a node binds for what is in it. */
const bound = (node: AnyNode): ReadonlyArray<string> => {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [
        ...(node.type === "FunctionExpression" && node.id ? [node.id.name] : []),
        ...node.params.flatMap(namesOf),
        ...varsOf(node.body)
      ]
    case "ClassDeclaration":
    case "ClassExpression":
      return node.id ? [node.id.name] : []
    case "BlockStatement":
      return lexicalOf(node.body)
    case "StaticBlock":
      return [...lexicalOf(node.body), ...node.body.flatMap(varsOf)]
    case "SwitchStatement":
      return node.cases.flatMap(({ consequent }) => lexicalOf(consequent))
    case "ForStatement":
      return node.init ? lexicalOf([node.init]) : []
    case "ForInStatement":
    case "ForOfStatement":
      return lexicalOf([node.left])
    case "CatchClause":
      return node.param ? namesOf(node.param) : []
    default:
      return []
  }
}

const assigned = (node: AnyNode): ReadonlyArray<Target> => {
  if (node.type === "AssignmentExpression") return targets(node.left)
  if (node.type === "UpdateExpression") return node.argument.type === "Identifier" ? targets(node.argument) : []
  if (node.type !== "ForInStatement" && node.type !== "ForOfStatement") return []
  return node.left.type === "VariableDeclaration" ? [] : targets(node.left)
}

/** Calls for every node with those of these names that mean in it what they mean at the program's top. */
const walkNamed = (
  program: Program,
  names: ReadonlySet<string>,
  visit: (node: AnyNode, visible: ReadonlySet<string>, parent: AnyNode | undefined) => void
): void => {
  const look = (node: AnyNode, visible: ReadonlySet<string>, parent: AnyNode | undefined): void => {
    const hidden = node === program ? [] : bound(node).filter((name) => visible.has(name))
    const inside = hidden.length === 0 ? visible : new Set([...visible].filter((name) => !hidden.includes(name)))
    if (inside.size === 0) return
    visit(node, inside, parent)
    for (const child of children(node)) look(child, inside, node)
  }
  if (names.size > 0) look(program, names, undefined)
}

/** Where these names of the program's top are assigned, wherever in it that is. */
export const assignments = (program: Program, names: ReadonlySet<string>): ReadonlyArray<Target> => {
  const found: Array<Target> = []
  walkNamed(program, names, (node, visible) => {
    for (const target of assigned(node)) if (visible.has(target.node.name)) found.push(target)
  })
  return found
}

/** Where these names are used that the program does not declare. */
export const references = (program: Program, names: ReadonlySet<string>): ReadonlyArray<Target> => {
  const own = [...lexicalOf(program.body), ...varsOf(program)]
  const found: Array<Target> = []
  walkNamed(program, new Set([...names].filter((name) => !own.includes(name))), (node, visible, parent) => {
    if (node.type !== "Identifier" || !visible.has(node.name) || !isVariable(node, parent)) return
    const isShorthand = parent?.type === "Property" && parent.shorthand
    // The tree has one node twice where it is key and value.
    if (!found.some((each) => each.node.start === node.start)) found.push({ node, isShorthand })
  })
  return found
}
