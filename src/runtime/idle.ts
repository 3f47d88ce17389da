import { type Clock, orAborted } from '../platform.ts'

interface Part {
  /** Settles when that is over, or when it is worth a new look. `undefined`: nothing. */
  idle?(session?: string): Promise<unknown> | undefined
}

/** Resolves when no part has anything to do in two looks, with all else run between them. Rejects with the reason of `signal`. */
export async function untilIdle(
  clock: Clock,
  parts: readonly (Part | undefined)[],
  session?: string,
  signal?: AbortSignal,
): Promise<void> {
  const failed = new Set<Part>()
  for (let wasIdle = false; ;) {
    const work = parts.flatMap((part) => {
      if (!part || failed.has(part)) return []
      try {
        return part.idle?.(session)?.catch(() => failed.add(part)) ?? []
      } catch {
        failed.add(part)
        return []
      }
    })
    if (work.length === 0 && wasIdle) return
    wasIdle = work.length === 0
    await orAborted(Promise.all(work), signal)
    await clock.yield()
  }
}
