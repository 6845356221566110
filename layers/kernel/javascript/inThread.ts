/** What Node imports in a thread of the cells before a TypeScript program. */
import * as Threads from "./Threads.ts"

Threads.prepare(import.meta.url)
