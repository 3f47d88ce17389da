import { type CallFigures, type CutRecord, cutSentence, type Manifest } from '../../../src/context.ts'
import { translated } from '../language/language.ts'

/** A call as the list of a session has it, with what its account says of the cache. */
export interface TimelineCall {
  readonly id: string
  readonly time: string
  /** `note`: it asked for a note, and is no step of the conversation. */
  readonly kind?: 'note' | 'foreign'
  readonly foreign?: { readonly kind: string }
  readonly figures: CallFigures
  /** Of the prompt, by our counter, tokens. */
  readonly used: number
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly slot: string; readonly cause: string } }
  readonly cut?: Manifest['cut']
  readonly cutRecord?: CutRecord
}

export interface TimelinePoint {
  readonly id: string
  readonly time: string
  readonly figures: CallFigures
  readonly isCut: boolean
  /** What the cut hid and cost, in a sentence. */
  readonly cutWords?: string
  /** Something changed before the newest part of the conversation, so that a cache has less than it could. */
  readonly breaksCache: boolean
}

/** The calls of a session in their order, with what happened from one to the next. */
export function timelinePoints(listed: readonly TimelineCall[]): readonly TimelinePoint[] {
  const calls = listed.filter(({ kind, foreign }) => kind === undefined || (foreign && GOING_ON.has(foreign.kind)))
  return calls.map(({ id, time, figures, used, reuse, cut, cutRecord, foreign }, index) => {
    const before = calls[index - 1]
    const isCut = foreign
      ? cutRecord !== undefined
      : before !== undefined && cut !== undefined && JSON.stringify(cut) !== JSON.stringify(before.cut)
    const { slot = '', cause } = reuse?.firstChange ?? {}
    return {
      id,
      time,
      figures,
      isCut,
      ...(cutRecord ? { cutWords: translated(cutSentence(cutRecord, { total: figures.total, used })) } : {}),
      breaksCache: foreign
        ? cause !== undefined && cause !== 'grew'
        : cause === 'changed' && ['tools', 'system', 'preamble', 'history'].includes(slot),
    }
  })
}

/** Kinds of calls of other programs that go on from one another. */
const GOING_ON: ReadonlySet<string> = new Set(['turn', 'sub-agent', 'compaction'])
