/** One debug adapter as data (SPEC §7.2): what it debugs, how it is started, what it is asked to launch, and how it differs. */

/** Where the adapter listens or speaks once it is started. */
export type Transport =
  | "stdio"
  /**
   * `listen-line`: it listens, and the first group of `line` in what it prints on standard output (or what `on` says) is the port;
   * the rest of what it prints is the program's. `dial-in`: it connects to us: `${address}` in its arguments is `127.0.0.1:PORT`.
   */
  | { readonly tcp: "listen-line"; readonly line: RegExp; readonly on?: "stderr" | undefined }
  | { readonly tcp: "dial-in" }

/** What is to be launched; paths are absolute, links resolved. */
export interface LaunchInput {
  /** A file, or a folder (Go package); absent where `module` is given. */
  readonly program?: string | undefined
  readonly module?: string | undefined
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Added to the environment of the adapter. */
  readonly env: Readonly<Record<string, string>>
  readonly mode?: "debug" | "test" | "exec" | undefined
  /** `Found.debuggeePython`. */
  readonly python?: string | undefined
  /** A private folder that is deleted with the session. */
  readonly temporary: string
}

export type Arguments = { readonly [name: string]: unknown }

/** Where an adapter does not behave as the protocol says. */
export interface Quirks {
  /** Whether it makes child sessions (`startDebugging`, or debugpy's `debugpyAttach` event) that are to be joined. */
  readonly childSessions?: "startDebugging" | "debugpyAttach" | undefined
  /** `program` must be a built executable: a source file is refused with what to do. */
  readonly needsBuiltProgram?: boolean | undefined
  /** The `context` of `evaluate`. Default `repl`. */
  readonly evaluateContext?: "repl" | "watch" | undefined
  /** The ids of exception filters for each choice; only those that the adapter lists are sent. */
  readonly exceptionFilters?:
    | { readonly uncaught: ReadonlyArray<string>; readonly all: ReadonlyArray<string> }
    | undefined
  /** On detach the target stays halted unless it is resumed first. */
  readonly resumeBeforeDetach?: boolean | undefined
  /** A command for `evaluate` without which it ends the target when it is detached; the target must be stopped for it. */
  readonly detachCommand?: string | undefined
  /** `variables` needs `filter: "indexed"` to be paged. */
  readonly pagesByFilter?: boolean | undefined
  /** Its own exit code in a text of category console: the first group is the code. */
  readonly exitText?: RegExp | undefined
  /** Whether its standard error (not that of the program) is shown with the output. Default `false`: kept for failures only. */
  readonly showsErrors?: boolean | undefined
  /** Text of output that is noise of the adapter, in any category but `stdout` and `stderr`. */
  readonly noise?: RegExp | undefined
  /** As `noise`, in `stdout` and `stderr`: what the adapter writes there itself. */
  readonly stdoutNoise?: RegExp | undefined
  /**
   * An expression for `evaluate`, in the context `repl`, that writes `${mark}` and an end of line where the program has written: what
   * comes behind the program's end is read up to there. Absent: all has come when `disconnect` is answered.
   */
  readonly lastOutput?: string | undefined
  /** What the program does when nobody catches an exception, where the adapter has no filter for that. */
  readonly fatal?:
    | {
        /** Functions that it calls then: they are stopped at. */
        readonly functions: ReadonlyArray<string>
        /** What it has written then; the groups `type` and `message`. */
        readonly texts: ReadonlyArray<RegExp>
      }
    | undefined
  /** A hit condition that is a number says how many hits are passed over. */
  readonly ignoresHits?: boolean | undefined
  /** A log message is written without an end of line. */
  readonly logsWithoutEnd?: boolean | undefined
  /** The exit code of a program that a signal has ended is given as 0. */
  readonly hidesSignals?: boolean | undefined
  /**
   * It does not say that a value for `setVariable` cannot be evaluated: `hold` is an expression that keeps `${value}`, and `held` what
   * is set then.
   */
  readonly holdsValue?: { readonly hold: string; readonly held: string } | undefined
  /** It answers `setVariable` with the text that it was given, not with the value. */
  readonly echoesValue?: boolean | undefined
  /** The hit conditions that it takes; others it drops without a word. */
  readonly hitConditions?: RegExp | undefined
  /** Parts of its errors that are of itself, not of the program. */
  readonly errorNoise?: RegExp | undefined
  /** Requests without which it passes over a condition that cannot be evaluated, without a word. */
  readonly conditionSettings?: { readonly command: string; readonly arguments: Arguments } | undefined
  /** Variables for the adapter, from which the program has them too. */
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** The adapter is the program's own process: where it runs, and how it ends, is where the program runs and how it ends. */
  readonly isProgram?: boolean | undefined
  /** Variables for the program are given to the adapter, from which it has them: else the program has no others. */
  readonly inheritsEnvironment?: boolean | undefined
}

export interface Adapter {
  readonly id: string
  /** What to look for, in this order, each with its arguments; `*` in a name stands for a version. */
  readonly command: ReadonlyArray<{ readonly name: string; readonly args: ReadonlyArray<string> }>
  readonly transport: Transport
  /** `adapterID` of `initialize`. Default `id`. */
  readonly adapterId?: string | undefined
  /** File names of which one must be at or above the program, inside the working directory. `*` stands for any part. */
  readonly markers: ReadonlyArray<string>
  /** Of programs, with the dot. */
  readonly extensions: ReadonlyArray<string>
  /** Whether a folder can be a program. */
  readonly takesFolders?: boolean | undefined
  readonly launchArguments: (input: LaunchInput) => Arguments
  /** The command of an adapter that is given the program on its command line. */
  readonly launchCommand?: ((command: ReadonlyArray<string>, input: LaunchInput) => ReadonlyArray<string>) | undefined
  readonly attach: {
    /**
     * `connect`: what listens on the port speaks the protocol itself, and nothing is started. `spawn`: the adapter is started.
     * `never`: it cannot attach to a port.
     */
    readonly how: "connect" | "spawn" | "never"
    readonly arguments: (input: { readonly port: number; readonly cwd: string }) => Arguments
  }
  readonly quirks?: Quirks | undefined
  readonly disabled?: boolean | undefined
}

/** How an adapter stands for a folder. */
export interface Found {
  readonly adapter: Adapter
  /** The marker that was found, absolute; its folder is the root of the project. */
  readonly marker?: string | undefined
  /** The file that is, or would be, started, absolute. */
  readonly binary?: string | undefined
  readonly version?: string | undefined
  readonly usable: boolean
  /** Why not, or what is special (another python than the project's). */
  readonly reason?: string | undefined
  /** The file and its arguments; empty where it is not usable. */
  readonly command: ReadonlyArray<string>
  /** The project's interpreter, where the adapter runs on another. */
  readonly debuggeePython?: string | undefined
}
