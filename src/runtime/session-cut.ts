import type { Cut } from '../context.ts'
import type { Model } from '../model.ts'
import type { EntryBody } from '../session.ts'
import { roomFor } from './call-budget.ts'
import type { SessionDesk } from './session-desk.ts'
import type { Workbench } from './workbench.ts'

/** The marks of a session's last cut. One that was made for a much smaller window hides what now has room: it is forgotten. */
export function usableCut({ cut }: SessionDesk, bench: Workbench, model: Model): Cut | undefined {
  return cut && roomFor(bench, model) <= cut.available * 1.5 ? cut.marks : undefined
}

/** Remembers where a call cut, and answers what to write of it: nothing where the cut stands as it did. */
export function noteCut(desk: SessionDesk, made: Made): readonly EntryBody[] {
  const { turn, call, cut, available } = made
  if (!cut || JSON.stringify(desk.cut?.marks) === JSON.stringify(cut)) return []
  desk.cut = { marks: cut, available }
  return [{ type: 'cut', turn, call, cut, available }]
}

interface Made {
  readonly turn: string
  readonly call: string
  readonly cut: Cut | undefined
  /** Tokens that the cut was made for. */
  readonly available: number
}
