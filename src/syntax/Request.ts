/** What is asked of the structural search engine: plain data that can be sent to a worker thread. */

/** Where to search. Paths are absolute, links resolved, `start` inside `root`. */
export interface Where {
  readonly root: string
  readonly start: string
  readonly kind: "file" | "directory"
  /** Of the files below `start` only those whose path, relative to `root`, matches this glob. */
  readonly glob?: string
}

export interface Request {
  readonly where: Where
  readonly pattern: string
  /** The id of a grammar; without it a file's own language is taken. */
  readonly language?: string
  /** Only the contexts of this name. */
  readonly context?: string
  /** How many matches are wanted. */
  readonly limit: number
}

export interface RewriteRequest extends Omit<Request, "limit"> {
  readonly rewrite: string
}
