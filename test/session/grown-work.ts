import { usageReport } from '../../src/capabilities/costs/usage-report.ts'
import { costReport, sessionCosts } from '../../src/capabilities/costs/cost-report.ts'
import type { SessionStore } from '../../src/session.ts'
import type { GrownStore } from './grow-store.ts'

/** Something that a gateway asks a store for. */
export interface GrownWork {
  readonly name: string
  /** Rows of a table that one statement may look at, where that is more than usual. */
  readonly rows?: number
  run(store: SessionStore): Promise<unknown>
}

/** What is asked of a store with years of sessions behind it. `now`: the time of its newest entries. */
export function workOn({ usual, longest, sessions, calls }: GrownStore, now: string): readonly GrownWork[] {
  const days = (count: number) => new Date(Date.parse(now) - count * 86_400_000).toISOString()
  const sources = (store: SessionStore) => ({
    store,
    priceOf: async () => ({ input: 3, output: 15 }),
    capabilities: [],
  })
  const work = (name: string, run: GrownWork['run'], rows?: number): GrownWork => ({
    name,
    run,
    ...(rows !== undefined && { rows }),
  })
  const middle = { updated: days(sessions / 2 / (24 * 12)), id: usual }
  return [
    work('list, first page', (store) => store.sessions({ limit: 50 })),
    work('list, after a session in the middle', (store) => store.sessions({ limit: 50, after: middle })),
    // Those before the page are passed in the index.
    work(
      'list, page by its number',
      (store) => store.sessions({ limit: 50, offset: Math.floor(sessions / 2) }),
      sessions,
    ),
    work('list, pinned', (store) => store.sessions({ limit: 50, pinned: true })),
    work('list, one folder', (store) => store.sessions({ limit: 50, folder: 'folder 3' })),
    work('list, those that work', (store) => store.sessions({ limit: 50, state: 'works' })),
    work('list, those that failed', (store) => store.sessions({ limit: 50, state: 'failed' })),
    work('list, words that many have', (store) => store.sessions({ limit: 50, words: 'harbour work' })),
    work('list, a word that one has', (store) =>
      store.sessions({ limit: 50, words: 'c4ca4238a0b923820dcc509a6f75849b' }),
    ),
    work('list, an id by its beginning', (store) => store.sessions({ limit: 2, beginning: usual.slice(0, 14) })),
    work('folders', (store) => store.sessionFolders()),
    work('one session', (store) => store.session(usual)),
    work('turns that have not ended', (store) => store.unfinishedTurns()),
    work('history of a usual session', (store) => store.recentTurns(usual, { limit: 8_000 })),
    work('history of the longest session', (store) => store.recentTurns(longest, { limit: 8_000 })),
    work('last turns of the longest session', (store) => store.turns(longest, { limit: 50 })),
    work('last entries of the longest session', (store) => store.entries(longest, { last: 50 })),
    work('a page of entries of the longest session', (store) => store.entries(longest, { after: 400, limit: 100 })),
    work('an input by its key', (store) => store.inputByKey(longest, 'no such key')),
    work('newest calls', (store) => store.findCalls({ limit: 20 })),
    work('newest calls of the longest session', (store) => store.calls(longest, { last: 5 })),
    work('usage of a day', (store) => usageReport(sources(store), { by: 'day', from: days(1) })),
    work('usage of a day by tool', (store) => usageReport(sources(store), { by: 'tool', from: days(1) }), 10_000),
    work('costs of a day by model', (store) => costReport(sources(store), { by: 'model', from: days(1) })),
    work('costs of a usual session', (store) => sessionCosts(sources(store), [usual])),
    // All calls of the session, which has a hundredth of those of all.
    work('costs of the longest session', (store) => sessionCosts(sources(store), [longest]), Math.ceil(calls / 20)),
    work('newest of the audit', (store) => store.audit({ last: 50 })),
    work('audit of a session', (store) => store.audit({ session: usual, decision: 'approved' })),
    work('newest of the audit of a tool', (store) => store.audit({ tool: 'look_up', last: 50 })),
    work('audit since a time', (store) => store.audit({ since: days(0.1), limit: 1_000 })),
    work('records, of schedules and others', (store) => store.records('schedule')),
    work('files of a session', (store) => store.files({ owner: { type: 'session', id: usual }, state: 'ready' })),
    work('one more message', (store) => appendTurn(store, usual)),
    work('one more message of the longest session', (store) => appendTurn(store, longest)),
    work('removal of a session', removeSession),
  ]
}

/** Its words first, as a gateway does, and then the session. */
async function removeSession(store: SessionStore): Promise<void> {
  const [one] = await store.sessions({ limit: 1, offset: 60 })
  await store.withdrawSession(one!.id)
  await store.deleteSession(one!.id)
}

let turns = 0

async function appendTurn(store: SessionStore, session: string): Promise<void> {
  turns += 1
  const turn = `turn_more_${process.pid}_${turns}`
  const message = { role: 'user' as const, content: 'One more question.' }
  const tokens = { counter: 'chars@1', full: 5, least: 5 }
  const time = store.clock.time()
  await store.append(session, [{ type: 'input', turn, message, tokens }], time)
  await store.append(
    session,
    [
      { type: 'turn-start', turn },
      { type: 'turn-end', turn, outcome: { type: 'completed' } },
    ],
    time,
  )
}
