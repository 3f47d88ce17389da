import { type Model, ModelError, type Models } from '../../model.ts'
import { runtimeFailure } from '../runtime-failure.ts'

/** Which model answers, and why. */
export interface ModelChoice {
  /** The model that was asked for; the configured or the best one at hand where nobody asked. */
  resolve(asked: string | undefined): Promise<Model>
  current(): Promise<{ readonly id: string; readonly why: string }>
  /** Rejects, as a `RuntimeError`, for a model that could not be called: for a choice that stays. */
  assertUsable(model: string): Promise<void>
  /**
   * Rejects with `model-not-found` where there is no such model: for a turn, which waits for a provider by itself. What keeps
   * a model from being asked about now may pass.
   */
  assertKnown(model: string): Promise<void>
  /** Looks again at what there is. */
  forget(): void
}

/** `warn` hears once of each model whose window nobody could tell. */
export function createModelChoice(
  models: Models,
  configured: string | undefined,
  warn: (text: string) => void,
): ModelChoice {
  const warned = new Set<string>()
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
    return configured === undefined ? choose() : Promise.resolve({ id: configured, why: 'configured as `model`' })
  }

  function find(id: string): Promise<Model> {
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
      `Nobody says how large the window of ${id} is, so ${facts.window} tokens are assumed. ` +
        `If you know it, put it into config.json: "models": {"${id}": {"window": TOKENS}}.`,
    )
  }

  return {
    resolve: async (asked) => find(asked ?? (await current()).id),
    current,
    async assertUsable(model) {
      try {
        await find(model)
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    async assertKnown(model) {
      try {
        await find(model)
      } catch (error) {
        if (error instanceof ModelError && error.code === 'model-not-found') throw runtimeFailure(error)
      }
    },
    forget() {
      known.clear()
      chosen = undefined
    },
  }
}
