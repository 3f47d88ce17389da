import type { Delta } from '../../agent.ts'
import type { Entry } from '../../session.ts'
import type { RuntimeErrorCode, SessionEvent } from '../../capability.ts'

/** What happens in one session while somebody watches, and the provisional words of the call that is running. */
export type SessionStream = ReturnType<typeof createSessionStream>

type Listener = (event: SessionEvent) => void

/** What a running call tells for the time being. */
type ProvisionalEvent = Exclude<SessionEvent, { readonly type: 'entry' } | { readonly type: 'interrupted' }>

/** Ids are `SEQ.N`: everything up to the entry `SEQ`, and N deltas of the call that was running there. */
export function createSessionStream(newest = 0) {
  const listeners = new Set<Listener>()
  let seq = newest
  let since = 0
  let deltas: ProvisionalEvent[] = []

  function tell(event: SessionEvent): void {
    for (const listener of listeners) listener(event)
  }

  return {
    /** An entry is on disk. Entries come in the order of `seq`. */
    entry(entry: Entry) {
      seq = entry.seq
      if (endsDeltas(entry, deltas[0]?.turn)) {
        since = entry.seq
        deltas = []
      }
      tell({ id: sessionEventId(seq, deltas.length), type: 'entry', entry })
    },
    delta(turn: string, delta: Exclude<Delta, { type: 'reasoning-end' }>) {
      const event: ProvisionalEvent = { ...delta, id: sessionEventId(seq, deltas.length + 1), turn }
      deltas.push(event)
      tell(event)
    },
    /** The turn cannot continue in this process. */
    interrupted(turn: string, code: RuntimeErrorCode, message: string) {
      tell({ id: sessionEventId(seq, deltas.length), type: 'interrupted', turn, code, message })
    },
    subscribe(listener: Listener) {
      listeners.add(listener)
      return { running: { since, events: deltas, count: deltas.length }, end: () => listeners.delete(listener) }
    },
    watched: () => listeners.size > 0,
    lastSeq: () => seq,
  }
}

/** Whether a call begins or is over. `running`: the turn of the deltas; the end of another one's turn ends none of them. */
export function endsDeltas(entry: Entry, running: string | undefined): boolean {
  const { type } = entry
  if (type !== 'assembly' && type !== 'message' && type !== 'turn-end') return false
  return running === undefined || entry.turn === running
}

/** `SEQ`, or `SEQ.N` behind the first deltas. */
export function sessionEventId(seq: number, delta: number): string {
  return delta > 0 ? `${seq}.${delta}` : String(seq)
}

/** `undefined` for what is no event id. */
export function parseSessionEventId(id: string): { readonly seq: number; readonly delta: number } | undefined {
  const match = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(id)
  if (!match) return undefined
  return { seq: Number(match[1]), delta: Number(match[2] ?? 0) }
}
