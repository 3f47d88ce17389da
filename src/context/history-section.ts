import type { Dropped } from './announcement.ts'
import type { ConversationInput } from './conversation-input.ts'
import type { CutLine } from './cut-line.ts'
import type { Origin } from './layer.ts'
import type { CutRule } from './layout.ts'
import type { Reason } from './reason.ts'
import { included, omitted, type Section } from './section.ts'
import type { PricedMessage } from './tool-output.ts'

/** Why a layout cuts. */
export function cutReason({ lowWater }: CutRule): Reason {
  return { code: lowWater < 1 ? 'low-water' : 'budget' }
}

/** Older turns that were not read count as one candidate. */
export function earlierSections({ earlier, rule }: ConversationInput): readonly Section[] {
  if (!earlier || earlier.turns === 0) return []
  const origin: Origin = { kind: 'user', ref: 'earlier' }
  const reason: Reason = { ...cutReason(rule), turns: earlier.turns }
  return [omitted({ id: 'earlier', layer: 'turn', slot: 'history', fullTokens: earlier.tokens, reason, origin })]
}

/** Turns that were taken back, each by its name. */
export function undoneSections({ undone }: ConversationInput): readonly Section[] {
  return undone.map(({ turn, tokens }) =>
    omitted({
      id: turn,
      layer: 'turn',
      slot: 'history',
      fullTokens: tokens,
      reason: { code: 'undone' },
      origin: { kind: 'user', ref: turn },
    }),
  )
}

/**
 * What a history says of what stands before the unit `from`. Files are in the order of their names, so that it does not
 * matter in which order they were handed in, nor which turns were loaded.
 */
export function droppedBefore(
  { rule, earlier, earlierFiles }: ConversationInput,
  { units }: CutLine,
  from: number,
): Dropped {
  const gone = units.slice(0, from)
  const count = rule.unit === 'turn' ? from : gone.filter(({ first, end }) => end > first).length
  const files = [...earlierFiles, ...gone.flatMap((unit) => unit.files)]
  return {
    count: count + (earlier?.turns ?? 0),
    unit: rule.unit,
    files: files.toSorted((one, other) => order(one.name, other.name) || order(one.id, other.id)),
  }
}

function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** The words about what was dropped; left out where they do not fit: they never cost a turn. */
export function announcementSections(told: PricedMessage | undefined, fits: boolean): readonly Section[] {
  if (!told) return []
  const about = {
    id: 'announcement',
    layer: 'announcement',
    slot: 'history' as const,
    origin: { kind: 'operator', ref: 'foreword' } as Origin,
  }
  if (!fits) return [omitted({ ...about, fullTokens: told.tokens, reason: { code: 'budget' } })]
  return [included({ ...about, form: 'full', tokens: told.tokens }, [told])]
}
