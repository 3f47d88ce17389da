import type { ConversationInput } from './conversation-input.ts'
import { answeredBefore, leastCurrentTokens } from './current-turn.ts'
import { type CutLine, type CutState, formAt, markedState, orphanTokens, tokensAt, unitTokens } from './cut-line.ts'
import { sumTokens } from './priced-turn.ts'
import type { OutputForm } from './tool-output.ts'

/** Where a conversation was cut. */
export interface CutDecision extends CutState {
  /** The current turn did not fit, and what it has to fit into, its unanswered results too. Tokens. */
  readonly missingRoom?: number
  /** What this call left out, in its order. Units that an earlier call left out are in none. */
  readonly drops: readonly Drop[]
}

/** Units that were left out together. */
export interface Drop {
  /** The first unit, and the one behind the last. */
  readonly from: number
  readonly before: number
  /** What was free for the newest of them when everything newer was counted, tokens. */
  readonly free: number
  /** Whether they would have had to fit below the low-water mark, and not only into the room. */
  readonly toLowWater: boolean
}

/**
 * Decides what of a conversation gives way. While it fits, the marks of the last cut stay and nothing moves. When it does
 * not fit any more it is cut once, down to the low-water mark: tool results of old turns step down first, oldest first,
 * then answered results of the current turn, then old turns go, oldest first: what a person wrote outlasts what a program
 * printed. The newest settled turn goes only where it does not fit at all. Marks only move forward, so the calls between
 * two cuts share their beginning (docs/guide/assembly.md).
 *
 * `noteTokens` is what the note on the turns before a unit costs. The note has to fit while nothing moves, so that it
 * stays; it never costs a turn.
 */
export function cutConversation(
  conversation: ConversationInput,
  line: CutLine,
  noteTokens: (from: number) => number,
): CutDecision {
  const { available, beside, shrinks, rule, current } = conversation
  const marked = markedState(conversation, line)
  const walk = walkFrom(line, marked, sumTokens(current.attachments))
  const standing = walk.tokens() - orphanTokens(line, marked)
  if (standing + noteTokens(marked.from) <= conversation.room) return { ...marked, drops: [] }

  const room = available - beside
  if (conversation.room > room) {
    // The tail has given way; the room that this freed may be enough for the current turn as it is.
    walk.drop(line.units.length, conversation.room)
    if (walk.tokens() <= conversation.room) return walk.decision()
  }
  const target = lowWater(conversation, 0)
  const answered = resultsIn(line, line.current, line.current + answeredBefore(current))
  const groups = [...(shrinks ? settledGroups(line, walk.state()) : []), ...(shrinks ? recentLast(answered) : [])]
  for (const group of groups) walk.shrink(group, target)

  const turns = walk.turnTokens()
  const mustStand = walk.tokens() - turns
  if (mustStand > room && shrinks) return shortCut(conversation, walk, { turns, room, noteTokens })
  const newest = rule.unit === 'turn' ? line.units.length - 1 : line.units.length
  walk.drop(newest, lowWater(conversation, mustStand), true)
  walk.drop(line.units.length, room)
  if (walk.tokens() <= room) return walk.decision()

  for (const group of recentLast(answered)) walk.shrink(group, target)
  return { ...walk.decision(), missingRoom: room }
}

/** Share of the low-water mark that layers and required messages leave to the conversation, however large they are. */
const LEAST_SHARE = 0.5

/**
 * How many tokens of the room a cut leaves filled: a share of the whole request. Where layers or the current turn take
 * most of that, the conversation still gets a share of what they leave.
 */
function lowWater({ available, beside, rule }: ConversationInput, standing: number): number {
  const takeShare = (tokens: number, share: number) => Math.floor(Math.max(0, tokens) * share)
  const mark = takeShare(available, rule.lowWater) - beside
  const least = rule.lowWater < 1 ? rule.lowWater * LEAST_SHARE : 1
  const ofLayers = takeShare(available - beside, least)
  const ofTurn = standing + takeShare(available - beside - standing, least)
  return Math.max(mark, ofLayers, standing > 0 ? ofTurn : 0)
}

/**
 * Where not even the current turn fits, its unanswered results shrink into the room. Earlier turns keep a
 * share of that room, so that one long result does not end a conversation.
 */
function shortCut(
  { rule, current, counter, readers }: ConversationInput,
  walk: Walk,
  { turns, room, noteTokens }: { turns: number; room: number; noteTokens: (from: number) => number },
): CutDecision {
  const least = leastCurrentTokens(current, counter, readers.history)
  const share = Math.floor(Math.max(0, room - least) * rule.lowWater * LEAST_SHARE)
  walk.dropTurns(share)
  const note = noteTokens(walk.state().from)
  const limit = room - Math.min(share, turns)
  return { ...walk.decision(), missingRoom: Math.max(least, limit - note) }
}

/** Results of settled turns in the order in which they step down: the newest turn keeps its own the longest. */
function settledGroups(line: CutLine, { from }: CutState): readonly (readonly number[])[] {
  const newest = line.messages[line.current - 1]?.turn
  const first = line.messages.findIndex(({ turn }) => turn === newest)
  const start = line.units[from]?.first ?? line.current
  return newest ? [resultsIn(line, start, first), resultsIn(line, Math.max(start, first), line.current)] : []
}

/** Results of the current turn that the model read last and has answered; they step down after all others. */
const RECENT_RESULTS = 3

function recentLast(answered: readonly number[]): readonly (readonly number[])[] {
  const older = Math.max(0, answered.length - RECENT_RESULTS)
  return [answered.slice(0, older), answered.slice(older)]
}

/** Positions of tool results from `start` up to and without `end`. */
function resultsIn({ messages }: CutLine, start: number, end: number): readonly number[] {
  const found: number[] = []
  for (let at = start; at < end; at++) {
    const { turn, index } = messages[at]!
    if (turn.messages[index]!.message.role === 'tool') found.push(at)
  }
  return found
}

type Walk = ReturnType<typeof walkFrom>

/** Steps forward from a state, and knows at each step what is left. `filesOfCurrent`: tokens. */
function walkFrom(line: CutLine, start: CutState, filesOfCurrent: number) {
  let { from, cleared, excerpted } = start
  const drops: Drop[] = []
  const state = (): CutState => ({ from, cleared, excerpted })
  let turns = 0
  for (let index = from; index < line.units.length; index++) turns += unitTokens(line, line.units[index]!, start)
  let current = filesOfCurrent
  for (let at = line.current; at < line.messages.length; at++) current += tokensAt(line, at, formAt(start, at))

  const savedAt = (at: number, form: OutputForm) => tokensAt(line, at, formAt(state(), at)) - tokensAt(line, at, form)
  const save = (at: number, tokens: number) => {
    if (at < line.current) turns -= tokens
    else current -= tokens
  }
  /** Where even clearing everything does not reach the limit, excerpts need not be made and counted first. */
  const reaches = (positions: readonly number[], limit: number) => {
    let tokens = turns + current
    for (const at of positions) if (at >= cleared) tokens -= savedAt(at, 'tool-output-cleared')
    return tokens <= limit
  }

  /** `free` is what is left of a limit beside everything that is kept, below zero where that is too much. */
  function dropWhile(last: number, toLowWater: boolean, free: () => number): void {
    const first = from
    while (from < last && free() < 0) {
      turns -= unitTokens(line, line.units[from]!, state())
      from += 1
    }
    if (from > first) drops.push({ from: first, before: from, free: Math.max(0, free()), toLowWater })
  }

  return {
    /** Of everything that is left. */
    tokens: () => turns + current,
    /** Of settled turns alone. */
    turnTokens: () => turns,
    /** Lets results step down until all fits `limit`: all to excerpts, then all to a note of their size. */
    shrink(positions: readonly number[], limit: number) {
      if (turns + current <= limit) return
      const forms = reaches(positions, limit)
        ? (['tool-output-excerpt', 'tool-output-cleared'] as const)
        : (['tool-output-cleared'] as const)
      for (const form of forms) {
        for (const at of positions) {
          if (turns + current <= limit) return
          if (at < (form === 'tool-output-cleared' ? cleared : Math.max(cleared, excerpted))) continue
          save(at, savedAt(at, form))
          if (form === 'tool-output-cleared') cleared = at + 1
          else excerpted = at + 1
        }
      }
    },
    /** Leaves out units before `last` until all fits `limit`. */
    drop(last: number, limit: number, toLowWater: boolean = false) {
      dropWhile(last, toLowWater, () => limit - turns - current)
    },
    /** Leaves out units until those that are left fit `limit`. */
    dropTurns(limit: number) {
      dropWhile(line.units.length, false, () => limit - turns)
    },
    state,
    /** The state, and what was left out on the way to it. */
    decision: () => ({ ...state(), drops }),
  }
}
