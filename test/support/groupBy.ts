// Vitest 5's reporter calls Map.groupBy and Object.groupBy, which Node 20 does not have.
const groupBy = <T, K>(items: Iterable<T>, key: (item: T, index: number) => K): Map<K, Array<T>> => {
  const groups = new Map<K, Array<T>>()
  let index = 0
  for (const item of items) {
    const k = key(item, index++)
    const group = groups.get(k)
    if (group === undefined) groups.set(k, [item])
    else group.push(item)
  }
  return groups
}
const define = (target: object, value: unknown) =>
  Object.hasOwn(target, "groupBy") || Object.defineProperty(target, "groupBy", { value, configurable: true })

define(Map, groupBy)
define(Object, <T, K extends PropertyKey>(items: Iterable<T>, key: (item: T, index: number) => K) =>
  Object.fromEntries(groupBy(items, key))
)
