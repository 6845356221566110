import { suite } from "./Suite.ts"

suite({
  name: "debugpy",
  adapter: "debugpy",
  programs: ["python3", "debugpy-adapter"],
  program: { folder: "python", source: "main.py", target: "main.py", files: { "pyproject.toml": "" } },
  frame: (name) => name,
  function: "add",
  uncaught: { description: /Failure.*boom/, exit: 1 },
  stopsAtCaught: true,
  crash: { exit: 245 },
  elements: { name: (index) => String(index).padStart(3, "0"), total: 104, before: 2 },
  setsVariables: true,
  environment: (folder) => `variable x=y z in ${folder} with ['a b']\n`,
  endless: "[None for _ in iter(int, 1)]",
  threadsAtLeast: 2,
  leavesUnbound: false
})
