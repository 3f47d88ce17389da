import type { Runtime } from '../home/features.ts'

/** A runtime that tells of the first of its readers when it begins to read, and when nobody waits for it any more. */
export function watchingFirstReader(runtime: Runtime): {
  readonly runtime: Runtime
  readonly reading: Promise<void>
  readonly letGo: Promise<void>
} {
  const reading = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  let readers = 0
  return {
    reading: reading.promise,
    letGo: letGo.promise,
    runtime: {
      ...runtime,
      events(session, options) {
        readers += 1
        if (readers === 1) {
          options.signal?.addEventListener('abort', () => letGo.resolve(), { once: true })
          reading.resolve()
        }
        return runtime.events(session, options)
      },
    },
  }
}
