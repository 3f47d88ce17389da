import { messageText, toolCalls, toolResults } from '../../src/context.ts'
import type { HostedRuntime } from '../../src/runtime.ts'
import type { CallRecord, Entry, SessionRow } from '../../src/session.ts'
import type { Effects } from './gateway.ts'
import type { Told } from './people.ts'
import type { ReceivedCall } from './virtual-network.ts'
import { callPrice } from '../../src/capability.ts'

/** What there is to look at when a story is over. */
export interface Remains {
  readonly runtime: HostedRuntime
  readonly told: Told
  readonly effects: Effects
  readonly received: readonly ReceivedCall[]
  /** When the process crashed, or the disk failed, last. ISO 8601; empty where neither happened. */
  readonly newestLoss: string
  /** Whether every row of the store is checked, which takes as long as everything else together. */
  readonly looksAtRows: boolean
}

/** A session with everything that the store has of it. */
export interface WholeSession {
  readonly row: SessionRow
  readonly entries: readonly Entry[]
  readonly calls: readonly CallRecord[]
}

type Law = (remains: Remains, sessions: readonly WholeSession[]) => Iterable<string> | AsyncIterable<string>

/** What is against the laws of a gateway, in sentences that begin with the name of the law. */
export async function brokenLaws(remains: Remains, sessions: readonly WholeSession[]): Promise<readonly string[]> {
  const broken: string[] = []
  for (const law of LAWS) for await (const sentence of law(remains, sessions)) broken.push(`${law.name}: ${sentence}`)
  return broken
}

/** All sessions, the oldest first. */
export async function wholeSessions({ store }: HostedRuntime): Promise<readonly WholeSession[]> {
  const rows = (await store.sessions()).toSorted((one, other) =>
    one.id.localeCompare(other.id, 'en', { numeric: true }),
  )
  return Promise.all(
    rows.map(async (row) => ({
      row,
      entries: await store.entries(row.id),
      calls: (await store.calls(row.id)).toSorted((one, other) =>
        one.id.localeCompare(other.id, 'en', { numeric: true }),
      ),
    })),
  )
}

function* acceptedIsKept({ told }: Remains, sessions: readonly WholeSession[]) {
  for (const { session, turn, text, key } of told.accepted) {
    const found = sessions.find(({ row }) => row.id === session)
    if (!found) {
      if (!told.deleted.has(session)) yield `the session ${session} is gone`
      continue
    }
    const input = found.entries.find((entry) => entry.type === 'input' && entry.turn === turn)
    if (input?.type !== 'input') {
      yield `${turn} was accepted and is not in the log`
      continue
    }
    if (messageText(input.message) !== text) yield `${turn} has other words than were sent`
    if (input.idempotencyKey !== key) yield `${turn} has another key`
  }
}

function* turnsEndOnce(_: Remains, sessions: readonly WholeSession[]) {
  for (const { entries } of sessions) {
    const inputs = turnsOf(entries, 'input')
    const ends = turnsOf(entries, 'turn-end')
    if (new Set(inputs).size !== inputs.length) yield `a turn was accepted twice: ${inputs.join(' ')}`
    for (const turn of inputs) {
      const count = ends.filter((other) => other === turn).length
      if (count !== 1) yield `${turn} has ${count} ends`
    }
    for (const turn of ends) if (!inputs.includes(turn)) yield `${turn} ended without an input`
  }
}

function* turnsDoNotOverlap(_: Remains, sessions: readonly WholeSession[]) {
  for (const { row, entries } of sessions) {
    let open: string | undefined
    for (const entry of entries) {
      if (entry.type === 'turn-start') {
        if (open !== undefined) yield `${entry.turn} began before ${open} had ended in ${row.id}`
        open = entry.turn
      }
      if (entry.type === 'turn-end' && entry.turn === open) open = undefined
    }
  }
}

/** What may come after the end of a turn. */
const AFTERWARDS = new Set<Entry['type']>(['sent', 'delivered', 'head', 'note', 'turn-end'])

function* logIsInOrder(_: Remains, sessions: readonly WholeSession[]) {
  for (const { row, entries } of sessions) {
    const ended = new Set<string>()
    let time = ''
    for (const [index, entry] of entries.entries()) {
      if (entry.seq !== index + 1) yield `${row.id} has ${entry.seq} in the place of ${index + 1}`
      if (entry.time < time) yield `${row.id} goes back in time at ${entry.seq}`
      time = entry.time
      if (!('turn' in entry)) continue
      if (ended.has(entry.turn) && !AFTERWARDS.has(entry.type)) yield `${entry.type} after the end of ${entry.turn}`
      if (entry.type === 'turn-end') ended.add(entry.turn)
    }
    if (row.entries !== entries.length) yield `${row.id} counts ${row.entries} entries and has ${entries.length}`
  }
}

function* callsAreAnswered(_: Remains, sessions: readonly WholeSession[]) {
  for (const { entries } of sessions) {
    for (const turn of turnsOf(entries, 'input')) {
      let waiting: readonly string[] = []
      for (const entry of entries) {
        if (entry.type !== 'message' || entry.turn !== turn) continue
        const results = toolResults(entry.message).map(({ toolCallId }) => toolCallId)
        if (results.join(' ') !== waiting.join(' '))
          yield `${turn} called ${waiting.join(' ')} and has results of ${results.join(' ')}`
        waiting = entry.partial === undefined ? toolCalls(entry.message).map(({ toolCallId }) => toolCallId) : []
      }
    }
  }
}

/** A tool with an effect runs at most once for each call, and never before it is on disk that it may. */
function* effectsHappenOnce({ effects, told }: Remains, sessions: readonly WholeSession[]) {
  const letters = new Map<string, number>()
  for (const { turn, toolCallId } of effects.letters) {
    const key = `${turn} ${toolCallId}`
    letters.set(key, (letters.get(key) ?? 0) + 1)
  }
  const starts = new Map<string, number>()
  const ends = new Map<string, number>()
  for (const { entries } of sessions) {
    const begun = new Set<string>()
    for (const entry of entries) {
      if (entry.type === 'tool-start' && entry.toolName === 'send_letter') {
        const key = `${entry.turn} ${entry.toolCallId}`
        if (begun.has(`${entry.call} ${key}`)) yield `${key} was begun twice`
        begun.add(`${entry.call} ${key}`)
        starts.set(key, (starts.get(key) ?? 0) + 1)
      }
      if (entry.type === 'tool-end' && entry.ok && entry.output.includes('is on its way')) {
        const key = `${entry.turn} ${entry.toolCallId}`
        ends.set(key, (ends.get(key) ?? 0) + 1)
      }
    }
  }
  const lost = told.deleted.size > 0
  for (const [key, count] of letters) {
    const allowed = starts.get(key) ?? 0
    if (count > allowed && !(lost && allowed === 0)) yield `${count} letters left for ${key}, and ${allowed} were begun`
  }
  for (const [key, count] of ends) {
    if ((letters.get(key) ?? 0) < count) yield `${key} is said to have left ${count} times, and did not`
  }
}

function* repliesArriveOnce({ effects }: Remains, sessions: readonly WholeSession[]) {
  const arrived = new Set(effects.delivered.map(({ turn }) => turn))
  const arrivals = effects.delivered.map(({ owner, turn }) => `${turn} from process ${owner}`)
  for (const [index, arrival] of arrivals.entries())
    if (arrivals.indexOf(arrival) !== index) yield `${arrival} arrived twice`
  for (const turn of effects.again) yield `${turn} arrived again after it was noted`
  for (const { row, entries } of sessions) {
    const marks = turnsOf(entries, 'delivered')
    if (new Set(marks).size !== marks.length) yield `a reply of ${row.id} is marked as delivered twice`
    for (const turn of marks) if (!arrived.has(turn)) yield `${turn} is marked as delivered and has not arrived`
    if (row.binding === undefined) continue
    const undone = turnsOf(entries, 'head')
    for (const entry of entries) {
      if (entry.type !== 'turn-end' || entry.outcome.type !== 'completed' || undone.includes(entry.turn)) continue
      if (!marks.includes(entry.turn)) yield `the reply of ${entry.turn} was never delivered`
    }
  }
}

async function* callsCanBeReplayed({ runtime }: Remains, sessions: readonly WholeSession[]) {
  for (const { row } of sessions) {
    const { different, wires } = await runtime.replay(row.id)
    for (const { call, problem } of different) yield `${call} is built differently ${problem ?? ''}`
    for (const { call } of wires?.different ?? []) yield `the body of ${call} is made differently`
    for (const { call, why } of wires?.unknown ?? []) yield `the body of ${call} cannot be made: ${why}`
  }
}

/** Nothing leaves that is not on record, and what is on record is what left. */
function* whatLeftIsOnRecord({ received, newestLoss }: Remains, sessions: readonly WholeSession[]) {
  const sent = new Set(received.map(({ request }) => request.sha256))
  for (const { calls } of sessions) {
    for (const { id, time, outcome } of calls) {
      // A call that a crash or the disk interrupted stays without an end.
      if (!outcome && time > newestLoss) yield `${id} has no outcome`
      if (outcome?.wire && !sent.has(outcome.wire.sha256)) yield `${id} is said to have sent what no provider received`
    }
  }
}

async function* budgetsAddUp({ runtime, told, newestLoss }: Remains, sessions: readonly WholeSession[]) {
  for (const { name, unit, limit, spent = 0, held = 0, period } of await runtime.budgets()) {
    // What a call cost that could not be written stays held until the next start, as a warning says.
    if (held !== 0 && newestLoss === '') yield `${held} ${unit} are held in ${name}, and no call runs`
    const most = Math.max(limit, told.before.get(`${name} ${unit}`) ?? 0)
    if (spent > most && !told.allowed) yield `${spent} of ${limit} ${unit} are spent in ${name}, and nobody allowed it`
    if (period === undefined) continue
    let known = 0
    for (const call of sessions.flatMap(({ calls }) => calls)) {
      if (dayOf(call.time) !== period || call.outcome?.usage === undefined) continue
      const { promptTokens = 0, outputTokens = 0 } = call.outcome.usage
      known += unit === 'tokens' ? promptTokens + outputTokens : ((await callPrice(runtime, call))?.money ?? 0)
    }
    if (known > spent + held + 1e-6) yield `calls of ${known} ${unit} count as ${spent} in ${name}`
  }
}

const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' })
const dayOf = (time: string) => dayFormat.format(new Date(time))

async function* auditIsWhole({ runtime }: Remains) {
  const report = await runtime.verifyAudit()
  if (report.type !== 'whole') yield JSON.stringify(report)
}

async function* storeIsWhole({ runtime, looksAtRows }: Remains) {
  if (!looksAtRows) return
  for await (const { place, why } of runtime.store.damage()) yield `${place}: ${why}`
}

const LAWS: readonly Law[] = [
  acceptedIsKept,
  turnsEndOnce,
  turnsDoNotOverlap,
  logIsInOrder,
  callsAreAnswered,
  effectsHappenOnce,
  repliesArriveOnce,
  callsCanBeReplayed,
  whatLeftIsOnRecord,
  budgetsAddUp,
  auditIsWhole,
  storeIsWhole,
]

function turnsOf(entries: readonly Entry[], type: Entry['type']): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === type && 'turn' in entry && entry.turn !== undefined ? [entry.turn] : [],
  )
}
