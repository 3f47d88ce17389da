import type { TestContext } from 'node:test'

/**
 * Runs something that has a timeout, independent of how busy the machine is. Timers do not move until `isReady`. Then
 * `milliseconds` pass at once, and after that time is real again.
 */
export async function runPastTimeout<Result>(
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
