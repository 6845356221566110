import { assert, describe, it } from "@effect/vitest"
import * as Content from "../../src/Content.ts"

const answer = {
  text: "[image/png, 4 bytes]",
  value: {
    outputs: [
      { kind: "stdout", text: "a" },
      { kind: "display", data: { "text/plain": "x", "image/png": "iVBORw==" } },
      { kind: "result", data: { "image/svg+xml": "<svg/>", "image/jpeg": "/9j/" } },
      { kind: "display", data: { "image/png": 5 } }
    ]
  }
}

describe("images", () => {
  it("are those of the outputs, in order", () => {
    assert.deepStrictEqual(Content.images(answer), [
      { mediaType: "image/png", data: "iVBORw==" },
      { mediaType: "image/jpeg", data: "/9j/" }
    ])
  })

  it("are none in the value of another tool", () => {
    for (const value of [undefined, "text", { matches: [] }, { outputs: [{ category: "stdout", text: "x" }] }]) {
      assert.deepStrictEqual(Content.images({ value }), [])
    }
  })
})

describe("parts", () => {
  it("begin with the text", () => {
    assert.deepStrictEqual(Content.parts(answer)[0], { type: "text", text: answer.text })
    assert.deepStrictEqual(Content.parts(answer)[1], { type: "image-data", mediaType: "image/png", data: "iVBORw==" })
  })
})
