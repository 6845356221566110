/** One checker of a project as data (SPEC §3.10): when a project has it, and how it is run without writing into the project. */
import { Schema } from "effect"
import type { Diagnostic } from "../LanguageServers.ts"
import { Binary } from "../rows/Row.ts"
import type { CheckerPart } from "../Values.ts"
import type * as Parse from "./Parse.ts"

/**
 * What a project's own configuration says for a checker: a file of the folder, and where it is named in one that many tools
 * share, the text that it must have.
 */
export const Sign = Schema.Struct({
  file: Schema.NonEmptyString,
  /** A regular expression, by line. */
  having: Schema.optionalKey(Schema.NonEmptyString)
})
export type Sign = typeof Sign.Type

export interface Checker {
  readonly id: string
  readonly binary: Binary
  /** `${out}` is a folder outside of the project, of each configuration its own, the same for all calls of a run. */
  readonly args: ReadonlyArray<string>
  /** Instead of `args` where one of the signs is: the first that holds. */
  readonly argsWhere?: ReadonlyArray<{ readonly signs: ReadonlyArray<Sign>; readonly args: ReadonlyArray<string> }>
  readonly env?: Readonly<Record<string, string>>
  /** Instead of `args` for projects that refer to others (`tsconfig.json`): these are built, in a fresh copy. */
  readonly buildArgs?: ReadonlyArray<string>
  /** One of these names it. */
  readonly signs: ReadonlyArray<Sign>
  /** A configuration below another one is part of that; else it is checked by itself. */
  readonly isDeep?: boolean
  /** Arguments with which the program says, in the folder of a configuration, the file of the one that this is part of. */
  readonly locate?: ReadonlyArray<string>
  /** One of these makes it the one to try, where none of its role is named. */
  readonly usual?: ReadonlyArray<Sign>
  /** Of one role one is run: a named one first. */
  readonly role?: string
  /** Files that it would write into the project where they are missing; it is not run then. */
  readonly wouldWrite?: ReadonlyArray<string>
  /** It runs programs of the project (build scripts, plug-ins): only where the project is trusted (SPEC §3.9). */
  readonly runsProject?: boolean
  /** How its output is read. */
  readonly format: keyof typeof Parse.formats
  /** The exit codes with which it has checked all. With another one it is not clean, whatever it says. */
  readonly finished: ReadonlyArray<number>
}

/** What all checkers say together. Paths are absolute. */
export interface Checked {
  readonly diagnostics: ReadonlyArray<Omit<Diagnostic, "raw">>
  readonly checkers: ReadonlyArray<CheckerPart>
  /** Configurations that are not the project's, as they are in folders of fixtures. */
  readonly fixtures: ReadonlyArray<string>
}
