import type { CompletionCutChoice } from '../capability.ts'
import type { RetryRule } from '../agent.ts'
import type { LayoutChoice, TokenCounter } from '../context.ts'
import type { ChosenModel } from './models/fallback.ts'

/** What the configuration decides about every turn. In the home of a person some of it changes meanwhile. */
export interface RuntimeSettings {
  /** Model for sessions and requests that name none; absent: the best that is at hand. */
  readonly model?: string
  readonly layout: LayoutChoice
  readonly counter: TokenCounter
  /** What stands in the place of turns that are cut out: a note with words of the model, an index, or nothing. `off` unless given. */
  readonly notes?: NotesChoice
  /** When turns are cut out: when the prompt is full, or also where later calls win by it clearly. `full` unless given. */
  readonly cutWhen?: 'full' | 'cheaper'
  /** Room for the answer, tokens; absent: the longest answer of the model where that leaves half of the window, else a quarter of it, at most 8,192. */
  readonly reserve?: number
  /** Room for the counter's error, tokens; absent: learned from what providers report. */
  readonly margin?: number
  readonly maxSteps: number
  /** How many turns of all sessions may be accepted and not ended. 1,000 unless given. */
  readonly maxOpenTurns?: number | undefined
  /** How many turns of all sessions run at once, without those that wait for a person. All of them unless given. */
  readonly turnsAtOnce?: number | undefined
  readonly toolTimeoutMs?: number
  /** The most of one tool result that the model is shown, characters, for tools that set no limit. 24,000 unless given. */
  readonly maxResultChars?: number
  /** The most of all tool results of one turn that the model is shown, characters. 240,000 unless given. */
  readonly maxTurnResultChars?: number
  /** How much a model that can reason should; absent: as its provider has it. */
  readonly reasoning?: 'none' | 'low' | 'medium' | 'high'
  /** Least waits before a call that failed before its first word is made again, ms: no more tries than these. */
  readonly retryDelaysMs: readonly number[]
  /** How long after its first failure a call is made again at most, ms. A minute unless given. */
  readonly retryForMs?: number
  /** How long one answer may take, ms. Half an hour unless given. */
  readonly maxAnswerMs?: number
  /** Waits before turns are resumed that the store stopped, for example because the disk was full, ms. Up to a minute unless given. */
  readonly storageRetryDelaysMs?: readonly number[]
  /** Defaults of calls outside a session. Unless given, nothing is cut and nothing is added. */
  readonly completions?: CompletionSettings
}

/** What stands in the place of turns that are cut out. */
export type NotesChoice = 'model' | 'index' | 'off'

export interface CompletionSettings {
  readonly cut: CompletionCutChoice
  readonly prompt: boolean
}

const USUAL_RETRY_MS = 60_000

/** When a failed model call is made again. */
export function retryRule({ retryDelaysMs, retryForMs = USUAL_RETRY_MS }: RuntimeSettings): RetryRule {
  return { delaysMs: retryDelaysMs, forMs: retryForMs }
}

/** How long a call is retried while another model is left that can answer it, ms. */
const BEFORE_FALLBACK_MS = 4_000

/** The rule for calls to a model that others can answer, or that answers in place of one that has failed. */
export function fallbackRule(
  rule: RetryRule,
  { fallbacks = [], instead }: Pick<ChosenModel, 'fallbacks' | 'instead'>,
  now: number,
): RetryRule {
  // All of them together wait no longer than one alone.
  const forMs = instead ? Math.max(0, rule.forMs - (now - instead.since)) : rule.forMs
  if (fallbacks.length === 0) return { ...rule, forMs }
  return { ...rule, forMs: Math.min(forMs, BEFORE_FALLBACK_MS), refusedIsFinal: true }
}
