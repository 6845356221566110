import { suite } from "./Suite.ts"

suite({
  name: "lldb 22 (Rust)",
  adapter: "lldb",
  programs: ["lldb-dap-22", "rustc"],
  program: {
    folder: "rust",
    source: "src/main.rs",
    target: "program",
    build: ["rustc", "-g", "-C", "opt-level=0", "-o", "program", "src/main.rs"],
    files: { "Cargo.toml": '[package]\nname = "program"\nversion = "0.1.0"\nedition = "2021"\n' }
  },
  overrides: { lldb: { binary: "lldb-dap-22" } },
  frame: (name) => `main::${name}`,
  function: "add",
  uncaught: { description: /panic: failure: boom/, exit: 101 },
  stopsAtCaught: true,
  takesCaughtForUncaught: true,
  crash: { description: /SIGABRT/ },
  // Without the formatters of the toolchain.
  showsTexts: false,
  setsVariables: true,
  environment: (folder) => `variable x=y z in ${folder} with ["a b"]\n`,
  threadsAtLeast: 2,
  leavesUnbound: true
})
