import type { ModelFacts } from '../../model.ts'
import { budgetFor } from '../calls/call-budget.ts'
import type { ModelChoice } from './model-choice.ts'
import { runtimeFailure } from '../runtime-failure.ts'
import type { Workbench } from '../calls/workbench.ts'

/** One model as a call would find it now. */
export interface ModelView {
  readonly id: string
  readonly facts: ModelFacts
  /** Prompt and answer together, tokens: what its server is known to take. */
  readonly window: number
  /** Room that is kept for an answer, tokens. */
  readonly reserve: number
}

/** The model of this id, or the configured one. Rejects with `model-not-found` and what else keeps it from being used. */
export async function modelView(
  bench: Pick<Workbench, 'settings' | 'calibration' | 'limits'>,
  models: ModelChoice,
  id: string | undefined,
): Promise<ModelView> {
  try {
    const model = await models.resolve(id)
    const { window, reserve } = budgetFor(bench, model)
    return { id: model.id, facts: model.facts, window, reserve }
  } catch (error) {
    throw runtimeFailure(error)
  }
}
