import { assert, describe, it } from "@effect/vitest"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import * as Cli from "../support/Cli.ts"

type Body = {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly [key: string]: unknown }>
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: object } }>
}
type Reply = {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body: unknown
}

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
      const { body: content, headers, status = 200 } = replies[Math.min(seen.length, replies.length) - 1]!
      response.writeHead(status, { "content-type": "application/json", ...headers })
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

  it("that asks to be left alone is asked again when it says, and not at all where that is too long", async () => {
    const busy = (retryAfter: string, status = 429) => ({
      status,
      headers: { "retry-after": retryAfter },
      body: { error: { message: "slow down" } }
    })
    await endpoint([busy("2"), busy("0.1", 503), says({ content: "there" })], async (seen, agent) => {
      const { code, out } = await agent("Go")
      assert.strictEqual(code, 0, out)
      assert.match(out, /slow down.*It is asked again in 2s\.\)\n\(.*503.*It is asked again in 100ms\.\)\nthere\n$/)
      assert.strictEqual(seen.length, 3)
    })
    const tomorrow = new Date(Date.now() + 86_400_000).toUTCString()
    await endpoint([busy(tomorrow, 503)], async (seen, agent) => {
      const { code, err, out } = await agent("Go")
      assert.strictEqual(code, 1)
      assert.match(out, /asks to be left alone for 23h 59m .*, which is longer than a run waits/)
      assert.match(err, /failed: .*slow down/)
      assert.strictEqual(seen.length, 1)
    })
    const spent = { error: { message: "You exceeded your quota", code: "insufficient_quota" } }
    await endpoint([{ status: 429, body: spent }], async (seen, agent) => {
      assert.match((await agent("Go")).err, /Quota exhausted.*You exceeded your quota/)
      assert.strictEqual(seen.length, 1)
    })
  })

  it("that cannot be reached is asked again, and what is said of that names the cause in one line", () =>
    endpoint([{ body: "never" }], async (_, agent) => {
      process.env["OPENAI_BASE_URL"] = "http://127.0.0.1:1/v1"
      const { code, err, out } = await agent("Go")
      assert.strictEqual(code, 1)
      assert.match(out, /^(\(The model failed: .*It is asked again in \ds\.\)\n){4}$/)
      assert.match(err, /^livetools: the language model of .* failed: .*(bad port|ECONNREFUSED).*\n$/)
    }))

  it("that sends its error as if it were an answer is shown with that error, and asked again only where that may help", async () => {
    for (const [body, shown] of [
      [{ error: { message: "no credits left", code: 402 } }, /HTTP 402: no credits left/],
      [{ error: "no such deployment" }, /the provider answered with an error: no such deployment/],
      [{ choices: [{ error: { message: "upstream said no" }, message: { content: "" } }] }, /upstream said no/],
      ["<html>gateway</html>", /not a chat completion: it is not JSON\. It begins "<html>gateway/],
      [{ choices: [] }, /not a chat completion: .*choices/],
      [{ choices: [{ message: { content: 7 } }] }, /not a chat completion: .*content/]
    ] as const) {
      await endpoint([{ body }], async (seen, agent) => {
        const { code, err } = await agent("Go")
        assert.strictEqual(code, 1)
        assert.match(err.replaceAll("\n", " "), shown)
        assert.strictEqual(seen.length, 1, err)
      })
    }
    await endpoint(
      [
        { headers: { "retry-after": "0.1" }, body: { error: { message: "overloaded", code: 503 } } },
        says({ content: "there" })
      ],
      async (seen, agent) => {
        assert.match((await agent("Go")).out, /overloaded.*again in 100ms\.\)\nthere\n$/)
        assert.strictEqual(seen.length, 2)
      }
    )
  })

  it("that gives two calls one id, or none, has an answer for each", () =>
    endpoint(
      [
        says({
          tool_calls: ["call_0", "call_0", null].map((id, index) => ({
            id,
            type: "function",
            function: { name: "read", arguments: JSON.stringify({ path: index === 0 ? "a.txt" : `no${index}.txt` }) }
          }))
        }),
        says({ content: "done" })
      ],
      async (seen, agent) => {
        assert.strictEqual((await agent("Go")).code, 0)
        const [said, ...answers] = seen[1]!.body.messages.slice(2)
        const ids = ["call_0", "call_0_2", "call"]
        assert.deepStrictEqual(
          (said!["tool_calls"] as ReadonlyArray<{ id: string }>).map(({ id }) => id),
          ids
        )
        assert.deepStrictEqual(
          answers.map((each) => [each["tool_call_id"], /no\d|contents/.exec(String(each["content"]))?.[0]]),
          [
            [ids[0], "contents"],
            [ids[1], "no1"],
            [ids[2], "no2"]
          ]
        )
      }
    ))

  it("that refuses in its own field ends the loop with what it says, and not as done", () =>
    endpoint([says({ content: null, refusal: "I will not." })], async (_, agent) => {
      const { code, out } = await agent("Go")
      assert.strictEqual(code, 1)
      assert.match(out, /I will not\.[^]*\(Ended: the model's last message was cut \(content-filter\)\.\)\n$/)
    }))

  it("that cuts an answer at its limit, or breaks off with an error, ends the loop with that", async () => {
    for (const reason of ["length", "error"]) {
      await endpoint([says({ content: "and then" }, reason)], async (_, agent) => {
        const ended = await agent("--json", "Go")
        assert.strictEqual(ended.code, 1)
        assert.deepInclude(JSON.parse(ended.out.trim().split("\n").at(-1)!), { outcome: "cut", text: "and then" })
      })
    }
  })
})
