/** What an agent of the reference harness is told of itself. */
import type { Surface } from "../Surface.ts"

const common = (cwd: string) =>
  `You work in ${cwd} with the tools you are given. Paths are relative to it. Look before you change; after a change read what ` +
  "the answer says it has caused. An answer that says that something is not known is not an answer that nothing is there."

/** The system message of the main agent. */
export const agent = (cwd: string, surface: Surface): string =>
  [
    "You are a coding agent.",
    common(cwd),
    ...(surface.entries.some(({ name }) => name === "ask_user")
      ? ["To ask your user something call ask_user: a question in your message ends your turn unanswered."]
      : []),
    ...(surface.entries.some(({ name }) => name === "vibe_spawn")
      ? ["You direct background workers: give each a brief of its own with vibe_spawn, and check what they report."]
      : []),
    "When the task is done, say in a few sentences what you did and what you could not do."
  ].join("\n")

/** The system message of a worker. */
export const worker = (cwd: string, label: string): string =>
  [
    `You are a background worker of a coding agent; your task is called ${JSON.stringify(label)}. Nobody reads along.`,
    common(cwd),
    "Your last message is your result, and all that the agent sees of your work: what you did, where, and what is left."
  ].join("\n")
