/**
 * What the kernel's bundle takes for the global objects: a cell that declares one of their names (`import { Map } from "immutable"`)
 * hides the global one from every script of the realm, and until it is initialized, reading the name throws.
 */
export { Buffer } from "node:buffer"
export { performance } from "node:perf_hooks"
export { default as process } from "node:process"
export { URL } from "node:url"

const global = globalThis
const {
  Array: array,
  Atomics: atomics,
  BigInt: bigInt,
  Error: error,
  Function: functions,
  Int32Array: int32Array,
  JSON: json,
  Map: map,
  Math: math,
  Number: number,
  Object: object,
  Promise: promise,
  RangeError: rangeError,
  Reflect: reflect,
  RegExp: regExp,
  Set: set,
  SharedArrayBuffer: sharedArrayBuffer,
  String: string,
  Symbol: symbol,
  SyntaxError: syntaxError,
  TypeError: typeError,
  Uint8Array: uint8Array,
  WeakMap: weakMap,
  WeakSet: weakSet
} = global

export {
  array as Array,
  atomics as Atomics,
  bigInt as BigInt,
  error as Error,
  functions as Function,
  int32Array as Int32Array,
  json as JSON,
  map as Map,
  math as Math,
  number as Number,
  object as Object,
  promise as Promise,
  rangeError as RangeError,
  reflect as Reflect,
  regExp as RegExp,
  set as Set,
  sharedArrayBuffer as SharedArrayBuffer,
  string as String,
  symbol as Symbol,
  syntaxError as SyntaxError,
  typeError as TypeError,
  uint8Array as Uint8Array,
  weakMap as WeakMap,
  weakSet as WeakSet,
  global as globalThis
}
