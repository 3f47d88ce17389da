import type { Journal } from '../../agent.ts'
import type { EntryBody } from '../../session.ts'
import type { CallAccount } from '../calls/call-account.ts'
import { countedInSlices } from '../calls/counted-in-slices.ts'
import { tokenCounts } from './turn-projection.ts'
import type { TurnDependencies, TurnWords } from './turn-dependencies.ts'

/** Writes what happens in a turn to the log, the audit and the ledger. What is written first begins the turn, too. */
export function turnJournal(
  { context, state, turn, entries, clock }: TurnDependencies,
  account: CallAccount,
  words: TurnWords,
): Required<Journal> {
  const { store, settings } = context
  const started = entries.some((entry) => entry.type === 'turn-start')
  let opening: readonly EntryBody[] = started ? [] : [{ type: 'turn-start', turn }]

  const append: Journal['append'] = async (bodies, audit = []) => {
    const all = [...opening, ...bodies]
    opening = []
    const time = clock.time()
    // Handed in together, they reach the disk together.
    const [written] = await Promise.all([
      store.append(state.session, all, time),
      audit.length > 0 ? store.transaction(audit.map((facts) => ({ type: 'audit', facts, time }) as const)) : undefined,
    ])
    return written
  }

  return {
    append,
    async finish(call, outcome, bodies) {
      words.end(call)
      const [, written] = await Promise.all([account.finish(call, outcome), bodies.length > 0 ? append(bodies) : []])
      return written
    },
    keepContent: async (text) => `sha256:${await store.putContent(text)}`,
    tokensOf: (message, partial) =>
      countedInSlices(settings.counter, (counter) => tokenCounts(counter, message, partial)),
  }
}
