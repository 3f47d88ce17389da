import type { TestContext } from 'node:test'

/**
 * Runs what has a time limit. Its timers stand still until `isReady`, however busy the machine is; then so many ms go by at
 * once, and from there on time is real again.
 */
export async function whenTimeIsUp<Result>(
  context: TestContext,
  milliseconds: number,
  { run, isReady }: { readonly run: () => Promise<Result>; readonly isReady: () => boolean },
): Promise<Result> {
  const { timers } = context.mock
  timers.enable({ apis: ['setTimeout'] })
  try {
    const running = run()
    while (!isReady()) await new Promise(setImmediate)
    timers.tick(milliseconds)
    timers.reset()
    return await running
  } finally {
    timers.reset()
  }
}
