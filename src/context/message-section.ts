import type { ConversationInput } from './conversation-input.ts'
import { type CutLine, type CutState, formAt, messageMark, type Unit } from './cut-line.ts'
import { cutReason } from './history-section.ts'
import type { Origin } from './layer.ts'
import type { Reason } from './reason.ts'
import { toolCalls, toolResults } from './message.ts'
import { sumFullTokens } from './priced-turn.ts'
import { attachmentSections, omitted, reduced, type Section, standing } from './section.ts'
import { unpairedSections } from './unpaired-section.ts'

/**
 * The account of settled turns where single messages are left out. A tool result whose call was dropped goes too, so a
 * result never leads; the run is not refilled for that (BEHAVIOURS §3.2, §5).
 */
export function messageSections(
  { turns, counter, rule }: ConversationInput,
  line: CutLine,
  state: CutState,
): readonly Section[] {
  const reason = cutReason(rule)
  const orphans = orphansFrom(line, state.from)
  return [
    ...line.units.flatMap((unit, index) => {
      if (index < state.from) return unitSections(unit, state, { reason, left: reason })
      return unitSections(unit, state, { reason, ...(orphans.has(unit) ? { left: { code: 'unpaired' } } : {}) })
    }),
    ...turns.flatMap((turn) => unpairedSections(turn.id, turn.unpaired, 'history', counter)),
  ]
}

const originOf = { user: 'user', assistant: 'model', tool: 'tool' } as const

/** `reason`: why it stepped down, where it did. `left`: why it is left out. */
function unitSections(
  unit: Unit,
  state: CutState,
  { reason, left }: { readonly reason: Reason; readonly left?: Reason },
): readonly Section[] {
  const { turn, first, files } = unit
  const index = messageOf(unit)
  if (index === undefined) return attachmentSections(files, 'history', left)
  const full = turn.messages[index]!
  const { role } = full.message
  const id = messageMark(turn, index)
  const origin: Origin = { kind: originOf[role], ref: id }
  const about = { id, layer: role, slot: 'history' as const, origin }
  if (left) return [omitted({ ...about, fullTokens: sumFullTokens([full]), reason: left })]
  const shown = turn.messageAt(index, formAt(state, first))
  const { form, tokens } = shown
  const section =
    form === 'full'
      ? standing({ ...about, tokens }, [shown])
      : reduced({ ...about, form, tokens, reason }, [shown], [full])
  return [section]
}

/** Which message of its turn a unit is; `undefined`: it is a file. */
function messageOf({ first, end, index }: Unit): number | undefined {
  return end > first ? index : undefined
}

function orphansFrom({ units }: CutLine, from: number): ReadonlySet<Unit> {
  const called = new Set<string>()
  const orphans = new Set<Unit>()
  for (const unit of units.slice(from)) {
    const index = messageOf(unit)
    if (index === undefined) continue
    const { message } = unit.turn.messages[index]!
    for (const call of toolCalls(message)) called.add(call.toolCallId)
    const results = toolResults(message)
    if (results.length > 0 && !results.some((result) => called.has(result.toolCallId))) orphans.add(unit)
  }
  return orphans
}
