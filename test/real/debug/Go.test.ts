import { suite } from "./Suite.ts"

suite({
  name: "delve",
  adapter: "delve",
  programs: ["dlv", "go"],
  program: { folder: "go", source: "main.go", target: "." },
  frame: (name) => `main.${name}`,
  function: "main.add",
  uncaught: { description: /panic.*failure: boom/, exit: 2 },
  stopsAtCaught: false,
  crash: { description: /nil pointer|SIGSEGV|invalid memory/ },
  elements: { name: (index) => `[${index}]`, total: 1000 },
  setsVariables: true,
  environment: (folder) => `variable x=y z in ${folder} with [a b]\n`,
  threadsAtLeast: 4,
  leavesUnbound: true
})
