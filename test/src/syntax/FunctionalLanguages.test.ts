/** As `Languages.test.ts`, for functional languages. */
import { describe } from "@effect/vitest"
import { table } from "../../support/languageTable.ts"

describe("haskell", () => {
  table(
    "haskell",
    `module Main where
import qualified Data.Map as M
import Data.List (sort)

add :: Int -> Int -> Int
add x y = x + y

main :: IO ()
main = do
  putStrLn "hi"
  let z = add 1 2
  x <- getLine
  print (f x)

data T = A Int | B deriving (Show)
data U = C | D

instance Show T where
  show t = "x"
`,
    {
      searches: [
        { pattern: "add $X $Y", as: "statement", found: [[11, { X: "1", Y: "2" }]] },
        { pattern: "print $$$A", as: "statement", found: [[13, { A: ["(f x)"] }]] },
        { pattern: "add $$$P = $B", as: "member", found: [[6, { P: ["x", "y"], B: "x + y" }]] },
        {
          pattern: "main = do\n  $$$B",
          as: "member",
          found: [[9, { B: ['putStrLn "hi"', "let z = add 1 2", "x <- getLine", "print (f x)"] }]]
        },
        { pattern: "import qualified $M as $N", as: "declaration", found: [[2, { M: "Data.Map", N: "M" }]] },
        { pattern: "import $M ($$$N)", as: "declaration", found: [[3, { M: "Data.List", N: ["sort"] }]] },
        {
          pattern: "$F :: $T",
          as: "statement",
          found: [
            [5, { F: "add", T: "Int -> Int -> Int" }],
            [8, { F: "main", T: "IO ()" }]
          ]
        },
        { pattern: "$X <- getLine", as: "statement", found: [[12, { X: "x" }]] },
        { pattern: "putStrLn $S; let z = $V", as: "statement", found: [[10, { S: '"hi"', V: "add 1 2" }]] },
        { pattern: "data $T = $A | $B", as: "declaration", found: [[16, { T: "U", A: "C", B: "D" }]] },
        {
          pattern: "instance Show $T where\n  $$$B",
          as: "declaration",
          found: [[18, { T: "T", B: ['show t = "x"'] }]]
        },
        { pattern: "import $M", none: "a qualified import has a name, the other a list" }
      ],
      rewrites: [
        { pattern: "add $X $Y", template: "sum [$X, $Y]", lines: [[11, "  let z = sum [1, 2]"]] },
        { pattern: "putStrLn $S", template: "T.putStrLn $S", lines: [[10, '  T.putStrLn "hi"']] }
      ]
    }
  )
})

describe("ocaml", () => {
  table(
    "ocaml",
    `open Printf
let add x y = x + y
let () = printf "%d" (add 1 2); print_endline "x"
let f x = match x with | Some y -> y | None -> 0
type t = { a : int; b : string }
module M = struct let v = 1 end
let g () = let z = List.map f xs in z
let rec k n = if n > 0 then k (n - 1) else add n 1
`,
    {
      searches: [
        {
          pattern: "add $X $Y",
          as: "statement",
          found: [
            [3, { X: "1", Y: "2" }],
            [8, { X: "n", Y: "1" }]
          ]
        },
        { pattern: "List.map $F $X", as: "statement", found: [[7, { F: "f", X: "xs" }]] },
        { pattern: "let add $$$P = $B", as: "member", found: [[2, { P: ["x", "y"], B: "x + y" }]] },
        {
          pattern: "let rec $F $$$P = $B",
          as: "member",
          found: [[8, { F: "k", P: ["n"], B: "if n > 0 then k (n - 1) else add n 1" }]]
        },
        { pattern: "let $X = $V in $B", as: "statement", found: [[7, { X: "z", V: "List.map f xs", B: "z" }]] },
        { pattern: "open $M", as: "declaration", found: [[1, { M: "Printf" }]] },
        {
          pattern: "printf $$$A; print_endline $S",
          as: "statement",
          found: [[3, { A: ['"%d"', "(add 1 2)"], S: '"x"' }]]
        },
        {
          pattern: "match $X with | Some $Y -> $A | None -> $B",
          as: "statement",
          found: [[4, { X: "x", Y: "y", A: "y", B: "0" }]]
        },
        { pattern: "type $T = { $$$F }", as: "declaration", found: [[5, { T: "t", F: ["a : int", "b : string"] }]] },
        { pattern: "module $M = struct $$$B end", as: "declaration", found: [[6, { M: "M", B: ["let v = 1"] }]] },
        { pattern: "if $C then $A", none: "the if has an else" },
        { pattern: "let f = $V", none: "f has a parameter" }
      ],
      rewrites: [
        {
          pattern: "List.map $F $X",
          template: "Array.map $F $X",
          lines: [[7, "let g () = let z = Array.map f xs in z"]]
        },
        {
          pattern: "print_endline $S",
          template: 'print_string ($S ^ "\\n")',
          lines: [[3, 'let () = printf "%d" (add 1 2); print_string ("x" ^ "\\n")']]
        }
      ]
    }
  )
})

describe("clojure", () => {
  table(
    "clojure",
    `(ns foo.core (:require [clojure.string :as str]))
(defn add [x y] (+ x y))
(defn- hidden "doc" [x] x)
(def m {:a 1 :b "x"})
(println (str/join "," [1 2]))
(println)
(if a b c)
(let [x 1] (foo x) (bar x))
`,
    {
      searches: [
        {
          pattern: "(println $$$A)",
          as: "statement",
          found: [
            [5, { A: ['(str/join "," [1 2])'] }],
            [6, { A: [] }]
          ]
        },
        { pattern: "(str/join $S $X)", as: "statement", found: [[5, { S: '","', X: "[1 2]" }]] },
        {
          pattern: "(defn $F [$$$P] $$$B)",
          as: "statement",
          found: [[2, { F: "add", P: ["x", "y"], B: ["(+ x y)"] }]]
        },
        { pattern: "(def $N $V)", as: "statement", found: [[4, { N: "m", V: '{:a 1 :b "x"}' }]] },
        { pattern: "(:require $$$R)", as: "statement", found: [[1, { R: ["[clojure.string :as str]"] }]] },
        { pattern: "(foo $X) (bar $X)", as: "statement", found: [[8, { X: "x" }]] },
        { pattern: "(let [$$$B] $$$E)", as: "statement", found: [[8, { B: ["x", "1"], E: ["(foo x)", "(bar x)"] }]] },
        { pattern: "{:a $V $$$R}", as: "statement", found: [[4, { V: "1", R: [":b", '"x"'] }]] },
        { pattern: "(if $C $A)", none: "the if has a third part" },
        { pattern: "(defn- $F [$$$P] $$$B)", none: "the function has a doc string" }
      ],
      rewrites: [
        {
          pattern: "(println $$$A)",
          template: "(prn $$$A)",
          lines: [
            [5, '(prn (str/join "," [1 2]))'],
            [6, "(prn)"]
          ]
        },
        { pattern: "(+ $X $Y)", template: "(add $X $Y)", lines: [[2, "(defn add [x y] (add x y))"]] }
      ]
    }
  )
})
