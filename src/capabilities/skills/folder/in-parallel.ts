/** Does work on every item, so many at a time. Answers in the order of the items; rejects with the first failure. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const [index, item] of waiting) results[index] = await work(item)
    }),
  )
  return results
}
