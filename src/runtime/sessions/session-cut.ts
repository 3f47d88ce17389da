import type { Cut, Manifest } from '../../context.ts'
import type { Model } from '../../model.ts'
import type { EntryBody, SessionStore } from '../../session.ts'
import { roomFor } from '../models/call-budget.ts'

/** Where the last cut of a session is remembered. */
export interface HasCut {
  /** Its marks, and the room it was made for: window − reserve, tokens. */
  cut: { readonly marks: Cut; readonly room: number } | undefined
}

/** A room so many times as large as the one that a cut was made for is another window. */
const STALE_FROM = 1.5

/**
 * The marks of a session's last cut. One that was made for a much smaller window hides what now has room: it is forgotten,
 * and the next call cuts again where it has to. Both rooms are measured before any margin, so that what calibration asks
 * for moves no cut.
 */
export function usableCut({ cut }: HasCut, context: Parameters<typeof roomFor>[0], model: Model): Cut | undefined {
  return cut && roomFor(context, model) <= cut.room * STALE_FROM ? cut.marks : undefined
}

/** What to write about the cut of a call: nothing where the cut is unchanged. */
export function cutToWrite(state: HasCut, made: Made): readonly CutBody[] {
  const { turn, call, cut, budget } = made
  if (!cut || JSON.stringify(state.cut?.marks) === JSON.stringify(cut)) return []
  return [{ type: 'cut', turn, call, cut, available: budget.available, room: budget.window - budget.reserve }]
}

export async function lastCut(store: Pick<SessionStore, 'entries'>, session: string): Promise<HasCut['cut']> {
  const [entry] = await store.entries(session, { types: ['cut'], last: 1 })
  return entry?.type === 'cut' ? { marks: entry.cut, room: entry.room } : undefined
}

type CutBody = Extract<EntryBody, { type: 'cut' }>

interface Made {
  readonly turn: string
  readonly call: string
  readonly cut: Cut | undefined
  readonly budget: Manifest['budget']
}
