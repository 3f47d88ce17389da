import type { Cut, EarlierTurns, Layout, TokenCounter, Turn, UndoneTurn } from '../../context.ts'
import { defined } from '../../platform.ts'
import { type Entry, type EntryBody, type LogStore, withEdits } from '../../session.ts'
import { counterKey } from '../models/counters.ts'
import { projectTurn } from './turn-projection.ts'
import { type TurnFile, inputFiles } from './attachments.ts'

/** The part of a session that can fit, and a count of what comes before it. */
interface LoadedHistory {
  readonly turns: readonly Turn[]
  readonly earlier: EarlierTurns | undefined
  readonly files: readonly TurnFile[]
  /** When the input of the oldest of these turns came. */
  readonly since: string | undefined
  /** Turns that were taken back: the account names them. */
  readonly undone: readonly UndoneTurn[]
}

interface HistoryQuestion {
  readonly session: string
  /** The turn that is being answered; absent in a preview. */
  readonly current: string | undefined
  /** Tokens that the whole prompt may cost. */
  readonly limit: number
  readonly cut: Cut | undefined
  readonly layout: Layout
  readonly counter: TokenCounter
  /** Reads the log up to this `seq`. */
  readonly upTo?: number
  /** Settled turns that were read before; absent where none are kept. Not used where the log is read up to a `seq`. */
  readonly cache: TurnCache | undefined
}

/** Reads backwards from the newest entry and stops when the budget is full: the length of a session costs nothing. */
export async function loadHistory(store: LogStore, question: HistoryQuestion): Promise<LoadedHistory> {
  const { session, current, limit, cut, layout, upTo } = question
  const cache = upTo === undefined ? question.cache : undefined
  const cached = new Map<string, CachedTurn>()
  const notBefore = layout.cut.unit === 'turn' ? cut?.dropBefore : cut?.dropBefore?.split('/')[0]
  const { turns, earlier, undone } = await store.recentTurns(session, {
    limit,
    known(turn) {
      const found = cache?.get(cacheKey(turn, question))
      if (found) cached.set(turn, found)
      return found !== undefined
    },
    ...defined({ notBefore, upTo, except: current }),
  })
  const loaded = turns.map(({ row, messages }): CachedTurn => {
    const before = cached.get(row.turn)
    if (before) return before
    const made = readTurn(row.turn, messages, question)
    if (row.state !== 'running') cache?.put(cacheKey(row.turn, question), made, row.tokens)
    return made
  })
  return {
    turns: loaded.map(({ turn }) => turn),
    files: loaded.flatMap(({ files }) => files),
    since: turns[0]?.row.inputTime,
    undone,
    earlier: earlier.turns > 0 ? { turns: earlier.turns, tokens: earlier.tokens } : undefined,
  }
}

type TurnReading = Pick<HistoryQuestion, 'session' | 'layout' | 'counter'>

/** Keeps a turn that has just ended, so that the next one does not read it from the disk. `entries`: all that the log has of it. */
export function keepTurn(cache: TurnCache, turn: string, entries: readonly Entry[], reading: TurnReading): void {
  const messages = withEdits(entries)
  const tokens = messages.reduce((sum, each) => sum + ('message' in each ? each.tokens.full : 0), 0)
  cache.put(cacheKey(turn, reading), readTurn(turn, messages, reading), tokens)
}

function cacheKey(turn: string, { session, counter, layout }: TurnReading): string {
  return `${session} ${turn} ${counterKey(counter)} ${layout.keepsPartialAnswers}`
}

function readTurn(turn: string, messages: readonly EntryBody[], { counter, layout }: TurnReading): CachedTurn {
  const keepsPartial = layout.keepsPartialAnswers
  return { turn: projectTurn(turn, messages, { counter, keepsPartial }), files: inputFiles(messages) }
}

/** Settled turns that were read lately: they never change, so nothing here is wrong; what does not fit is read again. */
export type TurnCache = ReturnType<typeof createTurnCache>

export interface CachedTurn {
  readonly turn: Turn
  readonly files: readonly TurnFile[]
}

const MOST_TOKENS = 1_000_000

export function createTurnCache(mostTokens = MOST_TOKENS) {
  const turns = new Map<string, { readonly turn: CachedTurn; readonly tokens: number }>()
  let held = 0

  return {
    get(name: string) {
      const found = turns.get(name)
      if (!found) return undefined
      turns.delete(name)
      turns.set(name, found)
      return found.turn
    },
    put(name: string, turn: CachedTurn, tokens: number) {
      if (turns.has(name) || tokens > mostTokens) return
      turns.set(name, { turn, tokens })
      held += tokens
      for (const [oldest, { tokens: freed }] of turns) {
        if (held <= mostTokens) break
        turns.delete(oldest)
        held -= freed
      }
    },
    forget(beginning: string) {
      for (const [name, { tokens }] of turns) {
        if (!name.startsWith(beginning)) continue
        turns.delete(name)
        held -= tokens
      }
    },
  }
}
