import { describe, expect, it } from "vitest"
import {
  echo,
  errorOf,
  type Frame,
  Kernel,
  notices,
  type Options,
  type Result,
  stderr,
  stdout
} from "../../support/PythonRunner.ts"

const listed = [
  { name: "read", description: "Reads", inputSchema: {} },
  { name: "ask_user", description: "Asks", inputSchema: {} }
]

const calls: Array<Frame> = []

const tools: NonNullable<Options["tools"]> = async (name, params, call) => {
  calls.push(call)
  const given = (params ?? {}) as { [key: string]: unknown }
  if (name === "") return { value: listed }
  if (name === "fails") return { code: "not_found", message: "no file of that name; did you mean a.txt?" }
  if (name === "never") return new Promise(() => undefined)
  await new Promise((resolve) => setTimeout(resolve, Number(given["delay"] ?? 0)))
  return { value: name === "read" ? given : `text of ${name}` }
}

const withKernel = async (use: (kernel: Kernel) => Promise<void>, options: Options = { tools }) => {
  const kernel = new Kernel(options)
  try {
    await use(kernel)
  } finally {
    await kernel.close()
  }
}

const all = async (kernel: Kernel, ...codes: ReadonlyArray<string>) => {
  const results: Array<Result> = []
  for (const code of codes) results.push(await kernel.run(code))
  return results
}

describe("tool", () => {
  it("takes a dict or keywords and gives the value back", () =>
    withKernel(async (kernel) => {
      const results = await all(
        kernel,
        "tool('read', {'path': 'é\\ud800', 'n': None, 'deep': {'l': [1, 2.5, True]}})",
        "tool.read(path='p')",
        "tool('read', {'a': 1}, b=2)",
        "tool('find', pattern='x')",
        "tool.ask_user(question='q')",
        "import pathlib; tool.read(path=pathlib.Path('a/b'), s={1}, t=(1,))",
        "[t['name'] for t in tools()]"
      )
      expect(results.map((result) => echo(result))).toEqual([
        String.raw`{'path': 'é\ud800', 'n': None, 'deep': {'l': [1, 2.5, True]}}`,
        "{'path': 'p'}",
        "{'a': 1, 'b': 2}",
        "'text of find'",
        "'text of ask_user'",
        "{'path': 'a/b', 's': [1], 't': [1]}",
        "['read', 'ask_user']"
      ])
      expect(calls.find((call) => call["name"] === "find")).toMatchObject({ cell: 4, params: { pattern: "x" } })
    }))

  it("can be awaited, many at once and out of order", () =>
    withKernel(async (kernel) => {
      const results = await all(
        kernel,
        "await tool.aread(path='p')",
        "await tool.acall('find', {'a': 1})",
        "import asyncio\n[r['i'] for r in await asyncio.gather(*[tool.aread(i=i, delay=60 - 10 * i) for i in range(6)])]",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(16) as ex: got = list(ex.map(lambda i: tool.read(i=i, delay=i % 3)['i'], range(100)))\ngot == list(range(100))"
      )
      expect(results.map((result) => echo(result))).toEqual([
        "{'path': 'p'}",
        "'text of find'",
        "[0, 1, 2, 3, 4, 5]",
        "True"
      ])
    }))

  it("carries megabytes both ways", () =>
    withKernel(async (kernel) => {
      const results = await all(
        kernel,
        "big = 'é' * 2_000_000\ntool.read(text=big)['text'] == big",
        "tool.read(text='x' * 70_000_000)",
        "1"
      )
      expect(echo(results[0]!)).toBe("True")
      expect(errorOf(results[1]!)?.["message"]).toContain("over the limit")
      expect(echo(results[2]!)).toBe("1")
    }))

  it("gives images as bytes, which are not echoed whole", () =>
    withKernel(async (kernel) => {
      const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(10_000, 7)])
      const shown = { outputs: [{ kind: "display", data: { "image/png": png.toString("base64"), "text/plain": "p" } }] }
      const results = await all(
        kernel,
        `given = tool("read", ${JSON.stringify(shown)})\nimage = given["outputs"][0]["data"]["image/png"]\ntype(image), len(image), image[:4]`,
        "given",
        "image",
        "tool('read', outputs=[{'data': {'image/png': 5}}, {'data': 1}, 2], data='x')"
      )
      expect(echo(results[0]!)).toBe(String.raw`(<class 'bytes'>, 10008, b'\x89PNG')`)
      expect(echo(results[1]!)).toMatch(/8008 of 10008 bytes left out/)
      expect(echo(results[2]!)).toMatch(/^b'\\x89PNG\\r\\n\\x1a\\n\\x07.*8008 of 10008 bytes left out/s)
      expect(echo(results[3]!)).toBe("{'outputs': [{'data': {'image/png': 5}}, {'data': 1}, 2], 'data': 'x'}")
    }))

  it("raises ToolError with the tool's message", () =>
    withKernel(async (kernel) => {
      const results = await all(
        kernel,
        "tool('fails')",
        "try: tool.fails(x=1)\nexcept ToolError as e: print(e, e.tool, e.code)",
        "try: await tool.acall('fails')\nexcept Exception as e: print(type(e).__name__)",
        "try: tool('read', {'f': {'g': [print]}})\nexcept ToolError as e: print(e)",
        "try: tool('read', 'path')\nexcept ToolError as e: print(e)",
        "try: tool('read', x=float('nan'))\nexcept ToolError as e: print(e)",
        "try: tool({'path': 1})\nexcept ToolError as e: print(e)"
      )
      expect(errorOf(results[0]!)).toMatchObject({
        name: "ToolError",
        message: "no file of that name; did you mean a.txt?"
      })
      expect(stdout(results[1]!)).toBe("no file of that name; did you mean a.txt? fails not_found\n")
      expect(stdout(results[2]!)).toBe("ToolError\n")
      expect(stdout(results[3]!)).toBe(
        "read: params['f']['g'][0] is a builtin_function_or_method; pass text, numbers, booleans, None, lists and dicts of them\n"
      )
      expect(stdout(results[4]!)).toContain("are a dict or keywords, not str")
      expect(stdout(results[5]!)).toContain("nan")
      expect(stdout(results[6]!)).toContain("name of a tool")
    }))

  it("is given up when the cell is interrupted or over", () =>
    withKernel(async (kernel) => {
      const began = calls.length
      const running = kernel.run("tool('never')")
      await kernel.until(() => (calls.length > began ? true : undefined))
      kernel.interrupt()
      expect((await running).status).toBe("interrupted")
      await kernel.until(() => (kernel.cancelled.includes(calls[began]!["id"]) ? true : undefined))

      const awaiting = kernel.run("await tool.acall('never')")
      await kernel.until(() => (calls.length > began + 1 ? true : undefined))
      kernel.interrupt()
      expect((await awaiting).status).toBe("interrupted")
      await kernel.until(() => (kernel.cancelled.includes(calls[began + 1]!["id"]) ? true : undefined))

      const left = await kernel.run(
        "import threading, time\nt = threading.Thread(target=lambda: tool('never'))\nt.start(); time.sleep(0.2)"
      )
      expect(notices(left).join()).toContain("unanswered: never")
      expect(kernel.cancelled).toContain(calls[began + 2]!["id"])
      const after = await kernel.run("t.join(); 1")
      expect(stderr(left) + stderr(after)).toContain("the cell ended before never answered")
      expect(echo(after)).toBe("1")
    }))

  it("is refused in a forked child, after the cell, and where there are no tools", async () => {
    await withKernel(async (kernel) => {
      const results = await all(
        kernel,
        "import os\npid = os.fork()\nif pid == 0:\n    try: tool('read')\n    except ToolError as e: print(e)\n    os._exit(0)\nos.waitpid(pid, 0)[1]",
        "import threading, time\ngo = threading.Event()\ndef late():\n    go.wait(); time.sleep(0.3); tool('read')\nt = threading.Thread(target=late); t.start()",
        "go.set()"
      )
      expect(stdout(results[0]!)).toContain("forked process")
      expect(stderr(await kernel.run("t.join()"))).toContain(
        "cell 2 has ended, which started this thread: its call of read comes too late."
      )
    })
    await withKernel(async (kernel) => {
      expect(errorOf(await kernel.run("tool('read')"))?.["message"]).toContain("no tools")
    }, {})
  })

  it("belongs to the cell that started its thread or task, also when another cell runs", () =>
    withKernel(async (kernel) => {
      const results = await all(
        kernel,
        `import asyncio, threading
go, said = threading.Event(), []
def call(then=None):
    go.wait()
    try: said.append(tool.read(path="a"))
    except ToolError as error: said.append((str(error).partition(":")[0], error.code))
    if then: started = threading.Thread(target=then); started.start(); started.join()
class Own(threading.Thread):
    def run(self): call()
threads = [threading.Thread(target=call, args=(call,)), Own(), threading.Timer(0, call)]
for thread in threads: thread.start()
async def later():
    await asyncio.sleep(0.05)
    while not go.is_set(): await asyncio.sleep(0.01)
    call()
task = asyncio.create_task(later())`,
        "go.set()\nfor thread in threads: thread.join()\nawait task\nsaid == said[:1] * 4 + [('cell 1 has ended, which started this task', 'cell_ended')] and said[0]",
        "mine = threading.Thread(target=call); mine.start(); mine.join(); said[-1]",
        "await asyncio.create_task(tool.aread(path='b'))"
      )
      expect(results.map((result) => echo(result))).toEqual([
        undefined,
        "('cell 1 has ended, which started this thread', 'cell_ended')",
        "{'path': 'a'}",
        "{'path': 'b'}"
      ])
    }))

  it("belongs to the cell that submits to a pool of an earlier one", () =>
    withKernel(async (kernel) => {
      const use = `[
    list(executor.map(call, range(3))), executor.submit(call, 1).result(),
    pool.map(call, range(2)), pool.apply(call, (1,)), pool.starmap(call, [(1,)]), list(pool.imap(call, [1])),
    await asyncio.to_thread(call, 1), await asyncio.get_running_loop().run_in_executor(None, call, 1)]`
      const results = await all(
        kernel,
        `import asyncio
if not hasattr(asyncio, "to_thread"): asyncio.to_thread = lambda *a: asyncio.get_running_loop().run_in_executor(None, *a)
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
executor, pool = ThreadPoolExecutor(1), ThreadPool(1)
def call(number): return tool.read(path=number)["path"]
${use}`,
        use
      )
      for (const result of results) expect(echo(result)).toBe("[[0, 1, 2], 1, [0, 1], 1, [1], [1], 1, 1]")
      expect(new Set(calls.slice(-11).map((call) => call["cell"]))).toEqual(new Set([2]))
    }))

  it("shows under the cell that it belongs to", () =>
    withKernel(async (kernel) => {
      await kernel.run(
        "import threading\ngo = threading.Event()\nthread = threading.Thread(target=lambda: (go.wait(), display('late')))\nthread.start()"
      )
      await kernel.run("display('own'); go.set(); thread.join()")
      const shown = kernel.frames.filter((frame) => frame.t === "display")
      expect(shown.map(({ cell }) => cell)).toEqual([2, 1])
    }))
})
