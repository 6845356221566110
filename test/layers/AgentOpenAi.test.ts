import { assert, describe, it } from "@effect/vitest"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Cli from "../support/Cli.ts"

type Body = {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly [key: string]: unknown }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: object } }>
}
type Reply = { readonly status?: number; readonly body: unknown }

/** An endpoint that speaks the protocol; each request is answered by the next reply. */
const endpoint = async (
  replies: ReadonlyArray<Reply>,
  body: (
    seen: ReadonlyArray<{ readonly path: string; readonly key: string; readonly body: Body }>,
    agent: (...args: Array<string>) => Promise<Cli.Ended>
  ) => Promise<void>
) => {
  const seen: Array<{ readonly path: string; readonly key: string; readonly body: Body }> = []
  const server = Http.createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
    request.on("end", () => {
      seen.push({ path: request.url ?? "", key: request.headers.authorization ?? "", body: JSON.parse(text) as Body })
      const { body: content, status = 200 } = replies[Math.min(seen.length, replies.length) - 1]!
      response.writeHead(status, { "content-type": "application/json" })
      response.end(typeof content === "string" ? content : JSON.stringify(content))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  process.env["OPENAI_BASE_URL"] = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  process.env["OPENAI_API_KEY"] = "a key"
  const folder = Cli.folder({ "a.txt": "contents\n" })
  try {
    await body(seen, (...args) => Cli.run(["agent", "--model", "openai:small-1", ...args], { cwd: folder.root }))
  } finally {
    delete process.env["OPENAI_BASE_URL"]
    delete process.env["OPENAI_API_KEY"]
    folder.remove()
    server.closeAllConnections()
    server.close()
  }
}

const says = (message: object, finish_reason = "stop") => ({
  body: {
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }]
  }
})
const calls = (...each: ReadonlyArray<readonly [name: string, args: string]>) =>
  says(
    {
      content: null,
      tool_calls: each.map(([name, args], index) => ({
        id: `call_${index}`,
        type: "function",
        function: { name, arguments: args }
      }))
    },
    "tool_calls"
  )

describe("a model behind an endpoint of OpenAI's protocol", { timeout: 120_000 }, () => {
  it("is asked with the tools and what was said and answered, and its calls are made", () =>
    endpoint(
      [
        calls(["read", '{"path":"a.txt"}'], ["read", "{not json"], ["nope", ""]),
        says({ content: "It holds contents." })
      ],
      async (seen, agent) => {
        const ended = await agent("--json", "What does a.txt hold?")
        assert.strictEqual(ended.code, 0, ended.err)
        assert.deepInclude(JSON.parse(ended.out.trim().split("\n").at(-1)!), {
          type: "ended",
          outcome: "done",
          text: "It holds contents."
        })
        const [first, second] = seen
        assert.deepInclude(first, { path: "/v1/chat/completions", key: "Bearer a key" })
        assert.strictEqual(first?.body.model, "small-1")
        assert.deepStrictEqual(
          first?.body.messages.map(({ role }) => role),
          ["system", "user"]
        )
        assert.deepStrictEqual(first?.body.messages[1]?.["content"], [{ type: "text", text: "What does a.txt hold?" }])
        const read = first?.body.tools?.find((tool) => tool.function.name === "read")
        assert.deepNestedInclude(read, {
          "function.parameters.type": "object",
          "function.parameters.additionalProperties": false,
          "function.parameters.properties.path.type": "string"
        })
        const said = second?.body.messages.slice(2)
        assert.deepStrictEqual(
          said?.map(({ role, tool_call_id }) => [role, tool_call_id]),
          [
            ["assistant", undefined],
            ["tool", "call_0"],
            ["tool", "call_1"],
            ["tool", "call_2"]
          ]
        )
        assert.deepNestedInclude(said?.[0], { "tool_calls[0].function.arguments": '{"path":"a.txt"}', content: null })
        assert.strictEqual(said?.[1]?.["content"], "contents\n")
        assert.match(String(said?.[2]?.["content"]), /^invalid_params: /)
        assert.match(String(said?.[3]?.["content"]), /^unknown_tool: /)
      }
    ))

  it("that is overloaded is asked again; one that refuses, or answers something else, is an error that says so", async () => {
    await endpoint([{ status: 503, body: "busy" }, says({ content: "there" })], async (seen, agent) => {
      const ended = await agent("Go")
      assert.strictEqual(ended.code, 0, ended.err)
      assert.match(ended.out, /\(The model failed: .*503.*\)\nthere\n$/)
      assert.strictEqual(seen.length, 2)
    })
    await endpoint([{ status: 401, body: { error: { message: "no such key" } } }], async (seen, agent) => {
      const ended = await agent("Go")
      assert.strictEqual(ended.code, 1)
      assert.match(ended.err, /the language model of --model openai:\S+ failed: .*no such key/)
      assert.strictEqual(seen.length, 1)
    })
    await endpoint([{ status: 404, body: "no model small-1" }], async (seen, agent) => {
      assert.match((await agent("Go")).err, /HTTP 404: no model small-1/)
      assert.strictEqual(seen.length, 1)
    })
  })

  it("that refuses in its own field ends the loop with what it says, and not as done", () =>
    endpoint([says({ content: null, refusal: "I will not." })], async (_, agent) => {
      const { code, out } = await agent("Go")
      assert.strictEqual(code, 1)
      assert.match(out, /I will not\.[^]*\(Ended: the model's last message was cut \(content-filter\)\.\)\n$/)
    }))

  it("that cuts an answer at its limit ends the loop with that", () =>
    endpoint([says({ content: "and then" }, "length")], async (_, agent) => {
      const ended = await agent("--json", "Go")
      assert.strictEqual(ended.code, 1)
      assert.deepInclude(JSON.parse(ended.out.trim().split("\n").at(-1)!), { outcome: "cut", text: "and then" })
    }))
})
