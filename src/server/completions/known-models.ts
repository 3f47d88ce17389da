import type { ModelView, Runtime } from '../../capability.ts'
import { HttpFailure } from '../failure.ts'

/** A model as the endpoints of others list it. */
export interface KnownModel {
  readonly id: string
  readonly provider: string
  /** Absent where nothing is known; of a long list, only the window. */
  readonly known?: (Pick<ModelView, 'window'> & Partial<ModelView>) | undefined
}

export const CONFIGURED_MODEL = 'foreword'

/** Details of a model need a request to its server. A longer list shows only what is known without one. */
const MOST_DETAILED = 50

/** The models that are ready, the configured one first. */
export async function knownModels(runtime: Pick<Runtime, 'model' | 'models'>): Promise<readonly KnownModel[]> {
  const ready = (await runtime.models()).filter((model) => model.ready)
  const asked = ready.length <= MOST_DETAILED
  const view = (id?: string) => runtime.model(id).catch(() => undefined)
  const [configured, ...views] = await Promise.all([view(), ...ready.map(({ id }) => (asked ? view(id) : undefined))])
  return [
    { id: CONFIGURED_MODEL, provider: CONFIGURED_MODEL, known: configured },
    ...ready.map(({ id, provider, window }, index) => ({
      id,
      provider,
      known: views[index] ?? (window === undefined ? undefined : { window }),
    })),
  ]
}

/** One model by the name of a request. Throws an `HttpFailure` with `model-not-found` for an unknown one. */
export async function knownModel(runtime: Pick<Runtime, 'model'>, id: string): Promise<KnownModel> {
  const isConfigured = id === CONFIGURED_MODEL || id === 'default'
  try {
    const known = await runtime.model(isConfigured ? undefined : id)
    return { id, provider: isConfigured ? CONFIGURED_MODEL : id.split('/')[0]!, known }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code !== 'model-not-found' && code !== 'bad-request') throw error
    throw new HttpFailure('model-not-found', (error as Error).message, { parameter: 'model' })
  }
}
