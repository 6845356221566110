// Bundles what is run: the command, and the workers beside it. The two that are waited for on every call get V8's compiled
// form of their code beside them: loading it takes a third of the time of compiling. A Node that it was not made for compiles.
import { build } from "esbuild"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const out = join(root, "dist/bin")
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning"
}

/** Whole or not at all: others may be running what is replaced. */
const write = (name, content) => {
  const path = join(out, name)
  if (Fs.existsSync(path) && Fs.readFileSync(path).equals(Buffer.from(content))) {
    // In use again: another build takes what is old for stale.
    Fs.utimesSync(path, new Date(), new Date())
    return
  }
  Fs.writeFileSync(`${path}.${process.pid}`, content)
  Fs.renameSync(`${path}.${process.pid}`, path)
}

/** The start of a bundle: compiles it, from its compiled form where there is one for this Node, and runs it. */
const starter = (name, head) => `${head}
const file = path.join(here, ${JSON.stringify(`${name}.cjs`)});
let cachedData;
try { cachedData = fs.readFileSync(file + "." + process.versions.v8 + "." + process.arch); } catch {}
const script = new vm.Script(fs.readFileSync(file, "utf8"), { filename: file, cachedData });
script.runInThisContext()(createRequire(file), url.pathToFileURL(file).href, (name) => import(name));
`

const asModule = `#!/usr/bin/env node
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import url from "node:url";
import vm from "node:vm";
const here = import.meta.dirname ?? path.dirname(url.fileURLToPath(import.meta.url));`

const asScript = `"use strict";
const fs = require("node:fs"), path = require("node:path"), url = require("node:url"), vm = require("node:vm");
const { createRequire } = require("node:module");
const here = __dirname;`

/** A script that is compiled this way cannot import what it learns the name of later: its start does it. */
const imports = {
  name: "imports",
  setup: ({ onLoad }) => {
    const replaced = (path, from) => Fs.readFileSync(path, "utf8").replace(from, "bundleImport(")
    onLoad({ filter: /[\\/]layers[\\/].*\.ts$/ }, ({ path }) => ({
      contents: replaced(path, /(?<==> |await )import\((?!")/g),
      loader: "ts"
    }))
    onLoad({ filter: /[\\/]web-tree-sitter\.js$/ }, ({ path }) => ({
      contents: replaced(path, /(?<=await )import\(/g)
    }))
  }
}

const bundle = async (entry) => {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [entry],
    format: "cjs",
    define: { "import.meta.url": "bundleUrl" },
    supported: { "dynamic-import": false },
    plugins: [imports],
    banner: { js: "(function(require,bundleUrl,bundleImport){const module={exports:{}};" },
    footer: { js: "})" },
    write: false
  })
  const [{ contents }] = outputFiles
  return { contents, hash: createHash("sha256").update(contents).digest("hex").slice(0, 12) }
}

Fs.mkdirSync(out, { recursive: true })
const [command, worker] = await Promise.all([bundle("layers/main.ts"), bundle("layers/syntax/worker.ts")])
const names = { command: `livetools-${command.hash}`, worker: `syntax-worker-${worker.hash}` }
write(`${names.command}.cjs`, command.contents)
write(`${names.worker}.cjs`, worker.contents)
write("syntax-worker.cjs", starter(names.worker, asScript))
write("livetools.js", starter(names.command, asModule))

/** The names of the modules of Node as an import binds them: what a cell puts in their place does not reach the kernel. */
const bindings = {
  name: "bindings",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ namespace, path }) =>
      namespace === "bindings" ? { external: true } : { path, namespace: "bindings" }
    )
    onLoad({ filter: /^/, namespace: "bindings" }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => !/^(?:default|module\.exports)$/.test(name))
      const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ get(${JSON.stringify(name)})`)
      const all = `const all = require(${JSON.stringify(path)}), get = (name) => all[name]`
      return { contents: [all, "export default all", ...exported].join("\n") }
    })
  }
}
const kernel = { ...common, inject: ["layers/kernel/javascript/Globals.ts"], minifyWhitespace: false, write: false }
// No ECMAScript module: Node starts those later, in both threads.
const kernels = await Promise.all([
  build({
    ...kernel,
    entryPoints: ["layers/kernel/javascript/main.ts"],
    format: "cjs",
    define: { "import.meta.url": "bundleUrl" },
    plugins: [bindings],
    banner: { js: '"use strict";const bundleUrl=require("node:url").pathToFileURL(__filename).href;' }
  }),
  build({ ...kernel, entryPoints: ["layers/kernel/javascript/Hooks.ts"], format: "esm" }),
  build({ ...kernel, entryPoints: ["layers/kernel/javascript/inThread.ts"], format: "esm" })
])
const [main, hooks, thread] = kernels.map(({ outputFiles: [{ contents }] }) => contents)
write("javascript-hooks.js", hooks)
write("javascript-thread.js", thread)
write("javascript-kernel.cjs", main)

// Runs both on a small search, so that what a call needs is compiled, and keeps what was compiled.
const compiling = `"use strict";
const fs = require("node:fs"), threads = require("node:worker_threads"), url = require("node:url"), vm = require("node:vm");
const { createRequire } = require("node:module");
const [command, worker] = JSON.parse(process.env.BUNDLES);
const start = (file) => {
  const script = new vm.Script(fs.readFileSync(file, "utf8"), { filename: file });
  script.runInThisContext()(createRequire(file), url.pathToFileURL(file).href, (name) => import(name));
  return () => {
    const to = file + "." + process.versions.v8 + "." + process.arch;
    if (fs.existsSync(to)) return;
    const part = to + "." + process.pid + "." + threads.threadId;
    fs.writeFileSync(part, script.createCachedData());
    fs.renameSync(part, to);
  };
};
if (threads.isMainThread) {
  threads.Worker = class extends threads.Worker {
    constructor(_, options) { super(__filename, options); }
    async terminate() { return new Promise((resolve) => this.on("exit", resolve)); }
  };
  process.on("exit", start(command));
} else {
  const save = start(worker);
  threads.parentPort.on("message", ({ type }) => { if (type === "close") { save(); process.exit(); } });
}`

const caches = Object.values(names).map((name) => join(out, `${name}.cjs.${process.versions.v8}.${process.arch}`))
if (!caches.every((cache) => Fs.existsSync(cache))) {
  const folder = Fs.mkdtempSync(join(tmpdir(), "livetools-bundle-"))
  try {
    Fs.writeFileSync(join(folder, "compile.cjs"), compiling)
    Fs.writeFileSync(join(folder, "a.js"), "foo(1, bar);\nif (foo(2)) { bar }\n")
    Fs.writeFileSync(join(folder, "b.ts"), "const a: A = foo(1)\n")
    const search = ["call", "ast_grep", "pattern=foo($A, $$$B)", "--cwd", folder]
    const BUNDLES = JSON.stringify([`${names.command}.cjs`, `${names.worker}.cjs`].map((name) => join(out, name)))
    const env = { ...process.env, BUNDLES }
    const script = join(folder, "compile.cjs")
    const answer = execFileSync(process.execPath, [script, ...search], { env, stdio: "pipe", timeout: 60_000 })
    if (!answer.toString().startsWith("3 matches")) throw new Error(`the search on which it is made says ${answer}`)
  } catch (cause) {
    for (const cache of caches) Fs.rmSync(cache, { force: true })
    console.warn(`no compiled form of the code, the command will start more slowly: ${cause.message}`)
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

// Not what was written just now: another build may be about to name it.
const isStale = (name) =>
  /^(?:livetools|syntax-worker)-\w+\.cjs/.test(name) &&
  !Object.values(names).some((current) => name.startsWith(current)) &&
  Date.now() - (Fs.statSync(join(out, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > 60_000
for (const name of Fs.readdirSync(out)) if (isStale(name)) Fs.rmSync(join(out, name), { force: true })
