import type { ModelView } from '../../capability.ts'
import { budgetFor } from '../calls/call-budget.ts'
import type { ModelChoice } from './model-choice.ts'
import { runtimeFailure } from '../runtime-failure.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'

/** The model of this id, or the configured one. Rejects with `model-not-found` and what else keeps it from being used. */
export async function modelView(
  context: Pick<AssemblyContext, 'settings' | 'calibration' | 'limits'>,
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
