/** What agents look for in each of these languages: calls, definitions, assignments, imports, siblings, and misses. */
import { describe } from "@effect/vitest"
import { table } from "../../support/languageTable.ts"

describe("zig", () => {
  table(
    "zig",
    `const std = @import("std");
pub fn add(a: i32, b: i32) i32 {
    const c = a + b;
    defer done();
    std.debug.print("x", .{c});
    return c;
}
fn one() void {
    if (c > 1) { bar(1); } else { bar(2); }
    if (c > 2) { try bar(3); }
}
const P = struct { x: i32, y: i32 = 0 };
test "adds" { try expect(add(1, 2) == 3); }
`,
    {
      searches: [
        { pattern: "std.debug.print($F, $A)", as: "statement", found: [[5, { F: '"x"', A: ".{c}" }]] },
        { pattern: "add($X, $$$R)", as: "statement", found: [[13, { X: "1", R: ["2"] }]] },
        {
          pattern: "fn $F($$$P) $T { $$$B }",
          as: "declaration",
          found: [
            [
              2,
              {
                F: "add",
                P: ["a: i32", "b: i32"],
                T: "i32",
                B: ["const c = a + b;", "defer done();", 'std.debug.print("x", .{c});', "return c;"]
              }
            ],
            [
              8,
              {
                F: "one",
                P: [],
                T: "void",
                B: ["if (c > 1) { bar(1); } else { bar(2); }", "if (c > 2) { try bar(3); }"]
              }
            ]
          ]
        },
        {
          pattern: "const $N = $V;",
          as: "statement",
          found: [
            [1, { N: "std", V: '@import("std")' }],
            [3, { N: "c", V: "a + b" }],
            [12, { N: "P", V: "struct { x: i32, y: i32 = 0 }" }]
          ]
        },
        { pattern: "const $N = @import($M);", as: "statement", found: [[1, { N: "std", M: '"std"' }]] },
        {
          pattern: "defer $X; std.debug.print($$$A)",
          as: "statement",
          found: [[4, { X: "done()", A: ['"x"', ".{c}"] }]]
        },
        {
          pattern: "const $N = struct { $$$F };",
          as: "statement",
          found: [[12, { N: "P", F: ["x: i32", "y: i32 = 0"] }]]
        },
        {
          pattern: "test $N { $$$B }",
          as: "declaration",
          found: [[13, { N: '"adds"', B: ["try expect(add(1, 2) == 3);"] }]]
        },
        { pattern: "if ($C) { $$$B }", as: "statement", found: [[10, { C: "c > 2", B: ["try bar(3);"] }]] },
        { pattern: "fn $F($A) $T { $$$B }", none: "no function has just one parameter" }
      ],
      rewrites: [
        {
          pattern: "bar($X)",
          template: "baz($X, 0)",
          lines: [
            [9, "    if (c > 1) { baz(1, 0); } else { baz(2, 0); }"],
            [10, "    if (c > 2) { try baz(3, 0); }"]
          ]
        },
        {
          pattern: "const $N = @import($M);",
          template: "pub const $N = @import($M);",
          lines: [[1, 'pub const std = @import("std");']]
        }
      ]
    }
  )
})

describe("solidity", () => {
  table(
    "solidity",
    `pragma solidity ^0.8.0;
import "./A.sol";
contract Token is ERC20 {
  uint256 public total;
  event Sent(address a);
  function send(address to, uint256 v) public returns (bool) {
    require(v > 0, "x");
    total = total + v;
    emit Sent(to);
    if (v > 1) { return true; }
    if (v > 2) { total = 1; } else { total = 2; }
    return false;
  }
  function plain() public { total = 3; }
}
`,
    {
      searches: [
        { pattern: "require($C, $M)", as: "statement", found: [[7, { C: "v > 0", M: '"x"' }]] },
        {
          pattern: "function $F($$$P) public { $$$B }",
          as: "member",
          found: [[14, { F: "plain", P: [], B: ["total = 3;"] }]]
        },
        {
          pattern: "$A = $B",
          as: "statement",
          found: [
            [8, { A: "total", B: "total + v" }],
            [11, { A: "total", B: "1" }],
            [11, { A: "total", B: "2" }],
            [14, { A: "total", B: "3" }]
          ]
        },
        { pattern: "import $P;", as: "declaration", found: [[2, { P: '"./A.sol"' }]] },
        { pattern: "emit $E($$$A);", as: "statement", found: [[9, { E: "Sent", A: ["to"] }]] },
        {
          pattern: "total = $V; emit $E($$$A)",
          as: "statement",
          found: [[8, { V: "total + v", E: "Sent", A: ["to"] }]]
        },
        { pattern: "uint256 public $N;", as: "member", found: [[4, { N: "total" }]] },
        { pattern: "event $E($$$P);", as: "member", found: [[5, { E: "Sent", P: ["address a"] }]] },
        { pattern: "if ($C) { $$$B }", as: "statement", found: [[10, { C: "v > 1", B: ["return true;"] }]] },
        { pattern: "contract $C { $$$M }", none: "the contract inherits" }
      ],
      rewrites: [
        {
          pattern: "require($C, $M)",
          template: "if (!($C)) revert($M)",
          lines: [[7, '    if (!(v > 0)) revert("x");']]
        },
        {
          pattern: "total = $V",
          template: "sum = $V",
          lines: [
            [8, "    sum = total + v;"],
            [11, "    if (v > 2) { sum = 1; } else { sum = 2; }"],
            [14, "  function plain() public { sum = 3; }"]
          ]
        }
      ]
    }
  )
})

describe("objc", () => {
  table(
    "objc",
    `#import <Foundation/Foundation.h>
#import "Foo.h"
@interface Foo : NSObject
@property (nonatomic) int x;
- (void)bar:(int)a;
@end
@implementation Foo
- (void)bar:(int)a {
  [self baz:a with:@"x"];
  NSLog(@"%d", a);
  int y = [x count];
  if (a > 1) { [self stop]; } else { [self go]; }
  self.x = 1;
}
- (int)count { return 1; }
@end
`,
    {
      searches: [
        { pattern: "[self baz:$A with:$B]", as: "statement", found: [[9, { A: "a", B: '@"x"' }]] },
        { pattern: "[$X count]", as: "statement", found: [[11, { X: "x" }]] },
        {
          pattern: "[self $M]",
          as: "statement",
          found: [
            [12, { M: "stop" }],
            [12, { M: "go" }]
          ]
        },
        { pattern: "NSLog($$$A)", as: "statement", found: [[10, { A: ['@"%d"', "a"] }]] },
        {
          pattern: "#import $P",
          as: "declaration",
          found: [
            [1, { P: "<Foundation/Foundation.h>" }],
            [2, { P: '"Foo.h"' }]
          ]
        },
        { pattern: "int $N = $V;", as: "statement", found: [[11, { N: "y", V: "[x count]" }]] },
        { pattern: "self.$P = $V", as: "statement", found: [[13, { P: "x", V: "1" }]] },
        { pattern: "- ($T)$M { $$$B }", as: "member", found: [[15, { T: "int", M: "count", B: ["return 1;"] }]] },
        {
          pattern: "- (void)bar:(int)$A { $$$B }",
          as: "member",
          found: [
            [
              8,
              {
                A: "a",
                B: [
                  '[self baz:a with:@"x"];',
                  'NSLog(@"%d", a);',
                  "int y = [x count];",
                  "if (a > 1) { [self stop]; } else { [self go]; }",
                  "self.x = 1;"
                ]
              }
            ]
          ]
        },
        {
          pattern: "[self baz:$A with:$B]; NSLog($$$R)",
          as: "statement",
          found: [[9, { A: "a", B: '@"x"', R: ['@"%d"', "a"] }]]
        },
        {
          pattern: "@interface $C : $S $$$M @end",
          as: "declaration",
          found: [[3, { C: "Foo", S: "NSObject", M: ["@property (nonatomic) int x;", "- (void)bar:(int)a;"] }]]
        },
        { pattern: "if ($C) { $$$B }", none: "the if has an else" },
        { pattern: "[self baz:$A]", none: "the message has a second part" }
      ],
      rewrites: [
        { pattern: "NSLog($F, $A)", template: "os_log($F, $A)", lines: [[10, '  os_log(@"%d", a);']] },
        { pattern: "[$X count]", template: "$X.count", lines: [[11, "  int y = x.count;"]] }
      ]
    }
  )
})

describe("julia", () => {
  table(
    "julia",
    `using DataFrames
import Base: show
function add(x, y)
    z = x + y
    println("a", z)
    return z
end
f(x) = x^2
struct P
    x::Int
end
if a > 1
    b()
elseif c
    d()
end
for i in 1:10
    push!(v, i)
end
@test add(1, 2) == 3
`,
    {
      searches: [
        { pattern: "println($$$A)", as: "statement", found: [[5, { A: ['"a"', "z"] }]] },
        { pattern: "push!($V, $X)", as: "statement", found: [[18, { V: "v", X: "i" }]] },
        {
          pattern: "function $F($$$P)\n    $$$B\nend",
          as: "statement",
          found: [[3, { F: "add", P: ["x", "y"], B: ["z = x + y", 'println("a", z)', "return z"] }]]
        },
        { pattern: "f($X) = $B", as: "statement", found: [[8, { X: "x", B: "x^2" }]] },
        { pattern: "z = $V", as: "statement", found: [[4, { V: "x + y" }]] },
        { pattern: "using $M", as: "statement", found: [[1, { M: "DataFrames" }]] },
        { pattern: "import Base: $N", as: "statement", found: [[2, { N: "show" }]] },
        { pattern: "z = $V\nprintln($$$A)", as: "statement", found: [[4, { V: "x + y", A: ['"a"', "z"] }]] },
        {
          pattern: "for $I in $R\n    $$$B\nend",
          as: "statement",
          found: [[17, { I: "i", R: "1:10", B: ["push!(v, i)"] }]]
        },
        { pattern: "@test $A == $B", as: "statement", found: [[20, { A: "add(1, 2)", B: "3" }]] },
        { pattern: "struct $S\n    $$$F\nend", as: "statement", found: [[9, { S: "P", F: ["x::Int"] }]] },
        { pattern: "if $C\n    $$$B\nend", none: "the if has an elseif" }
      ],
      rewrites: [
        { pattern: "println($$$A)", template: "@info($$$A)", lines: [[5, '    @info("a", z)']] },
        { pattern: "push!($V, $X)", template: "append!($V, [$X])", lines: [[18, "    append!(v, [i])"]] }
      ]
    }
  )
})

describe("r", () => {
  table(
    "r",
    `library(dplyr)
f <- function(x, y = 2) {
  z <- x + y
  print(z)
  if (x > 1) y else z
}
df$a <- mean(df$b, na.rm = TRUE)
m <- mean(df$b)
x %>% filter(a == 1)
x %in% y
print(1, 2)
`,
    {
      searches: [
        { pattern: "library($P)", as: "statement", found: [[1, { P: "dplyr" }]] },
        {
          pattern: "print($X, $$$R)",
          as: "statement",
          found: [
            [4, { X: "z", R: [] }],
            [11, { X: "1", R: ["2"] }]
          ]
        },
        { pattern: "mean($X, na.rm = $V)", as: "statement", found: [[7, { X: "df$b", V: "TRUE" }]] },
        {
          pattern: "$F <- function($$$P) { $$$B }",
          as: "statement",
          found: [[2, { F: "f", P: ["x", "y = 2"], B: ["z <- x + y", "print(z)", "if (x > 1) y else z"] }]]
        },
        { pattern: "m <- $V", as: "statement", found: [[8, { V: "mean(df$b)" }]] },
        { pattern: "df$a <- $V", as: "statement", found: [[7, { V: "mean(df$b, na.rm = TRUE)" }]] },
        { pattern: "$X %>% $Y", as: "statement", found: [[9, { X: "x", Y: "filter(a == 1)" }]] },
        { pattern: "z <- $V\nprint($X)", as: "statement", found: [[3, { V: "x + y", X: "z" }]] },
        { pattern: "$A == $B", as: "statement", found: [[9, { A: "a", B: "1" }]] },
        { pattern: "if ($C) $A", none: "the if has an else" },
        { pattern: "f <- function($X) $B", none: "the function has two parameters" }
      ],
      rewrites: [
        { pattern: "print($X)", template: "message($X)", lines: [[4, "  message(z)"]] },
        { pattern: "$X %>% $Y", template: "$X |> $Y", lines: [[9, "x |> filter(a == 1)"]] }
      ]
    }
  )
})

describe("powershell", () => {
  table(
    "powershell",
    `Import-Module Foo
function Get-Thing {
  param([string]$Name, [int]$N = 1)
  Write-Host "x $Name" -ForegroundColor Red
  $y = Get-ChildItem -Path $Name
  if ($N -gt 1) { return $y } else { exit }
  $y | Where-Object { $_.Name -eq "a" }
  [Console]::WriteLine("a")
  $y.Delete($true)
}
function Stop-It { exit }
`,
    {
      searches: [
        { pattern: "Write-Host $X -ForegroundColor $C", as: "statement", found: [[4, { X: '"x $Name"', C: "Red" }]] },
        { pattern: "Get-ChildItem $$$A", as: "statement", found: [[5, { A: ["-Path", "$Name"] }]] },
        { pattern: "[Console]::WriteLine($X)", as: "statement", found: [[8, { X: '"a"' }]] },
        { pattern: "$X.Delete($Y)", as: "statement", found: [[9, { X: "$y", Y: "$true" }]] },
        { pattern: "function Stop-It { $$$B }", as: "statement", found: [[11, { B: ["exit"] }]] },
        { pattern: "$V = Get-ChildItem -Path $P", as: "statement", found: [[5, { V: "$y", P: "$Name" }]] },
        { pattern: "Import-Module $M", as: "statement", found: [[1, { M: "Foo" }]] },
        { pattern: "$X | Where-Object { $$$B }", as: "statement", found: [[7, { X: "$y", B: ['$_.Name -eq "a"'] }]] },
        {
          pattern: "[Console]::WriteLine($X); $Y.Delete($Z)",
          as: "statement",
          found: [[8, { X: '"a"', Y: "$y", Z: "$true" }]]
        },
        { pattern: "param($$$P)", as: "parameters", found: [[3, { P: ["[string]$Name", "[int]$N = 1"] }]] },
        { pattern: "$A -gt $B", as: "statement", found: [[6, { A: "$N", B: "1" }]] },
        { pattern: "if ($C) { $$$B }", none: "the if has an else" },
        { pattern: "Write-Host $X", none: "the command has another parameter" }
      ],
      rewrites: [
        {
          pattern: "Write-Host $X -ForegroundColor $C",
          template: "Write-Output $X",
          lines: [[4, '  Write-Output "x $Name"']]
        },
        { pattern: "Import-Module $M", template: "using module $M", lines: [[1, "using module Foo"]] }
      ]
    }
  )
})
