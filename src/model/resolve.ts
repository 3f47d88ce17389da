import { withTold } from './catalog.ts'
import { type Choice, choose } from './choose.ts'
import type { ModelsSettings } from './configuration.ts'
import { factsOf } from './facts.ts'
import { listModels, type ModelListing } from './list.ts'
import { ModelError } from './model-error.ts'
import type { Model, ModelFacts } from './model.ts'
import { type Place, places } from './place.ts'
import { anthropicModel } from './provider/anthropic.ts'
import { ollamaModel } from './provider/ollama.ts'
import { openaiCompatibleModel } from './provider/openai-compatible.ts'
import { openaiModel } from './provider/openai.ts'
import { rehearsal } from './rehearsal.ts'

/** Doors to every model that a configuration reaches. */
export interface Models {
  /** The model of this id. Throws `ModelError` that says what there is, and how to attach what is not. */
  model(id: string): Promise<Model>
  /** Every model that can be seen from here; providers that cannot be used say why. */
  list(): Promise<readonly ModelListing[]>
  /** What to use where nobody chose: something that runs here, then something with a key, then `rehearsal`. */
  choose(): Promise<Choice>
}

/** All models that a configuration reaches. Facts that a server told are remembered as long as this value lives. */
export function createModels(settings: ModelsSettings = {}): Models {
  const known = new Map<string, ModelFacts>()

  const facts = async (id: string, place: Place, name: string): Promise<ModelFacts> => {
    const remembered = known.get(id)
    if (remembered) return remembered
    const { facts: found, settled } = await factsOf(place, name)
    const whole = configured(found, settings, id)
    if (settled) known.set(id, whole)
    return whole
  }

  return {
    async model(id) {
      const all = places(settings)
      const slash = id.indexOf('/')
      const [provider, name] = slash < 0 ? [id, ''] : [id.slice(0, slash), id.slice(slash + 1)]
      const place = all.find((candidate) => candidate.provider === provider)
      if (place?.kind === 'rehearsal') return rehearsal(settings.models?.[id] ?? {})
      if (!place) throw unknownProvider(id, all)
      if (name === '') throw unnamedModel(provider, await place.names().catch(() => []))
      const apiKey = await place.key()
      const { baseURL, headers, timeouts, api, fetch } = place
      return doorOf(
        place.kind,
        api,
      )({
        provider,
        model: name,
        facts: await facts(id, place, name),
        baseURL,
        fetch,
        ...(apiKey ? { apiKey } : {}),
        ...(headers ? { headers } : {}),
        ...(timeouts ? { patience: timeouts } : {}),
        ...(api ? { api } : {}),
      })
    },
    list: () =>
      listModels(places(settings), settings, async (id, place, name, told) => {
        if (told) return known.get(id) ?? configured(told, settings, id)
        return await facts(id, place, name).catch(() => undefined)
      }),
    choose: () => choose(places(settings)),
  }
}

/** A server of anybody's that speaks the Responses API is asked as OpenAI's own. */
function doorOf(kind: Exclude<Place['kind'], 'rehearsal'>, api: Place['api']) {
  if (kind === 'openai-compatible' && api === 'responses') return openaiModel
  return {
    ollama: ollamaModel,
    openai: openaiModel,
    anthropic: anthropicModel,
    'openai-compatible': openaiCompatibleModel,
  }[kind]
}

/** What the configuration says of a model wins. */
function configured(found: ModelFacts, { models }: ModelsSettings, id: string): ModelFacts {
  const own = models?.[id]
  if (!own) return found
  return withTold(found, own.window === undefined ? own : { ...own, source: 'configuration' })
}

function unknownProvider(id: string, all: readonly Place[]): ModelError {
  const names = all.map(({ provider }) => provider).join(', ')
  const [provider = id] = id.split('/')
  return new ModelError(
    'model-not-found',
    `there is no provider "${provider}" for the model "${id}". There are: ${names}. A model is named provider/model, such as ` +
      `ollama/llama3.2. To attach a server that speaks OpenAI's wire, write to config.json: ` +
      `"providers": {"${provider}": {"kind": "openai-compatible", "baseURL": "http://127.0.0.1:1234/v1"}}`,
    { provider, model: id.slice(provider.length + 1) },
  )
}

function unnamedModel(provider: string, names: readonly string[]): ModelError {
  const there = names.length > 0 ? ` It has: ${names.join(', ')}.` : ''
  const message = `"${provider}" names a provider, not a model: write ${provider}/MODEL.${there}`
  return new ModelError('model-not-found', message, { provider, model: '' })
}
