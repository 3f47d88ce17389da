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

/** What to write of where a call cut: nothing where the cut stands as it did. */
export function cutToWrite(desk: SessionDesk, made: Made): readonly CutBody[] {
  const { turn, call, cut, available } = made
  if (!cut || JSON.stringify(desk.cut?.marks) === JSON.stringify(cut)) return []
  return [{ type: 'cut', turn, call, cut, available }]
}

/** Remembers a cut once it is on disk. */
export function rememberCut(desk: SessionDesk, written: readonly CutBody[]): void {
  for (const { cut, available } of written) desk.cut = { marks: cut, available }
}

type CutBody = Extract<EntryBody, { type: 'cut' }>

interface Made {
  readonly turn: string
  readonly call: string
  readonly cut: Cut | undefined
  /** Tokens that the cut was made for. */
  readonly available: number
}
