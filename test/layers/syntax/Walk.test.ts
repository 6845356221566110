import { afterEach, describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as Walk from "../../../layers/syntax/Walk.ts"

let root = ""

/** Makes a directory with these files; a path that ends with `/` is an empty directory. */
const tree = (files: { readonly [path: string]: string }): string => {
  root = Fs.realpathSync(Fs.mkdtempSync(Path.join(Os.tmpdir(), "walk-")))
  for (const [path, text] of Object.entries(files)) {
    Fs.mkdirSync(Path.join(root, Path.dirname(path)), { recursive: true })
    if (!path.endsWith("/")) Fs.writeFileSync(Path.join(root, path), text)
  }
  return root
}

const walk = (start: string, from = root) => {
  const files: Array<string> = []
  const skipped: Array<string> = []
  Walk.walk(start, from, {
    file: (path) => {
      files.push(Path.relative(from, path))
      return true
    },
    skip: (reason) => void skipped.push(reason)
  })
  return { files, skipped }
}

afterEach(() => Fs.rmSync(root, { recursive: true, force: true }))

describe("Walk", () => {
  it("lists files in the order of their paths", () => {
    tree({ "b.ts": "", "a/z.ts": "", "a/b/c.ts": "", "C.ts": "" })
    expect(walk(root).files).toEqual(["C.ts", "a/b/c.ts", "a/z.ts", "b.ts"])
  })

  it("ends when it is told to", () => {
    tree({ "a.ts": "", "b.ts": "", "c/d.ts": "" })
    const seen: Array<string> = []
    Walk.walk(root, root, { file: (path) => seen.push(path) < 2, skip: () => undefined })
    expect(seen).toHaveLength(2)
  })

  it("counts what is no regular file", () => {
    tree({ "a.ts": "" })
    execFileSync("mkfifo", [Path.join(root, "b.ts")])
    expect(walk(root)).toEqual({ files: ["a.ts"], skipped: ["no regular file"] })
  })

  it("leaves out `.git` and `node_modules` unless the start is in them", () => {
    tree({ "a.ts": "", ".git/b.ts": "", "node_modules/m/c.ts": "", "x/node_modules/d.ts": "" })
    expect(walk(root)).toEqual({ files: ["a.ts"], skipped: ["ignored", "ignored", "ignored"] })
    expect(walk(Path.join(root, "node_modules/m")).files).toEqual(["node_modules/m/c.ts"])
  })

  it("honours nested ignore files, the last rule that fits", () => {
    tree({
      ".gitignore": "*.log\n/build/\ngen*\n!generated.ts\n# comment\n\n",
      "a.log": "",
      "build/x.ts": "",
      "src/build/y.ts": "",
      "gen1.ts": "",
      "generated.ts": "",
      "src/.gitignore": "*.tmp.ts\n!keep.log\n",
      "src/b.tmp.ts": "",
      "src/keep.log": "",
      "src/other.log": "",
      "lib/b.tmp.ts": "",
      ".ignore": "lib/\n!other.log\n"
    })
    expect(walk(root).files).toEqual([
      ".gitignore",
      ".ignore",
      "generated.ts",
      "src/.gitignore",
      "src/build/y.ts",
      "src/keep.log",
      "src/other.log"
    ])
  })

  it("takes rules with classes, escapes and deep wildcards as the library does", () => {
    tree({
      ".gitignore": "[Bb]in/\n**/cache/*.js\n\\#x.ts\ndoc/**/*.md\nfoo/**\n",
      "bin/a.ts": "",
      "Bin/a.ts": "",
      "a/cache/x.js": "",
      "#x.ts": "",
      "doc/a/b.md": "",
      "doc/c.md": "",
      "foo/a.ts": "",
      "ok.ts": ""
    })
    expect(walk(root).files).toEqual([".gitignore", "ok.ts"])
  })

  it("honours the rules above the start, up to the repository, and `info/exclude`", () => {
    tree({
      ".git/info/exclude": "secret.ts\n",
      ".gitignore": "*.gen.ts\n",
      "a/b/x.gen.ts": "",
      "a/b/secret.ts": "",
      "a/b/y.ts": ""
    })
    expect(walk(Path.join(root, "a/b")).files).toEqual(["a/b/y.ts"])
  })

  it("searches an ignored directory that is named", () => {
    tree({ ".git/": "", ".gitignore": "out/\n", "out/a.ts": "", "out/.gitignore": "b.ts\n", "out/b.ts": "" })
    expect(walk(root).files).toEqual([".gitignore"])
    expect(walk(Path.join(root, "out")).files).toEqual(["out/.gitignore", "out/a.ts"])
  })

  it("follows links to files inside the root only, and none to directories", () => {
    tree({ "in/a.ts": "", "in/dir/b.ts": "", "out.ts": "" })
    const inside = Path.join(root, "in")
    Fs.symlinkSync(Path.join(inside, "a.ts"), Path.join(inside, "link.ts"))
    Fs.symlinkSync(Path.join(root, "out.ts"), Path.join(inside, "outside.ts"))
    Fs.symlinkSync(inside, Path.join(inside, "cycle"))
    Fs.symlinkSync(Path.join(inside, "nowhere"), Path.join(inside, "broken.ts"))
    expect(walk(inside, inside)).toEqual({
      files: ["a.ts", "dir/b.ts", "link.ts"],
      skipped: ["symbolic link", "symbolic link", "symbolic link"]
    })
  })
})
