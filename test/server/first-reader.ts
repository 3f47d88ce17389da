import type { Runtime } from '../home/features.ts'

/** A runtime with promises for its first reader: when it starts to read, and when it is released. */
export function observeFirstReader(runtime: Runtime): {
  readonly runtime: Runtime
  readonly reading: Promise<void>
  readonly released: Promise<void>
} {
  const reading = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let readers = 0
  return {
    reading: reading.promise,
    released: released.promise,
    runtime: {
      ...runtime,
      events(session, options) {
        readers += 1
        if (readers === 1) {
          options.signal?.addEventListener('abort', () => released.resolve(), { once: true })
          reading.resolve()
        }
        return runtime.events(session, options)
      },
    },
  }
}
