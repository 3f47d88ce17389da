import type { Runtime } from '../../../capability.ts'
import type { Binding } from '../../../session.ts'
import type { ChatCommand } from './command.ts'

/** Ends what runs, and what waits behind it. */
export const stop: ChatCommand = {
  name: 'stop',
  summary: 'end the answer that is on its way',
  async run({ runtime, binding, endedAhead = [] }) {
    const { size: ended } = new Set([...endedAhead, ...(await endTurns(runtime, binding))])
    if (ended === 0) return 'Nothing is running.'
    return ended === 1 ? 'Stopped.' : `Stopped, and ${ended - 1} more that waited.`
  },
}

/** Ends every turn of a conversation that is not over, and answers which those are. */
export async function endTurns(runtime: Runtime, binding: Binding): Promise<readonly string[]> {
  const session = await runtime.store.bound(binding)
  const unfinished = (await runtime.store.unfinishedTurns()).filter((turn) => turn.session === session)
  const ended: string[] = []
  // From the back, so that none of them begins meanwhile.
  for (const { turn } of unfinished.toReversed()) if (await runtime.cancel(session!, turn)) ended.push(turn)
  return ended
}
