/** The adapters that are shipped (SPEC §7.2). Of several that fit a program the first usable one debugs it. */
import type { Binary, Row } from "./Row.ts"

const venv = [".venv/bin", "venv/bin"]
const python = (name: string): Binary => ({
  name,
  project: venv,
  // Not from the folder it is started in, which is the project's.
  check: ["-c", "import sys; sys.path[:] = filter(None, sys.path); import debugpy.adapter; print(debugpy.__version__)"],
  help: "install debugpy for it: `python3 -m pip install debugpy`"
})

const lldb = (name: string): Binary => ({ name, check: ["--help"] })

/** What all three native debuggers debug; sources are there so that a source is answered with "build it". */
const native = [".c", ".cc", ".cpp", ".cxx", ".c++", ".m", ".mm", ".rs", ".swift", ".zig", ".d", ".f90", ".nim"]
const nativeMarkers = [
  "Cargo.toml",
  "CMakeLists.txt",
  "Makefile",
  "meson.build",
  "build.zig",
  "Package.swift",
  "compile_commands.json",
  "configure.ac",
  "BUILD.bazel"
] as const

/** Neither C++ nor Rust has a filter for what nobody catches: the one aborts, the other calls `rust_panic`. */
const fatal = {
  functions: ["rust_panic"],
  texts: [
    String.raw`terminate called after throwing an instance of '(?<type>[^']+)'\s*(?:what\(\): +(?<message>[^\r\n]*))?`,
    String.raw`terminating due to uncaught exception of type (?<type>[^:\r\n]+)(?:: (?<message>[^\r\n]*))?`,
    String.raw`(?<type>panic)ked at [^\r\n]*:\d+:\s+(?<message>[^\r\n]*)`
  ]
} as const

const exe = { program: "${program}", args: "${args}", cwd: "${cwd}" } as const

export const shipped: ReadonlyArray<Row> = [
  {
    id: "dart",
    binaries: [
      { name: "dart", home: ["flutter/bin", "development/flutter/bin", "fvm/default/bin"], check: ["--version"] }
    ],
    args: ["debug_adapter"],
    markers: ["pubspec.yaml"],
    extensions: [".dart"],
    launch: { ...exe, env: "${env}", enableAsserts: true },
    attach: { how: "spawn", arguments: { vmServiceUri: "http://127.0.0.1:${port}/", cwd: "${cwd}" } },
    quirks: {
      exceptionFilters: { uncaught: ["Unhandled"], all: ["All"] },
      // It sends no `exited`.
      exitText: String.raw`^\s*Exited \((-?\d+)\)`
    }
  },
  {
    id: "debugpy",
    binaries: [python("python3"), python("python")],
    args: ["-m", "debugpy.adapter"],
    interpreter: [
      { name: "python3", project: venv },
      { name: "python", project: venv }
    ],
    markers: [
      "pyproject.toml",
      "setup.py",
      "requirements.txt",
      "setup.cfg",
      "Pipfile",
      "uv.lock",
      "poetry.lock",
      "manage.py"
    ],
    extensions: [".py", ".pyw"],
    launch: {
      ...exe,
      module: "${module}",
      env: "${env}",
      python: ["${python}"],
      console: "internalConsole",
      redirectOutput: true,
      // Else `raised` stops at every exception that the standard library catches itself.
      justMyCode: true,
      subProcess: true,
      // `sys.exit(1)` is an end, not an exception that nobody catches.
      breakOnSystemExit: []
    },
    // Without anything in it the request fails.
    attach: { how: "connect", arguments: { justMyCode: true, redirectOutput: true, subProcess: true } },
    quirks: {
      childSessions: "debugpyAttach",
      hitConditions: String.raw`^(?:[=><]=?|%)?\s*\d+$|@HIT@`,
      errorNoise: String.raw`^ {2}File "[^"]*[/\\]pydevd[^"]*", line .*\n(?: {4}.*\n)*`,
      holdsValue: {
        hold: 'setattr(__import__("sys"), "_livetools_value", (${value}\n))',
        held: '__import__("sys")._livetools_value'
      },
      conditionSettings: {
        command: "setDebuggerProperty",
        arguments: { skipSuspendOnBreakpointException: [], skipPrintBreakpointException: [] }
      },
      // Seconds; an expression that never returns would keep the program for ever.
      environment: { PYDEVD_INTERRUPT_THREAD_TIMEOUT: "10" },
      exceptionFilters: { uncaught: ["uncaught"], all: ["raised", "uncaught"] }
    }
  },
  {
    id: "lldb",
    // Before LLVM 18 it was called lldb-vscode.
    binaries: [lldb("lldb-dap"), lldb("lldb-dap-*"), lldb("lldb-vscode"), lldb("lldb-vscode-*")],
    adapterId: "lldb-dap",
    markers: nativeMarkers,
    extensions: native,
    launch: {
      ...exe,
      // Version 19 ignores an object.
      env: "${envList}",
      // Else the program waits for ever at a terminal on which nobody types.
      initCommands: ["settings set target.input-path /dev/null"]
    },
    attach: { how: "spawn", arguments: { "gdb-remote-port": "${port}", "gdb-remote-hostname": "127.0.0.1" } },
    quirks: {
      needsBuiltProgram: true,
      evaluateContext: "watch",
      // What nobody catches aborts, which stops by itself.
      exceptionFilters: { uncaught: [], all: ["cpp_throw", "objc_throw", "swift_throw"] },
      fatal,
      hitConditions: String.raw`^\d+$`,
      noise:
        String.raw`^(Running initCommands|\(lldb\) settings set target\.input-path|To get started with the debug console|` +
        String.raw`For more information visit|Executable binary set to|Attached to process|Process \d+ exited with)`
    }
  },
  {
    id: "delve",
    binaries: [{ name: "dlv", home: ["go/bin"], check: ["version"] }],
    args: ["dap", "--client-addr", "${address}"],
    transport: { tcp: "dial-in" },
    adapterId: "go",
    markers: ["go.mod", "go.work"],
    extensions: [".go"],
    takesFolders: true,
    folderOf: [".go"],
    launch: {
      ...exe,
      mode: "${mode|debug}",
      env: "${env}",
      // Left in the project when the adapter is killed, unless it lies elsewhere.
      output: "${temporary}/program",
      outputMode: "remote",
      stackTraceDepth: 50,
      hideSystemGoroutines: true
    },
    attach: { how: "connect", arguments: { mode: "remote", stopOnEntry: false } },
    quirks: {
      evaluateContext: "repl",
      exceptionFilters: {
        uncaught: ["unrecovered-panic", "runtime-fatal-throw"],
        all: ["unrecovered-panic", "runtime-fatal-throw"]
      },
      pagesByFilter: true,
      echoesValue: true,
      resumeBeforeDetach: true,
      noise: String.raw`^(Type 'dlv help' for list of commands\.|Detaching|Process \d+ has exited with status)`
    }
  },
  {
    id: "js-debug",
    binaries: [{ name: "js-debug-adapter" }, { name: "js-debug" }],
    args: ["0", "127.0.0.1"],
    transport: { tcp: "listen-line", line: String.raw`listening at .*:(\d+)` },
    adapterId: "pwa-node",
    markers: ["package.json", "tsconfig.json", "jsconfig.json"],
    extensions: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
    launch: {
      ...exe,
      type: "pwa-node",
      env: "${env}",
      console: "internalConsole",
      outputCapture: "std",
      sourceMaps: true
    },
    attach: {
      how: "spawn",
      arguments: { type: "pwa-node", address: "127.0.0.1", port: "${port}", continueOnAttach: true }
    },
    quirks: {
      childSessions: "startDebugging",
      exceptionFilters: { uncaught: ["uncaught"], all: ["all", "uncaught"] }
    }
  },
  {
    id: "codelldb",
    binaries: [{ name: "codelldb" }],
    markers: nativeMarkers,
    extensions: native,
    launch: { ...exe, env: "${env}", terminal: "console" },
    attach: {
      how: "spawn",
      arguments: { targetCreateCommands: [], processCreateCommands: ["gdb-remote 127.0.0.1:${port}"] }
    },
    quirks: {
      needsBuiltProgram: true,
      evaluateContext: "watch",
      exceptionFilters: { uncaught: ["rust_panic"], all: ["rust_panic", "cpp_throw"] }
    }
  },
  {
    id: "gdb",
    binaries: [{ name: "gdb", check: ["--version"], least: 14, help: "the first version with this protocol is 14" }],
    // It reads the program at once: of a condition that it learns of before, it does not say that it is wrong.
    args: ["-q", "-nx", "--interpreter=dap", "${program}"],
    markers: nativeMarkers,
    extensions: native,
    launch: exe,
    attach: { how: "spawn", arguments: { target: "127.0.0.1:${port}" } },
    quirks: {
      needsBuiltProgram: true,
      evaluateContext: "watch",
      exceptionFilters: { uncaught: [], all: ["throw"] },
      fatal,
      detachCommand: "detach",
      ignoresHits: true,
      logsWithoutEnd: true,
      hidesSignals: true,
      // With `env` the program would have no other variables, not even the mark by which it is found and ended.
      inheritsEnvironment: true,
      // It reads the program's output line by line on a thread of its own, which `disconnect` does not wait for.
      lastOutput: 'python import os; os.write(1, b"${mark}\\n")',
      stdoutNoise: String.raw`^(❌|Reading symbols from |Function ".*" not defined\.|(Breakpoint|Catchpoint|Temporary breakpoint) \d+ (\(|at 0x))`
    }
  },
  {
    id: "netcoredbg",
    binaries: [{ name: "netcoredbg", check: ["--version"] }],
    args: ["--interpreter=vscode"],
    adapterId: "coreclr",
    markers: ["*.csproj", "*.fsproj", "*.vbproj", "*.sln", "*.slnx", "global.json"],
    extensions: [".dll"],
    launch: { ...exe, env: "${env}", justMyCode: false, stopAtEntry: false },
    attach: { how: "never", arguments: {} },
    quirks: { exceptionFilters: { uncaught: ["user-unhandled"], all: ["all"] } }
  },
  {
    id: "rdbg",
    binaries: [
      { name: "rdbg", check: ["--version"] },
      { name: "rdbg*", check: ["--version"] }
    ],
    args: ["--open", "--host", "127.0.0.1", "--port", "0", "--command", "--", "ruby", "${program}", "${args}"],
    transport: { tcp: "listen-line", line: String.raw`via TCP/IP \(\S+:(\d+)\)`, on: "stderr" },
    markers: ["Gemfile", "*.gemspec", "Rakefile", ".ruby-version"],
    extensions: [".rb"],
    launch: { localfs: true },
    attach: { how: "connect", arguments: { localfs: true } },
    quirks: {
      isProgram: true,
      inheritsEnvironment: true,
      // It cannot tell what will be caught.
      exceptionFilters: { uncaught: [], all: ["any"] },
      stdoutNoise: String.raw`^DEBUGGER: (Connected|Disconnected|Session)`
    }
  }
]
