import { announcement } from './announcement.ts'
import { type CutState, droppedBefore, type FittedHistory, type HistoryInput } from './history.ts'
import type { Cut } from './manifest.ts'
import type { PricedTurn } from './priced-turn.ts'
import { outputForms } from './tool-output.ts'
import { turnSections } from './turn-section.ts'

/**
 * Keeps the newest whole turns. While they fit, the marks of the last cut stand and nothing moves. When they do not fit
 * any more, they are cut down to the low-water mark: first the tool outputs of older turns step down, oldest first, then
 * the oldest turns go. Marks only move forward, so the calls between two cuts share their beginning (docs/guide/assembly.md).
 */
export function fitTurns(input: HistoryInput): FittedHistory {
  const state = cutState(input)
  return { sections: turnSections(input, state), cut: marksOf(input, state) }
}

/** How far the tool outputs of a turn have stepped down: a place in `outputForms`. */
const FULL = 0
const EXCERPT = 1
const CLEARED = 2

function cutState(input: HistoryInput): CutState {
  const { turns, room, rule } = input
  const marked = markedState(input)
  const levels = [...marked.levels]
  let from = marked.from
  let kept = turns.slice(from).reduce((sum, turn, index) => sum + tokensAt(turn, levels[from + index]!), 0)

  const fits = (limit: number) => {
    if (kept > limit) return false
    const told = announcement(droppedBefore(input, from), input.readers, input.counter)
    return kept + (told?.tokens ?? 0) <= limit
  }
  if (fits(room)) return marked

  const target = Math.floor(room * rule.lowWater)
  for (const { index, level } of stepsDown(input, marked, target)) {
    // Above the mark the newest turn stays as it is: a talk that forgets what was just said is broken.
    if (index === turns.length - 1 && fits(room)) break
    const saved = tokensAt(turns[index]!, levels[index]!) - (level === 'dropped' ? 0 : tokensAt(turns[index]!, level))
    if (saved <= 0 && level !== 'dropped') continue
    kept -= saved
    if (level === 'dropped') from = index + 1
    else levels[index] = level
    if (fits(target)) return { from, levels }
  }
  return { from: fits(room) ? from : turns.length, levels }
}

function markedState({ turns, cut, currentTurn, shrinks }: HistoryInput): CutState {
  const position = (mark: string | undefined) => {
    if (mark === undefined) return 0
    if (mark === currentTurn) return turns.length
    return Math.max(
      0,
      turns.findIndex((turn) => turn.id === mark),
    )
  }
  const clearBefore = shrinks ? position(cut?.clearBefore) : 0
  const excerptBefore = shrinks ? position(cut?.excerptBefore) : 0
  return {
    from: position(cut?.dropBefore),
    levels: turns.map((_, index) => (index < clearBefore ? CLEARED : index < excerptBefore ? EXCERPT : FULL)),
  }
}

interface StepDown {
  readonly index: number
  readonly level: number | 'dropped'
}

/** The order in which a history gives way. The newest turn is the last to shrink. */
function* stepsDown(input: HistoryInput, { from, levels }: CutState, target: number): Generator<StepDown> {
  const newest = input.turns.length - 1
  if (input.shrinks) {
    const recent = firstRecent(input, { from, levels }, target)
    for (const level of levelsToTry(input, { from, levels }, recent, target)) {
      for (let index = from; index < recent; index++) yield { index, level }
    }
  }
  for (let index = from; index < newest; index++) yield { index, level: 'dropped' }
  if (input.shrinks && from <= newest) for (const level of [EXCERPT, CLEARED]) yield { index: newest, level }
}

/** Where even clearing every older output does not reach the mark, excerpts need not be made and counted first. */
function levelsToTry(
  { turns }: HistoryInput,
  { from, levels }: CutState,
  recent: number,
  target: number,
): readonly number[] {
  let least = 0
  for (let index = from; index < turns.length; index++) {
    least += tokensAt(turns[index]!, index < recent ? CLEARED : levels[index]!)
  }
  return least > target ? [CLEARED] : [EXCERPT, CLEARED]
}

/**
 * The newest turns that fill no more than half of what a cut leaves keep their tool outputs; the newest always does.
 * All others are older turns.
 */
function firstRecent({ turns }: HistoryInput, { from, levels }: CutState, target: number): number {
  let first = turns.length - 1
  let tokens = first >= 0 ? tokensAt(turns[first]!, levels[first]!) : 0
  while (first > from) {
    tokens += tokensAt(turns[first - 1]!, levels[first - 1]!)
    if (tokens > target / 2) break
    first -= 1
  }
  return first
}

function tokensAt(turn: PricedTurn, level: number): number {
  return level === FULL ? turn.tokens : turn.at(outputForms[level]!).tokens
}

/** A turn that a step passed over because it saved nothing is behind the mark all the same: it would save nothing again. */
function marksOf({ turns, earlier, currentTurn, cut }: HistoryInput, { from, levels }: CutState): Cut | undefined {
  const idAt = (index: number) => turns[index]?.id ?? currentTurn
  const behind = (level: number) => levels.findLastIndex((reached) => reached >= level) + 1
  const clearBefore = behind(CLEARED)
  const excerptBefore = behind(EXCERPT)
  const marks: Cut = {
    ...(from > 0 ? { dropBefore: idAt(from) } : earlier && cut?.dropBefore ? { dropBefore: cut.dropBefore } : {}),
    ...(clearBefore > from ? { clearBefore: idAt(clearBefore) } : {}),
    ...(excerptBefore > clearBefore && excerptBefore > from ? { excerptBefore: idAt(excerptBefore) } : {}),
  }
  return Object.keys(marks).length > 0 ? marks : undefined
}
