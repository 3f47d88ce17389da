import { isProviderFault } from '../../agent.ts'
import type { Clock } from '../../capability.ts'
import { ContextOverflowError } from '../../context.ts'
import { type Model, ModelError } from '../../model.ts'
import { defined, errorMessage, fieldsOf } from '../../platform.ts'
import { StoreError } from '../../session.ts'
import { failureSentence } from '../failure.ts'
import type { ProviderHealth } from './provider-health.ts'

/** The model of a turn, or of a call outside every session. */
export interface ChosenModel {
  readonly model: Model
  /** Models that may be asked if this one fails, in their order. Absent: the model that was wanted has no fallback. */
  readonly fallbacks?: readonly string[] | undefined
  /** Why it is not the model that was wanted; absent where it is. */
  readonly instead?: InsteadOf | undefined
}

/** The model that was wanted, and every one that has failed, in their order. */
export interface InsteadOf {
  readonly model: string
  readonly failures: readonly FailedModel[]
  /** When the first of them failed, ms of the clock. */
  readonly since: number
}

/** A model that did not answer, with a code for programs and a sentence. */
export interface FailedModel {
  readonly model: string
  readonly code: string
  readonly message: string
  /** The last call that was made to it. Absent: none was. */
  readonly call?: string
}

/** What is asked about models. */
interface Asked {
  find(id: string): Promise<Model>
  readonly health: ProviderHealth
  readonly clock: Pick<Clock, 'monotonic'>
  /** Calls follow. */
  readonly tries: boolean
}

/**
 * The first of these models for which `prepare` succeeds, whose provider is not paused. Each is asked once. Returns what failed where
 * there is none. Rejects with a `StoreError` alone.
 */
export async function firstAble<Prepared>(
  ids: readonly string[],
  instead: Omit<InsteadOf, 'since'> & Partial<InsteadOf>,
  { find, health, clock, tries }: Asked,
  prepare: (chosen: ChosenModel) => Promise<Prepared> | Prepared,
): Promise<{ readonly prepared: Prepared } | { readonly failures: readonly FailedModel[] }> {
  const failures = [...instead.failures]
  const since = clock.monotonic()
  for (const [index, id] of ids.entries()) {
    const pause = health.pauseOf(id, tries)
    if (pause !== undefined) {
      failures.push({ model: id, code: 'paused', message: pausedSentence(id, pause) })
      continue
    }
    try {
      const model = await find(id)
      const given = failures.length > 0 ? { instead: { since, ...instead, failures: [...failures] } } : {}
      return { prepared: await prepare({ model, fallbacks: ids.slice(index + 1), ...given }) }
    } catch (error) {
      if (error instanceof StoreError) throw error
      if (tries) health.note(id, error)
      failures.push(failedModel(id, error))
    }
  }
  return { failures }
}

/**
 * What goes on after a model has failed: the first fallback that `prepare` succeeds for, or the failure with what else was asked;
 * `undefined` where no other model is asked because of this failure. `longestMs`: no model is asked later than so long after the first
 * failure.
 */
export async function afterFailure<Prepared>(
  { model, fallbacks = [], instead }: ChosenModel,
  { error, call }: { readonly error: unknown; readonly call?: string | undefined },
  { longestMs, ...asked }: Asked & { readonly longestMs: number },
  prepare: (chosen: ChosenModel) => Promise<Prepared>,
): Promise<Prepared | Error | undefined> {
  // What is too large for a smaller model may fit the next one.
  const isTooLarge = instead !== undefined && fieldsOf(error)['code'] === 'context-overflow'
  if (!isProviderFault(error) && !isTooLarge) return undefined
  const first = instead ?? { model: model.id, failures: [], since: asked.clock.monotonic() }
  if (asked.clock.monotonic() - first.since > longestMs) return undefined
  const wanted = { ...first, failures: [...first.failures, failedModel(model.id, error, call)] }
  const left = [...new Set(fallbacks)].filter((id) => id !== wanted.model)
  const found = await firstAble(left, wanted, asked, prepare)
  if ('prepared' in found) return found.prepared
  const others = found.failures.filter((each) => each.model !== model.id)
  if (others.length === 0) return undefined
  const all = [errorMessage(error), ...others.map(({ message }) => message)].join(' ')
  if (error instanceof ContextOverflowError) return new ContextOverflowError(error.manifest, all, error.advice)
  return error instanceof ModelError ? new ModelError(error.code, all, error.facts) : new Error(all)
}

function failedModel(model: string, error: unknown, call?: string): FailedModel {
  const { code } = fieldsOf(error)
  return {
    model,
    code: typeof code === 'string' ? code : 'internal',
    message: failureSentence(error),
    ...defined({ call }),
  }
}

function pausedSentence(model: string, pauseMs: number): string {
  const [provider] = model.split('/')
  return `${model} is not asked for ${Math.ceil(pauseMs / 1000)} s, since the last calls to ${provider} failed.`
}
