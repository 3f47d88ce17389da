import type { Item } from './items.ts'

/**
 * Runs all items, some at a time, the longest of those that may start first. What an item needs counts as much as what waits
 * for it. An item does not run where one that it needs has not passed. Half of those that run may be of the page: all share one
 * browser and mostly wait for it.
 */
export async function inQueue(
  items: readonly Item[],
  workers: number,
  secondsOf: (item: Item) => number,
  run: (item: Item) => Promise<boolean>,
): Promise<void> {
  const urgency = (item: Item): number =>
    secondsOf(item) + Math.max(0, ...items.filter(({ needs }) => needs.includes(item.name)).map(urgency))
  const waiting = items.toSorted((one, other) => urgency(other) - urgency(one))
  const running = new Map<Item, Promise<void>>()
  const passed = new Set<string>()
  const end = async (item: Item) => {
    if (await run(item)) passed.add(item.name)
    running.delete(item)
  }
  for (;;) {
    const pages = [...running.keys()].filter(({ suite }) => suite === 'page').length
    const mayStart = ({ needs, suite }: Item) =>
      needs.every((name) => passed.has(name)) && (suite !== 'page' || pages < Math.max(1, workers / 2))
    const at = waiting.findIndex(mayStart)
    if (at !== -1 && running.size < workers) {
      const [item] = waiting.splice(at, 1)
      running.set(item!, end(item!))
    } else if (running.size > 0) await Promise.race(running.values())
    else return
  }
}
