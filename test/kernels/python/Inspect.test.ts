/** `inspect` finds what cells define, as it was when the object was made. */
import { expect, it } from "vitest"
import { cells, echo, errorOf, stdout } from "../../support/PythonRunner.ts"

const source = (name: string) => `print(inspect.getsource(${name}), end="")`

it("finds functions and classes, also after a cell has redefined them", async () => {
  const first = `import inspect
from dataclasses import dataclass
@dataclass
class Point:
    x: int
class Other(Point):
    def method(self):
        return 1
    class Inner:
        y = 1
@dataclass(
    frozen=True)
class Many:
    a: str
def function(): return 1
kept = Point, Other, function`
  const results = await cells([
    first,
    source("Point"),
    source("Many"),
    source("Other.Inner"),
    "@dataclass\nclass Point:\n    z: str\nclass Other:\n    def method(self): return 2\ndef function(): return 2",
    ...["Point", "Other", "function", "kept[0]", "kept[1]", "kept[2]"].map(source),
    // It fails before it comes to its class.
    "1 / 0\nclass Point: broken = 1",
    source("Point"),
    "inspect.getsourcelines(Point)[1], inspect.getsourcefile(Point), inspect.getfile(Other)"
  ])
  expect(results.slice(1, 4).map((result) => stdout(result))).toEqual([
    "@dataclass\nclass Point:\n    x: int\n",
    "@dataclass(\n    frozen=True)\nclass Many:\n    a: str\n",
    "    class Inner:\n        y = 1\n"
  ])
  expect(results.slice(5, 11).map((result) => stdout(result))).toEqual([
    "@dataclass\nclass Point:\n    z: str\n",
    "class Other:\n    def method(self): return 2\n",
    "def function(): return 2\n",
    "@dataclass\nclass Point:\n    x: int\n",
    "class Other(Point):\n    def method(self):\n        return 1\n    class Inner:\n        y = 1\n",
    "def function(): return 1\n"
  ])
  expect(stdout(results[12]!)).toBe("@dataclass\nclass Point:\n    z: str\n")
  expect(echo(results[13]!)).toBe("(1, '<cell 5>', '<cell 5>')")
})

it("finds classes in the cell that runs, in a function and below idioms; says that it knows no source where there is none", async () => {
  const results = await cells([
    `import inspect\n%time 1\nif True:\n    class Here:\n        a = 2\n${source("Here")}`,
    "def make():\n    class Made:\n        b = 1\n    return Made\nK = make()",
    source("K"),
    "from collections import namedtuple\nclass T(Exception): pass\nT = namedtuple('T', 'a b')\ninspect.getsource(namedtuple('U', 'a'))",
    "class Below: pass\n!true",
    source("Below"),
    "inspect.getsource(int)"
  ])
  expect(stdout(results[0]!)).toContain("    class Here:\n        a = 2\n")
  expect(stdout(results[2]!)).toBe("    class Made:\n        b = 1\n")
  expect(errorOf(results[3]!)?.["name"]).toMatch(/OSError|TypeError/)
  expect(stdout(results[5]!)).toBe("class Below: pass\n")
  expect(errorOf(results[6]!)?.["name"]).toBe("TypeError")
})
