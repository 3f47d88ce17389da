import { isProviderFault } from '../../agent.ts'
import type { ModelStatus, ModelView } from '../../capability.ts'
import {
  type Model,
  type ModelConfiguration,
  ModelError,
  type Models,
  type ProviderConfiguration,
} from '../../model.ts'
import { numberText, type Price, priceOfModel } from '../../context.ts'
import { type Clock, defined, withTimeout } from '../../platform.ts'
import { type BudgetContext, budgetFor } from './call-budget.ts'
import type { ChosenModel } from './fallback.ts'
import { runtimeFailure } from '../failure.ts'
import { createProviderHealth } from './provider-health.ts'
import { limitSentence } from './learned-limits.ts'

export type ModelChoice = ReturnType<typeof createModelChoice>

/** The part of the configuration that can change while a gateway runs. */
export interface LiveModels {
  model: string | undefined
  providers: Readonly<Record<string, ProviderConfiguration>>
  /** By id. Their facts stay as they were at the start. */
  models?: Readonly<Record<string, ModelConfiguration>>
  /** Called where one of them has changed: by every runtime that shares them. */
  readonly changed: Set<() => void>
}

/** `longestMs`: how long after a failure another model may be asked. `warn` hears once of each model whose window nobody could tell. */
export function createModelChoice(
  models: Models,
  clock: Pick<Clock, 'time' | 'monotonic'>,
  live: Readonly<LiveModels>,
  longestMs: number,
  warn: (text: string) => void,
) {
  const health = createProviderHealth(clock)
  const warned = new Set<string>()
  let day = ''
  const known = new Map<string, Promise<Model>>()
  let chosen: Promise<{ readonly id: string; readonly why: string }> | undefined

  /** A choice that could not be made is tried again at the next question. */
  function choose() {
    chosen ??= models.choose().catch((error: unknown) => {
      chosen = undefined
      throw error
    })
    return chosen
  }

  function current() {
    const { model: id } = live
    return id === undefined ? choose() : Promise.resolve({ id, why: 'configured as `model`' })
  }

  function find(id: string): Promise<Model> {
    const today = clock.time().slice(0, 'YYYY-MM-DD'.length)
    // Prices change with the day.
    if (today !== day) known.clear()
    day = today
    const before = known.get(id)
    if (before) return before
    const found = models.model(id)
    known.set(id, found)
    found.then(
      // What had to be assumed may be known by the next turn.
      (model) => model.facts.source === 'assumed' && assumed(model),
      () => known.delete(id),
    )
    return found
  }

  function assumed({ id, facts }: Model): void {
    known.delete(id)
    if (warned.has(id)) return
    warned.add(id)
    warn(
      `The window of ${id} is unknown; ${numberText(facts.window)} tokens are assumed. ` +
        `If you know it, set it in config.json: "models": {"${id}": {"window": TOKENS}}.`,
    )
  }

  return {
    /** The requested model; without a request, the configured or the best available one. */
    resolve: async (asked: string | undefined) => find(asked ?? (await current()).id),
    /**
     * The model for calls that want this one. Where its provider fails, a fallback of it. `tries`: calls follow. What is said of
     * failures is loaded only once there is one.
     */
    async choose(asked: string | undefined, tries: boolean): Promise<ChosenModel> {
      const id = asked ?? (await current()).id
      const fallbacks = live.models?.[id]?.fallback
      if (!fallbacks || fallbacks.length === 0) return { model: await find(id) }
      if (health.troubled.size === 0) {
        const model = await find(id).catch(unlessFault)
        if (model) return { model, fallbacks }
      }
      const { firstAble } = await import('./fallback.ts')
      const ids = [...new Set([id, ...fallbacks])]
      const found = await firstAble(ids, { model: id, failures: [] }, { find, health, clock, tries }, (able) => able)
      // Where nothing else answers, the call is made as if there were no fallback.
      return 'prepared' in found ? found.prepared : { model: await find(id) }
    },
    /** What goes on after a chosen model has failed, as `fallback.ts` has it. */
    async afterFailure<Prepared>(
      failed: ChosenModel,
      failure: { readonly error: unknown; readonly call?: string | undefined },
      prepare: (next: ChosenModel) => Promise<Prepared>,
    ): Promise<Prepared | Error | undefined> {
      const { afterFailure } = await import('./fallback.ts')
      return afterFailure(failed, failure, { find, health, clock, longestMs, tries: true }, prepare)
    },
    health,
    fallbackOf: (id: string) => live.models?.[id]?.fallback,
    current,
    /** Rejects, as a `RuntimeError`, for a model that could not be called: for a choice that stays. */
    async assertUsable(model: string) {
      try {
        await find(model)
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    /** Rejects with `model-not-found`. What only keeps a model from being asked now may pass: a turn waits for its provider. */
    async assertKnown(model: string) {
      try {
        await find(model)
      } catch (error) {
        if (error instanceof ModelError && error.code === 'model-not-found') throw runtimeFailure(error)
      }
    },
    forget() {
      health.forget()
      known.clear()
      chosen = undefined
    },
  }
}

function unlessFault(error: unknown): undefined {
  if (!isProviderFault(error)) throw error
}

/** Every model that can be seen from here, the current one with its facts. */
export async function modelStatuses(
  models: Models,
  choice: ModelChoice,
  { calibration, limits }: Pick<BudgetContext, 'calibration' | 'limits'>,
): Promise<readonly ModelStatus[]> {
  const [listed, current] = await Promise.all([models.list(), choice.current()])
  const known = listed.some((listing) => listing.id === current.id)
  const all = known ? listed : [{ id: current.id, ready: true }, ...listed]
  return Promise.all(
    all.map(async (listing): Promise<ModelStatus> => {
      const isCurrent = listing.id === current.id
      const model = isCurrent ? await choice.resolve(listing.id).catch(() => undefined) : undefined
      const learned = calibration.view(listing.id)
      const limit = limits.of(listing.id)
      return {
        ...listing,
        provider: listing.id.split('/')[0]!,
        current: isCurrent,
        ...(model ? { facts: model.facts } : {}),
        ...(learned ? { calibration: learned } : {}),
        ...defined({ fallback: choice.fallbackOf(listing.id) }),
        ...(limit ? { limit: { ...limit, sentence: limitSentence(listing.id, limit) } } : {}),
      }
    }),
  )
}

/** The model of this id, or the configured one. Rejects with `model-not-found` and what else keeps it from being used. */
export async function modelView(
  context: BudgetContext,
  models: ModelChoice,
  id: string | undefined,
): Promise<ModelView> {
  try {
    const model = await models.resolve(id)
    const { window, reserve } = budgetFor(context, model)
    return { id: model.id, facts: model.facts, window, reserve }
  } catch (error) {
    throw runtimeFailure(error)
  }
}

const PRICE_MS = 2_000

/** The price of a model; `undefined` where it is not known, or not known in time. */
export async function priceOf(clock: Clock, models: Models, id: string): Promise<Price | undefined> {
  try {
    return priceOfModel((await withTimeout(clock, models.model(id), PRICE_MS)).facts)
  } catch {
    return undefined
  }
}
