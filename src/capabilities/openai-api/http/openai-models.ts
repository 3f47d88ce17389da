import { defined } from '../../../platform.ts'
import type { ModelView, Runtime } from '../../../capability.ts'
import { HttpFailure } from '../../../server.ts'

/** Models that can be used, as OpenAI lists them; `foreword` is the configured one. */
export async function openaiModels(runtime: Runtime): Promise<readonly object[]> {
  const ready = (await runtime.models()).filter((model) => model.ready)
  const asked = ready.length <= MOST_ASKED
  const view = (id?: string) => runtime.model(id).catch(() => undefined)
  const [configured, ...views] = await Promise.all([view(), ...ready.map(({ id }) => (asked ? view(id) : undefined))])
  return [
    row(CONFIGURED, 'foreword', configured),
    ...ready.map(({ id, provider, window }, index) => row(id, provider, views[index] ?? windowOnly(window))),
  ]
}

/** Asking for each takes a question to its server: of a long list only what is known without asking is listed. */
const MOST_ASKED = 50

/** Names of the configured model. */
const CONFIGURED = 'foreword'

/** One model. Throws `HttpFailure` where there is none of this id. */
export async function openaiModel(runtime: Runtime, id: string): Promise<object> {
  const isConfigured = id === CONFIGURED || id === 'default'
  try {
    return row(id, isConfigured ? CONFIGURED : id.split('/')[0]!, await runtime.model(isConfigured ? undefined : id))
  } catch (error) {
    const code = (error as { code?: unknown }).code
    if (code !== 'model-not-found' && code !== 'bad-request') throw error
    throw new HttpFailure(404, 'model-not-found', (error as Error).message, { parameter: 'model' })
  }
}

type Known = Pick<ModelView, 'window'> & Partial<ModelView>

function windowOnly(window: number | undefined): Known | undefined {
  return window === undefined ? undefined : { window }
}

/** The window under each of the names that clients look for: those of OpenRouter, vLLM and Groq. */
function row(id: string, owner: string, known: Known | undefined): object {
  const base = { id, object: 'model', created: 0, owned_by: owner }
  if (!known) return base
  const { window, reserve, facts } = known
  const most = facts && Math.min(facts.maxOutput, window)
  return {
    ...base,
    context_length: window,
    context_window: window,
    max_model_len: window,
    ...defined({ max_completion_tokens: most }),
    top_provider: { context_length: window, ...defined({ max_completion_tokens: most }) },
    ...(facts ? { architecture: { input_modalities: facts.vision ? ['text', 'image'] : ['text'] } } : {}),
    ...(facts ? { foreword: { model: known.id, reserve, source: facts.source, tools: facts.tools } } : {}),
  }
}
