import type { Spec } from "./Spec.ts"
import { suite } from "./Suite.ts"

const cpp = {
  program: {
    folder: "cpp",
    source: "main.cpp",
    target: "program",
    build: ["g++", "-g", "-O0", "-std=c++17", "-pthread", "-o", "program", "main.cpp"],
    files: { "CMakeLists.txt": "project(program)\n" }
  },
  function: "add",
  stopsAtCaught: true,
  crash: { description: /SIGSEGV/ },
  setsVariables: true,
  environment: (folder) => `variable x=y z in ${folder} with [a b]\n`,
  threadsAtLeast: 2,
  leavesUnbound: true
} satisfies Partial<Spec>

const lldb = (version: number): Spec => ({
  ...cpp,
  name: `lldb ${version} (C++)`,
  adapter: "lldb",
  uncaught: { description: /std::runtime_error: boom \(signal SIGABRT/, exit: 6 },
  programs: [`lldb-dap-${version}`, "g++"],
  overrides: { lldb: { binary: `lldb-dap-${version}` } },
  frame: (name) =>
    ({ add: "add(int, int)", fact: "fact(int)", work: "work()", spin: "spin(char const*)" })[name] ?? name,
  elements: { name: (index) => `[${index}]`, total: 1000 }
})

suite(lldb(22))
suite(lldb(19))

suite({
  ...cpp,
  name: "gdb (C++)",
  adapter: "gdb",
  programs: ["gdb", "g++"],
  frame: (name) => name,
  // It does not say which signal it was, and 0 for the exit code of who is ended by one.
  uncaught: { description: /std::runtime_error: boom \(a signal\)/ },
  crash: { description: /a signal/ }
})
