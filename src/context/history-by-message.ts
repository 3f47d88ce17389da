import { announcement, type Dropped, type DroppedFile } from './announcement.ts'
import type { FittedHistory, HistoryInput } from './history.ts'
import type { Origin } from './layer.ts'
import type { Cut } from './manifest.ts'
import { toolCalls, toolResults } from './message.ts'
import type { PricedTurn } from './priced-turn.ts'
import { included, omitted, type Section } from './section.ts'
import type { PricedMessage } from './tool-output.ts'
import { announcementSection, cutReason, earlierSections, unpairedSections } from './turn-section.ts'

/**
 * Keeps a contiguous run of the newest messages, oldest dropped first. A tool result whose call was dropped goes too, so
 * a result never leads; the run is not refilled for that (BEHAVIOURS §3.2, §5).
 */
export function fitMessages(input: HistoryInput): FittedHistory {
  const { turns, counter, readers } = input
  const units = turns.flatMap(unitsOf)
  const from = firstKept(input, units)
  const orphans = orphansFrom(units, from)
  const kept = (unit: Unit, index: number) => index >= from && !orphans.has(unit)

  const told = announcement(droppedBefore(input, units, from), readers, counter)
  const reason = cutReason(input.rule)
  return {
    sections: [
      ...earlierSections(input, reason),
      ...(told ? [announcementSection(told, from === units.length && told.tokens > input.room)] : []),
      ...units.map((unit, index): Section => {
        if (kept(unit, index))
          return included({ ...unit.about, form: 'full', tokens: unit.priced.tokens }, [unit.priced])
        const why = index >= from ? { code: 'unpaired' as const } : reason
        return omitted({ ...unit.about, fullTokens: unit.priced.tokens, reason: why })
      }),
      ...turns.flatMap((turn) => unpairedSections(turn.id, turn.unpaired, 'history', counter)),
    ],
    cut: markOf(input, units, from),
  }
}

/** One message, or one file above it. */
interface Unit {
  readonly turn: string
  /** What a cut in front of it is called. */
  readonly mark: string
  readonly about: { readonly id: string; readonly layer: string; readonly slot: 'history'; readonly origin: Origin }
  readonly priced: PricedMessage
  readonly file?: DroppedFile
}

const originOf = { user: 'user', assistant: 'model', tool: 'tool' } as const

function unitsOf(turn: PricedTurn): readonly Unit[] {
  return [
    ...turn.attachments.map(({ id, name, ...priced }): Unit => ({
      turn: turn.id,
      mark: `${turn.id}/${id}`,
      about: { id, layer: 'attachment', slot: 'history', origin: { kind: 'file', ref: id } },
      priced,
      file: { id, name },
    })),
    ...turn.messages.map((priced, index): Unit => {
      const { role } = priced.message
      const id = `${turn.id}/${index + 1}`
      const origin: Origin = { kind: originOf[role], ref: id }
      return { turn: turn.id, mark: id, about: { id, layer: role, slot: 'history', origin }, priced }
    }),
  ]
}

function firstKept(input: HistoryInput, units: readonly Unit[]): number {
  const { room, rule } = input
  const marked = markedFrom(input, units)
  if (newestThatFit(input, units, marked, room) === marked) return marked
  return newestThatFit(input, units, marked, Math.floor(room * rule.lowWater))
}

/** A mark is a message, a file, or a turn as a whole: where nothing was left, that of the turn being answered. */
function markedFrom({ cut, currentTurn }: HistoryInput, units: readonly Unit[]): number {
  const mark = cut?.dropBefore
  if (mark === undefined) return 0
  if (mark === currentTurn) return units.length
  return Math.max(
    0,
    units.findIndex((unit) => unit.mark === mark || unit.turn === mark),
  )
}

function markOf({ earlier, cut, currentTurn }: HistoryInput, units: readonly Unit[], from: number): Cut | undefined {
  if (from > 0) return { dropBefore: units[from]?.mark ?? currentTurn }
  return earlier && cut?.dropBefore ? { dropBefore: cut.dropBefore } : undefined
}

/** The index from which on everything fits, its announcement included. */
function newestThatFit(input: HistoryInput, units: readonly Unit[], from: number, limit: number): number {
  let first = units.length
  let tokens = 0
  while (first > from && tokens + units[first - 1]!.priced.tokens <= limit) {
    first -= 1
    tokens += units[first]!.priced.tokens
  }
  const toldTokens = () => announcement(droppedBefore(input, units, first), input.readers, input.counter)?.tokens ?? 0
  while (first < units.length && tokens + toldTokens() > limit) {
    tokens -= units[first]!.priced.tokens
    first += 1
  }
  return first
}

function droppedBefore({ earlier, earlierFiles }: HistoryInput, units: readonly Unit[], from: number): Dropped {
  const gone = units.slice(0, from)
  return {
    count: gone.filter((unit) => !unit.file).length + (earlier?.turns ?? 0),
    unit: 'message',
    files: [...earlierFiles, ...gone.flatMap((unit) => unit.file ?? [])],
  }
}

function orphansFrom(units: readonly Unit[], from: number): ReadonlySet<Unit> {
  const called = new Set<string>()
  const orphans = new Set<Unit>()
  for (const unit of units.slice(from)) {
    for (const call of toolCalls(unit.priced.message)) called.add(call.toolCallId)
    const results = toolResults(unit.priced.message)
    if (results.length > 0 && !results.some((result) => called.has(result.toolCallId))) orphans.add(unit)
  }
  return orphans
}
