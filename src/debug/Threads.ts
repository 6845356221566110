/** The numbers of threads as a model names them: those of the adapter, unless child sessions use one twice. */

export interface Thread {
  readonly session: number
  readonly id: number
}

export interface Threads {
  readonly give: (session: number, id: number) => number
  readonly find: (number: number) => Thread | undefined
  readonly clear: () => void
}

export const make = (): Threads => {
  const threads = new Map<number, Thread>()
  const numbers = new Map<string, number>()
  return {
    give: (session, id) => {
      const key = `${session} ${id}`
      let number = numbers.get(key) ?? id
      while (!numbers.has(key) && threads.has(number)) number++
      numbers.set(key, number)
      threads.set(number, { session, id })
      return number
    },
    find: (number) => threads.get(number),
    clear: () => {
      threads.clear()
      numbers.clear()
    }
  }
}
