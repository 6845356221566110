// Copies the compiled grammars that the values in this folder name, and the licences of their packages, out of node_modules.
import { build } from "esbuild"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

const grammars = async () => {
  const { outputFiles } = await build({
    entryPoints: [join(here, "index.ts")],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "error"
  })
  const { all } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`)
  return all.map(({ id, wasm }) => ({ id, ...wasm }))
}

/** The folder of an installed package, looked for as Node does. */
const folderOf = (name) => {
  for (let at = here; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name)
    if (existsSync(folder)) return folder
    if (at === dirname(at)) throw new Error(`${name} is not installed: run \`npm install\` first`)
  }
}

const isCopied = (from, to) =>
  existsSync(to) && statSync(to).size === statSync(from).size && readFileSync(to).equals(readFileSync(from))

const copy = (from, to) => isCopied(from, to) || copyFileSync(from, to)

const licensesOf = (folder) => readdirSync(folder).filter((name) => /^(?:licen[cs]e|notice|cgmanifest)/i.test(name))

const wanted = await grammars()
mkdirSync(join(here, "licenses"), { recursive: true })
const files = new Set()
for (const { file, id, package: name, path } of wanted) {
  const from = join(folderOf(name), path)
  if (!existsSync(from)) throw new Error(`the grammar of ${id} is not in ${name}: there is no ${path}`)
  copy(from, join(here, file))
  files.add(file)
}
copy(join(folderOf("web-tree-sitter"), "web-tree-sitter.wasm"), join(here, "web-tree-sitter.wasm"))
files.add("web-tree-sitter.wasm")
for (const name of new Set([...wanted.map((grammar) => grammar.package), "web-tree-sitter"])) {
  const folder = folderOf(name)
  for (const license of licensesOf(folder)) {
    copy(join(folder, license), join(here, "licenses", `${name.replace("/", "+")}-${license}`))
  }
}
for (const name of readdirSync(here)) if (name.endsWith(".wasm") && !files.has(name)) rmSync(join(here, name))
