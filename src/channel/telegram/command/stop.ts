import type { ChatCommand } from './command.ts'

/** Ends what runs, and what waits behind it. */
export const stop: ChatCommand = {
  name: 'stop',
  summary: 'end the answer that is on its way',
  async run({ runtime, binding }) {
    const session = await runtime.store.bound(binding)
    const unfinished = (await runtime.store.unfinishedTurns()).filter((turn) => turn.session === session)
    let ended = 0
    // From the back, so that none of them begins meanwhile.
    for (const { turn } of unfinished.toReversed()) if (await runtime.cancel(session!, turn)) ended += 1
    if (ended === 0) return 'Nothing is running.'
    return ended === 1 ? 'Stopped.' : `Stopped, and ${ended - 1} more that waited.`
  },
}
