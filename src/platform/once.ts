/**
 * Runs `work` at the first call and answers every later call with the same promise. Where it fails, the next call runs it
 * again.
 */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let begun: Promise<Value> | undefined
  return () =>
    (begun ??= work().catch((error: unknown) => {
      begun = undefined
      throw error
    }))
}
