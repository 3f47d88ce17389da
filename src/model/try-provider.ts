import { type Clock, defined } from '../platform.ts'
import { connectProvider, listProviderModels } from './connection.ts'
import { listModelsEndpoint } from './list-models.ts'
import { ModelError } from './model-error.ts'
import type { Provider } from './provider.ts'
import { toModelError } from './provider-failure.ts'
import type { Fetch } from './wire-fetch.ts'

/** How long a server may take to answer, ms: a person waits for it. */
const LIMIT_MS = 10_000

/** The variable that names the key in the configuration that is tried. It is in no real environment. */
const VARIABLE = 'FOREWORD_TRIED_KEY'

/** A provider as a person would attach it. */
export interface TriedProvider {
  readonly provider: Provider
  /** Its name in the configuration. */
  readonly name: string
  readonly baseURL?: string | undefined
  readonly key?: string | undefined
  readonly fetch?: Fetch
  readonly clock: Clock
}

/**
 * Asks a provider whether it answers at this address with this key. Writes nothing. Resolves to the names of its models.
 * Rejects with a `ModelError`, without the key in it: `auth` for a wrong or missing key, `network` where no server answers.
 */
export async function tryProvider(tried: TriedProvider): Promise<readonly string[]> {
  const { provider, name, baseURL, key, fetch = globalThis.fetch, clock } = tried
  const configuration = { kind: provider.kind, ...defined({ baseURL }), ...(key ? { apiKeyEnv: VARIABLE } : {}) }
  const connection = connectProvider(provider, name, configuration, { environment: { [VARIABLE]: key }, fetch, clock })
  try {
    await connection.key()
    if (provider.connects !== false) await (provider.verify ?? listModelsEndpoint)(connection, LIMIT_MS)
    return (await listProviderModels({ provider, connection }, LIMIT_MS)).map((model) => model.name)
  } catch (error) {
    const callee = { provider: name, model: '', secrets: key ? [key] : [] }
    throw attachError(toModelError(error, callee, clock.now()), connection.baseURL)
  }
}

/** In words for a person who fills in a form: no file or variable names this provider yet. */
function attachError(error: ModelError, address: string): ModelError {
  const { code, facts } = error
  if (code === 'network' || code === 'timeout') {
    const hint = 'Check the address, that the server runs, and that this machine can reach it.'
    return new ModelError(code, `Nothing answers at ${address}.`, facts, { hint, cause: error })
  }
  if (code === 'auth') {
    const answer = facts.detail === undefined ? '' : ` The server said: "${facts.detail}"`
    const hint = 'Check that the key is complete, and that it is a key of this server.'
    return new ModelError(code, `The key was refused.${answer}`, facts, { hint, cause: error })
  }
  return error
}
