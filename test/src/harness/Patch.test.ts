import { assert, describe, it } from "@effect/vitest"
import { createTwoFilesPatch, formatPatch, structuredPatch } from "diff"
import { Result } from "effect"
import * as Hunks from "../../../src/harness/Hunks.ts"
import * as Patch from "../../../src/harness/Patch.ts"

const envelope = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n")

const sections = (patch: string) => Result.getOrThrow(Patch.parse(patch))

const refusal = (patch: string): string => {
  const parsed = Patch.parse(patch)
  assert.isTrue(Result.isFailure(parsed), JSON.stringify(parsed))
  return Result.isFailure(parsed) ? parsed.failure.message : ""
}

const hunksOf = (patch: string): ReadonlyArray<Hunks.Hunk> => {
  const [section] = sections(patch)
  assert.strictEqual(section?.kind, "update")
  return section?.kind === "update" ? section.hunks : []
}

const apply = (text: string, patch: string): string => {
  const applied = Hunks.apply(text, hunksOf(patch))
  return Result.isSuccess(applied)
    ? applied.success.text
    : assert.fail(`hunk ${applied.failure.hunk}: ${applied.failure.message}`)
}

const misfit = (text: string, patch: string): Hunks.Misfit => {
  const applied = Hunks.apply(text, hunksOf(patch))
  return Result.isFailure(applied) ? applied.failure : assert.fail(`it fits: ${JSON.stringify(applied.success.text)}`)
}

const update = (...lines: ReadonlyArray<string>) => envelope("*** Update File: a.ts", ...lines)
const unified = (...lines: ReadonlyArray<string>) => ["--- a/a.ts", "+++ b/a.ts", ...lines, ""].join("\n")

describe("the envelope", () => {
  it("has sections that add, update, move and delete", () => {
    const patch = envelope(
      "*** Add File: new file.txt",
      "+one",
      "+",
      "+  two",
      "*** Update File: src/a.ts",
      "*** Move to: src/b.ts",
      "@@ class A",
      "@@   run() {",
      " same",
      "-old",
      "+new",
      "@@",
      "-x",
      "*** End of File",
      "*** Delete File: gone.txt"
    )
    assert.deepStrictEqual(sections(patch), [
      { kind: "add", path: "new file.txt", text: "one\n\n  two\n" },
      {
        kind: "update",
        path: "src/a.ts",
        moveTo: "src/b.ts",
        hunks: [
          {
            lines: [
              { kind: "context", text: "same" },
              { kind: "removed", text: "old" },
              { kind: "added", text: "new" }
            ],
            headers: ["class A", "  run() {"],
            at: undefined,
            isAtEnd: false,
            patchLine: 8
          },
          { lines: [{ kind: "removed", text: "x" }], headers: [], at: undefined, isAtEnd: true, patchLine: 13 }
        ]
      },
      { kind: "delete", path: "gone.txt" }
    ])
  })

  it("may only move, and may add an empty file", () => {
    assert.deepStrictEqual(sections(envelope("*** Update File: a", "*** Move to: b", "*** Add File: c")), [
      { kind: "update", path: "a", moveTo: "b", hunks: [] },
      { kind: "add", path: "c", text: "" }
    ])
  })

  const plain = sections(update("@@", "-a", "+b"))
  for (const [what, patch] of [
    ["a code fence", "```diff\n*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch\n```\n"],
    [
      "a here-document",
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch\nEOF\n"
    ],
    ["a bare here-document", "<<EOF\n*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch\nEOF"],
    ["no end", "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b"],
    ["no frame", "*** Update File: a.ts\n@@\n-a\n+b\n"],
    ["CRLF line ends of its own", "*** Begin Patch\r\n*** Update File: a.ts\r\n@@\r\n-a\r\n+b\r\n*** End Patch\r\n"],
    ["no @@ before the first hunk", "*** Begin Patch\n*** Update File: a.ts\n-a\n+b\n*** End Patch"],
    ["blank lines around it", "\n\n*** Begin Patch\n\n*** Update File: a.ts\n\n@@\n-a\n+b\n\n\n*** End Patch\n\n"],
    ["the names of a diff", "*** Begin Patch\n*** Update File: a.ts\n--- a/a.ts\n+++ b/a.ts\n@@\n-a\n+b\n*** End Patch"]
  ] as const) {
    it(`is read with ${what}`, () => {
      const found = sections(patch)
      const bare = (all: typeof found) =>
        all.map((section) =>
          section.kind === "update"
            ? { ...section, hunks: section.hunks.map((hunk) => ({ ...hunk, patchLine: 0 })) }
            : section
        )
      assert.deepStrictEqual(bare(found), bare(plain))
    })
  }

  it("is refused with the line where it goes wrong", () => {
    assert.match(refusal(""), /changes no file[\s\S]*\*\*\* Begin Patch/)
    assert.match(refusal("just words"), /changes no file/)
    assert.match(refusal(envelope()), /changes no file/)
    assert.match(refusal(envelope("*** Update File: ")), /^Line 2 of the patch: .* names no path/)
    assert.match(refusal(envelope("*** Update File: a")), /^Line 2 of the patch: .*has no hunk/)
    assert.match(refusal(update("@@", " a", "b", "-c")), /^Line 5 of the patch: .*"b"/)
    assert.match(refusal(update("@@", " a")), /^Line 3 of the patch: the hunk changes nothing/)
    assert.match(
      refusal(envelope("*** Add File: a", "+x", "y")),
      /^Line 4 of the patch: each line of an added file.*"y"/
    )
    assert.match(refusal(envelope("*** Delete File: a", "-x")), /^Line 3 of the patch: nothing stands below/)
    assert.match(refusal(envelope("words", "*** Delete File: a")), /^Line 2 of the patch: expected .*found "words"/)
    assert.match(refusal(`Here it is:\n${update("@@", "-a")}`), /^Line 1 of the patch: expected .*"Here it is:"/)
    assert.match(
      refusal(`${update("@@", "-a")}*** Delete File: b`),
      /^Line 6 of the patch: expected .*before `\*\*\* End Patch`/
    )
  })

  it("reads markers in the content as content", () => {
    const text = "x\n*** End Patch\n*** End of File\n@@ y\n"
    const patch = update("@@", " x", " *** End Patch", "-*** End of File", "+*** Update File: b", " @@ y")
    assert.strictEqual(apply(text, patch), "x\n*** End Patch\n*** Update File: b\n@@ y\n")
  })
})

describe("a unified diff", () => {
  it("of git creates, deletes, moves and changes", () => {
    const patch = [
      "diff --git a/new.sh b/new.sh",
      "new file mode 100644",
      "index 0000000..1",
      "--- /dev/null",
      "+++ b/new.sh",
      "@@ -0,0 +1,2 @@",
      "+one",
      "+two",
      "\\ No newline at end of file",
      "diff --git a/empty b/empty",
      "new file mode 100644",
      "diff --git a/gone b/gone",
      "deleted file mode 100644",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-last words",
      'diff --git "a/w\\303\\266rter.txt" "b/dir/w\\303\\266rter.txt"',
      "similarity index 100%",
      'rename from "w\\303\\266rter.txt"',
      'rename to "dir/w\\303\\266rter.txt"',
      "diff --git a/same b/same",
      "index 1..2 100644",
      "--- a/same",
      "+++ b/same",
      "@@ -4 +4 @@ function f() {",
      "-a",
      "+b",
      ""
    ].join("\n")
    const found = sections(patch)
    assert.deepStrictEqual(
      found.map(({ kind, path }) => `${kind} ${path}`),
      ["add new.sh", "add empty", "delete gone", "update wörter.txt", "update same"]
    )
    assert.deepStrictEqual(found[0], { kind: "add", path: "new.sh", text: "one\ntwo" })
    assert.deepStrictEqual(found[1], { kind: "add", path: "empty", text: "" })
    assert.deepStrictEqual(found[3], { kind: "update", path: "wörter.txt", moveTo: "dir/wörter.txt", hunks: [] })
    assert.strictEqual(found[4]?.kind === "update" ? found[4].hunks[0]?.at : undefined, 4)
  })

  it("names its file in each of the usual ways", () => {
    const path = (old: string, next: string) => sections(`--- ${old}\n+++ ${next}\n@@ -1 +1 @@\n-a\n+b\n`)[0]?.path
    assert.strictEqual(path("a/src/x.ts", "b/src/x.ts"), "src/x.ts")
    assert.strictEqual(path("src/x.ts", "src/x.ts"), "src/x.ts")
    assert.strictEqual(path("a/x.ts", "a/x.ts"), "a/x.ts")
    assert.strictEqual(path("i/x.ts", "w/x.ts"), "x.ts")
    assert.strictEqual(path("x.ts", "b/x.ts"), "x.ts")
    assert.strictEqual(path("a/x.ts\t2024-01-01 00:00:00", "b/x.ts\t2024-01-02 00:00:00"), "x.ts")
    assert.match(refusal("--- a/x.ts\n+++ b/y.ts\n@@ -1 +1 @@\n-a\n+b\n"), /the two names differ[\s\S]*rename from/)
  })

  it("may stand in an envelope's frame, in a mail, or in a fence", () => {
    const diff = unified("@@ -1 +1 @@", "-a", "+b")
    const mail = `From 123 Mon Sep 17\nSubject: x\n\n---\n a.ts | 2 +-\n\ndiff --git a/a.ts b/a.ts\n${diff}-- \n2.39.0\n\nFrom 124\n\n${diff}`
    for (const patch of [diff, `*** Begin Patch\n${diff}*** End Patch`, `\`\`\`diff\n${diff}\`\`\`\n`, mail]) {
      assert.strictEqual(apply("a\n", patch), "b\n")
    }
    assert.strictEqual(sections(mail).length, 2)
  })

  it("is read by its lines where its counts are wrong or missing", () => {
    const text = "1\n2\n3\n4\n5\n6\n"
    for (const header of ["@@ -1,9 +1,9 @@", "@@ -1 +1 @@", "@@", "@@ ... @@", "@@ -1,1 +1,1 @@ f()"]) {
      assert.strictEqual(apply(text, unified(header, " 1", "-2", "+two", " 3")), "1\ntwo\n3\n4\n5\n6\n", header)
    }
    const two = unified("@@ -1,7 +1,7 @@", " 1", "-2", "+two", "@@ -5,7 +5,7 @@", " 5", "-6", "+six")
    assert.strictEqual(apply(text, two), "1\ntwo\n3\n4\n5\nsix\n")
    assert.match(refusal(unified("@@ -1,3 +1,3 @@", " 1", "-2", "+two", "3")), /Line 7 of the patch: .*"3"/)
    assert.match(refusal(unified("@@ -1 +1 @@", "-a", "+b", "Done.")), /Line 6 of the patch: expected a hunk.*"Done."/)
  })

  it("keeps an empty unchanged line that lost its space", () => {
    assert.strictEqual(apply("1\n\n2\n\n", unified("@@ -1,4 +1,4 @@", "-1", "+one", "", " 2", "")), "one\n\n2\n\n")
    assert.strictEqual(apply("1\n\n2\n", update("@@", " 1", "", "-2", "+two")), "1\n\ntwo\n")
  })

  it("takes removed lines that look like a header by its counts", () => {
    assert.strictEqual(
      apply("-- a\n++ b\nc\n", unified("@@ -1,3 +1,3 @@", "--- a", "+++ b", " ++ b", " c")),
      "++ b\n++ b\nc\n"
    )
  })

  it("is refused where it is no change of text", () => {
    const git = (...lines: ReadonlyArray<string>) => ["diff --git a/x b/x", ...lines, ""].join("\n")
    assert.match(refusal(git("Binary files a/x and b/x differ")), /binary/)
    assert.match(refusal(git("GIT binary patch", "literal 3", "KcmZQz")), /binary/)
    assert.match(refusal(git("old mode 100644", "new mode 100755")), /only the file's mode/)
    assert.match(refusal(git("new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+y")), /mode 120000/)
    assert.match(refusal("diff --git a/x b/y\ncopy from x\ncopy to y\n"), /copies/)
    assert.match(refusal("@@ -1 +1 @@\n-a\n+b\n"), /no `--- a\/PATH`/)
    assert.match(refusal("--- a/x\n+++ b/x\n"), /no hunk/)
    assert.match(refusal("--- /dev/null\n+++ b/x\n@@ -1 +1,2 @@\n a\n+b\n"), /is new, so all its lines/)
    assert.match(refusal("--- a/x\n+++ /dev/null\n@@ -1,2 +1 @@\n a\n-b\n"), /is deleted, so all its lines/)
    assert.match(refusal("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n--a\n"), /combined diff/)
  })
})

describe("a hunk", () => {
  const code = [
    "class A {",
    "  run() {",
    "    go()",
    "  }",
    "}",
    "",
    "class B {",
    "  run() {",
    "    go()",
    "  }",
    "}",
    ""
  ].join("\n")

  it("fits in one place, told by its lines, its header, its line number or its order", () => {
    const inB = code.replace(/go\(\)(?![\s\S]*go)/, "stop()")
    const inA = code.replace("go()", "stop()")
    assert.strictEqual(apply(code, update("@@ class B {", "-    go()", "+    stop()")), inB)
    assert.strictEqual(apply(code, update("@@ class A", "-    go()", "+    stop()")), inA)
    assert.strictEqual(apply(code, update("@@ class B {", "@@   run() {", "-    go()", "+    stop()")), inB)
    assert.strictEqual(apply(code, unified("@@ -9 +9 @@", "-    go()", "+    stop()")), inB)
    assert.strictEqual(
      apply(code, update("@@", "-    go()", "+    stop()", "@@", "-    go()", "+    stop()")),
      code.replaceAll("go()", "stop()")
    )
    assert.strictEqual(
      apply(code, update("@@", "-class B {", "+class C {", "@@", "-class A {", "+class D {")),
      code.replace("class B", "class C").replace("class A", "class D")
    )
  })

  it("that fits in two places is refused with their lines", () => {
    const two = misfit(code, update("@@", "-    go()", "+    stop()"))
    assert.strictEqual(two.hunk, 1)
    assert.match(two.message, /it fits at lines 3, 9\. Give more unchanged lines/)
    assert.match(misfit(code, unified("@@ -5 +5 @@", "-    go()", "+    stop()")).message, /it fits at lines 3, 9/)
    assert.match(misfit(code, update("@@   run() {", "-    go()", "+    stop()")).message, /it fits at lines 3, 9/)
    assert.match(misfit(code, update("@@   run() {", "+    first()")).message, /header is at lines 2, 8/)
    const second = misfit(code, update("@@", "-class A {", "+class D {", "@@", "-    go()", "+    stop()"))
    assert.strictEqual(second.hunk, 2)
  })

  it("that fits nowhere is refused with the nearest lines and what differs first", () => {
    const { hunk, message } = misfit(code, update("@@", " class B {", "   run() {", "-    goo()", "+    stop()"))
    assert.strictEqual(hunk, 1)
    assert.strictEqual(
      message,
      [
        "its lines are not in the file.",
        "It expects:",
        "    class B {",
        "      run() {",
        "        goo()",
        "The nearest passage is at lines 7-9:",
        "7 | class B {",
        "8 |   run() {",
        "9 |     go()",
        "First difference, at line 9:",
        '  file: "    go()"',
        '  patch: "    goo()"'
      ].join("\n")
    )
    assert.match(
      misfit(code, update("@@", " class B {", "-\trun() {", "+\twalk() {")).message,
      /differs from it only in indentation[\s\S]*file: " {2}run\(\) \{"\n {2}patch: "\\trun\(\) \{"/
    )
    assert.match(misfit("", update("@@", "-a")).message, /the file is empty/)
    assert.match(
      misfit(code, update("@@ class Z {", "-    go()")).message,
      /no line is `class Z \{`, which its @@ header names/
    )
    assert.match(misfit(code, update("@@ class B {", "-class A {")).message, /its lines are at line 1, not after/)
    assert.match(misfit(code, update("@@", "-    go()", "+x", "*** End of File")).message, /not at the end of the file/)
  })

  it("that only adds goes below its header or to the end, and nowhere by itself", () => {
    assert.strictEqual(apply("a\nb\n", update("@@ a", "+x")), "a\nx\nb\n")
    assert.strictEqual(apply("a\nb\n", update("@@", "+x", "*** End of File")), "a\nb\nx\n")
    assert.strictEqual(apply("a\nb", update("@@", "+x", "*** End of File")), "a\nb\nx")
    assert.strictEqual(apply("", update("@@", "+x")), "x\n")
    assert.match(misfit("a\n", update("@@", "+x")).message, /only added lines/)
    assert.match(misfit("a\n", unified("@@ -1,0 +2 @@", "+x")).message, /only added lines/)
  })

  it("at another line than its own is told, and carries the hunks after it", () => {
    const text = "0\n1\na\n2\n3\na\n4\na\n"
    const applied = Result.getOrThrow(
      Hunks.apply(text, hunksOf(unified("@@ -1,2 +1,2 @@", "-1", "+one", " a", "@@ -5 +5 @@", "-a", "+b")))
    )
    assert.strictEqual(applied.text, "0\none\na\n2\n3\nb\n4\na\n")
    assert.deepStrictEqual(applied.moved, [
      { hunk: 1, stated: 1, line: 2 },
      { hunk: 2, stated: 5, line: 6 }
    ])
  })

  it("may not change what another one of the patch has", () => {
    const { hunk, message } = misfit("a\nb\nc\n", update("@@", "-b", "-c", "@@", "-a", "-b", "+x"))
    assert.strictEqual(hunk, 2)
    assert.match(message, /changes lines that hunk 1 has too/)
  })

  it("keeps the file's line ends, each line's own", () => {
    assert.strictEqual(apply("a\r\nb\r\nc\r\n", update("@@", " a", "-b", "+x", "+y", " c")), "a\r\nx\r\ny\r\nc\r\n")
    assert.strictEqual(apply("a\r\nb\nc\r\n", update("@@", "-a", "-b", "+x", "+y", " c")), "x\r\ny\nc\r\n")
    assert.strictEqual(apply("a\r\nb", update("@@", "-b", "+x", "+y")), "a\r\nx\r\ny")
    assert.strictEqual(apply("a\nb\n", unified("@@ -1,2 +1,2 @@", " a\r", "-b\r", "+x\r")), "a\nx\n")
    assert.strictEqual(apply("a\r\nb\r\n", unified("@@ -1,2 +1,2 @@", " a\r", "-b\r", "+x\r")), "a\r\nx\r\n")
    assert.strictEqual(apply("a\r\nb\r\n", unified("@@ -1,2 +1,2 @@", " a\r", "-b\r", "+b")), "a\r\nb\n")
  })

  it("keeps a last line without a newline unless it says otherwise", () => {
    const none = "\\ No newline at end of file"
    assert.strictEqual(apply("a\nb", update("@@", "-b", "+c")), "a\nc")
    assert.strictEqual(apply("a\nb", update("@@", " b", "+c")), "a\nb\nc")
    assert.strictEqual(apply("a\nb", unified("@@ -2 +2 @@", "-b", none, "+b")), "a\nb\n")
    assert.strictEqual(apply("a\nb\n", unified("@@ -2 +2 @@", "-b", "+b", none)), "a\nb")
    assert.strictEqual(apply("a\nb", unified("@@ -1,2 +1,2 @@", "-a", "+x", " b", none)), "x\nb")
    assert.match(misfit("a\nb\n", unified("@@ -2 +2 @@", "-b", none, "+b")).message, /without a newline/)
  })
})

// A small generator of its own, so that a failure can be repeated by its seed.
const random = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

describe("any two texts", () => {
  const words = ["", "a", "b", "  c", "\td", "}", "e😀", "-- x", "++ y", "@@ z", "*** End Patch"]
  const textOf = (next: (below: number) => number, length: number): ReadonlyArray<string> =>
    Array.from({ length }, () => words[next(words.length)]!)
  const changed = (next: (below: number) => number, lines: ReadonlyArray<string>): ReadonlyArray<string> => {
    const copy = [...lines]
    for (let edits = 1 + next(4); edits > 0; edits--)
      copy.splice(next(copy.length + 1), next(3), ...textOf(next, next(3)))
    return copy
  }
  const join = (next: (below: number) => number, lines: ReadonlyArray<string>, end: string) =>
    lines.join(end) + (lines.length > 0 && next(3) > 0 ? end : "")

  it("have a diff that leads from one to the other", () => {
    let compared = 0
    for (let seed = 0; seed < 3000; seed++) {
      const next = random(seed)
      const end = next(2) === 0 ? "\n" : "\r\n"
      const lines = textOf(next, next(25))
      const before = join(next, lines, end)
      const after = join(next, changed(next, lines), end)
      const diff = createTwoFilesPatch("a/x", "b/x", before, after, "", "", { context: next(4) })
      const parsed = Patch.parse(diff)
      if (before === after || Result.isFailure(parsed)) {
        assert.isTrue(before === after, `seed ${seed}\n${diff}\n${JSON.stringify(parsed)}`)
        continue
      }
      const [section] = parsed.success
      const applied = Hunks.apply(before, section?.kind === "update" ? section.hunks : [])
      if (Result.isFailure(applied)) {
        assert.match(applied.failure.message, /only added lines/, `seed ${seed}\n${diff}`)
        continue
      }
      compared++
      assert.strictEqual(applied.success.text, after, `seed ${seed}\n${diff}`)
    }
    assert.isAbove(compared, 2000)
  })

  it("have an envelope that leads from one to the other or is refused, never elsewhere", () => {
    let compared = 0
    for (let seed = 0; seed < 3000; seed++) {
      const next = random(seed + 50_000)
      const end = next(2) === 0 ? "\n" : "\r\n"
      const lines = textOf(next, next(25))
      const isEnded = next(3) > 0 ? end : ""
      const before = lines.length === 0 ? "" : lines.join(end) + isEnded
      const edited = changed(next, lines)
      const after = edited.length === 0 ? "" : edited.join(end) + (lines.length === 0 ? end : isEnded)
      const { hunks } = structuredPatch("x", "x", before.replaceAll("\r", ""), after.replaceAll("\r", ""), "", "", {
        context: 3
      })
      // An empty last line without a newline is no line.
      if (hunks.length === 0 || edited.length === 0 || (isEnded === "" && edited.at(-1) === "")) continue
      const patch = envelope(
        "*** Update File: x",
        ...hunks.flatMap((hunk) => ["@@", ...hunk.lines.filter((line) => !line.startsWith("\\"))])
      )
      const applied = Hunks.apply(before, hunksOf(patch))
      if (Result.isFailure(applied)) {
        assert.match(applied.failure.message, /fits at lines|only added lines/, `seed ${seed}\n${patch}`)
        continue
      }
      compared++
      // Deleting the last line of a file without a last newline leaves the newline before it.
      const lines2 = (text: string) => text.replace(/\r?\n$/, "").split(/\r?\n/)
      assert.deepStrictEqual(
        lines2(applied.success.text),
        lines2(after),
        `seed ${seed}\n${patch}\n${JSON.stringify(before)}`
      )
      if (before.includes("\r\n")) assert.notMatch(applied.success.text, /[^\r]\n/, `seed ${seed}`)
    }
    assert.isAbove(compared, 1500)
  })

  it("go through git's own format of several files", () => {
    const patch = formatPatch([
      structuredPatch("a/x", "b/x", "1\n2\n3\n", "1\ntwo\n3\n"),
      structuredPatch("a/y", "b/y", "p\nq", "p\nq\nr")
    ])
    assert.deepStrictEqual(
      sections(patch).map((section) => section.path),
      ["x", "y"]
    )
  })
})
