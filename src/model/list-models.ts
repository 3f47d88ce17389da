import { defined, fieldsOf, publicAddress, redactSecrets } from '../platform.ts'
import { assumedFacts, mergeFacts } from './catalog.ts'
import { type Connected, listProviderModels, ResponseError } from './connection.ts'
import { ModelError } from './model-error.ts'
import type { CacheRules, Price } from '../context.ts'
import type { ModelConfiguration, ModelFacts } from './model.ts'
import type { ListedModel, Provider, ProviderConnection, Suggestion } from './provider.ts'

/** An available model, or an unusable provider. */
export interface ModelListing {
  /** `provider/model`; the provider's name if it has only one model, or is not usable. */
  readonly id: string
  readonly ready: boolean
  /** Why it is not ready, and how to change that. */
  readonly why?: string
  /** The provider answers, and has no list of its models. */
  readonly unlisted?: true
  /** Tokens, if known. */
  readonly window?: number
  /** Known facts from the catalog, its server or the configuration. */
  readonly facts?: ModelFacts
}

/** Facts of a model; `undefined` if they are not available now. */
type FactsFor = (id: string, connected: Connected, listed: ListedModel) => Promise<ModelFacts | undefined>

/** Models of all providers, in the order of the configuration. Providers are asked in parallel. */
export async function listModels(
  all: readonly Connected[],
  configured: Readonly<Record<string, ModelConfiguration>>,
  factsFor: FactsFor,
): Promise<readonly ModelListing[]> {
  const listing = async (id: string, connected: Connected, listed: ListedModel): Promise<ModelListing> => {
    const facts = await factsFor(id, connected, listed)
    const window = configured[id]?.window ?? (facts?.assumed?.includes('window') ? undefined : facts?.window)
    return { id, ready: true, ...defined({ window, facts }) }
  }
  return (await Promise.all(all.map((connected) => listProvider(connected, listing)))).flat()
}

/** Answers of a server that has no list of its models. */
const WITHOUT_LIST: ReadonlySet<number> = new Set([404, 405, 501])

async function listProvider(
  connected: Connected,
  listing: (id: string, connected: Connected, listed: ListedModel) => Promise<ModelListing>,
): Promise<readonly ModelListing[]> {
  const { provider, connection } = connected
  const { name: id, baseURL } = connection
  let key: string | undefined
  try {
    if (provider.onlyModel) return [await listing(id, connected, { name: '' })]
    key = await connection.key()
    const models = await listProviderModels(connected)
    return await Promise.all(models.map((listed) => listing(`${id}/${listed.name}`, connected, listed)))
  } catch (error) {
    if (error instanceof ResponseError && WITHOUT_LIST.has(error.statusCode)) {
      const why = `${id} answers at ${publicAddress(baseURL)}, without a list of models. Name a model yourself: ${id}/NAME.`
      return [{ id, ready: false, why, unlisted: true }]
    }
    const why =
      error instanceof ModelError
        ? error.message
        : `${id} does not answer at ${publicAddress(baseURL)}: ${redactSecrets(String(error), key ? [key] : [])}`
    return [{ id, ready: false, why }]
  }
}

/** The default model, with texts for a start screen. */
export interface Choice {
  readonly id: string
  readonly why: string
  /** No model is attached: a stand-in answers. */
  readonly standIn?: true
  readonly alternatives: readonly { readonly id: string; readonly why: string }[]
}

/** Timeout for suggestions, ms: a start must not wait for absent servers. */
const SUGGEST_MS = 300

/** The best suggestion of all providers, or the stand-in. Only `suggest` of providers sends requests. */
export async function chooseModel(all: readonly Connected[], ways: string): Promise<Choice> {
  const found = await Promise.all(
    all.map(async ({ provider, connection }) => {
      const suggest = async (): Promise<readonly Suggestion[]> => {
        if (provider.suggest) return provider.suggest(connection, SUGGEST_MS)
        const { defaultModel } = provider
        return defaultModel && (await connection.key())
          ? [{ ...defaultModel, why: `A key for ${connection.name} is set.` }]
          : []
      }
      const suggestions = await suggest().catch(() => [])
      return suggestions.map(({ name, why, rank }) => ({ id: `${connection.name}/${name}`, why, rank }))
    }),
  )
  const ranked = found.flat().toSorted((a, b) => a.rank - b.rank)
  const suggested = ranked.map(({ id, why }) => ({ id, why }))
  const standIns = all.flatMap(({ provider: { kind, standIn }, connection: { name } }) =>
    standIn === undefined || name !== kind ? [] : [{ id: name, why: `${standIn} ${ways}`, standIn: true as const }],
  )
  const [first, ...alternatives] = [...suggested, ...standIns]
  if (!first) throw new ModelError('model-not-found', 'No model is attached. Set `model`.', { provider: '', model: '' })
  return { ...first, alternatives: alternatives.map(({ id, why }) => ({ id, why })) }
}

/** A sentence that names the ways to attach a model. */
export function waysToAttach(known: readonly Provider[]): string {
  const keys = known
    .filter(({ builtIn, defaultModel }) => builtIn && defaultModel)
    .toSorted((a, b) => a.defaultModel!.rank - b.defaultModel!.rank)
    .flatMap(({ environmentKeys = [] }) => environmentKeys)
  const ways = [
    ...known.flatMap(({ attach }) => (attach === undefined ? [] : [attach])),
    ...(keys.length > 0 ? [`set ${keys.join(' or ')}`] : []),
    'or name a server in `providers` of config.json',
  ].join(', ')
  return `${ways.charAt(0).toUpperCase()}${ways.slice(1)}.`
}

/** Lists the models at `/models` of a server with OpenAI's format, with the facts that the list contains. */
export async function listModelsEndpoint(
  connection: ProviderConnection,
  milliseconds: number,
): Promise<readonly Required<ListedModel>[]> {
  const answer = (await connection.ask('/models', milliseconds)) as { data?: readonly Row[] }
  return (answer.data ?? []).flatMap((row) =>
    typeof row.id === 'string' ? [{ name: row.id, facts: rowFacts(row) }] : [],
  )
}

/** Facts of a model in a list; assumed facts if it has none. */
export function listedFacts(listed: readonly ListedModel[], model: string): ModelFacts {
  return listed.find(({ name }) => name === model)?.facts ?? assumedFacts(model)
}

interface Row {
  readonly id?: unknown
  readonly [field: string]: unknown
}

/** Names of the window in LM Studio, OpenRouter, vLLM, Groq and others; the most exact first. */
const WINDOW_FIELDS = [
  'loaded_context_length',
  'context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
]

const DAY = 86_400

/**
 * How engines cache that name themselves in their list: as long as they run, and the answer behind its prompt. llama.cpp can be
 * started so that it caches only where a request asks for it; vLLM knows no such parameter.
 */
const ENGINE_CACHES: Readonly<Record<string, CacheRules>> = {
  llamacpp: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: DAY, answers: true, slots: true, requested: true },
  vllm: { kind: 'automatic', minimumTokens: 16, step: 16, lifetimeSeconds: DAY, answers: true },
}

function rowFacts(row: Row): ModelFacts {
  const cache = ENGINE_CACHES[String(row['owned_by'])]
  const assumed = { ...assumedFacts(String(row.id)), ...defined({ cache }) }
  const windows = [...WINDOW_FIELDS.map((field) => row[field]), fieldsOf(row['meta'])['n_ctx']]
  const window = windows.find((value): value is number => typeof value === 'number' && value > 0)
  if (window === undefined) return assumed
  const longest = fieldsOf(row['top_provider'])['max_completion_tokens']
  const parameters = list(row['supported_parameters'])
  const modalities = list(fieldsOf(row['architecture'])['input_modalities'])
  const price = rowPrice(fieldsOf(row['pricing']))
  return mergeFacts(assumed, {
    window,
    ...(typeof longest === 'number' && longest > 0 ? { maxOutput: longest } : {}),
    ...(parameters ? { tools: parameters.includes('tools'), reasoning: parameters.includes('reasoning') } : {}),
    ...(modalities ? { vision: modalities.includes('image'), audio: modalities.includes('audio') } : {}),
    ...defined({ price }),
    source: 'provider',
  })
}

/** Prices as OpenRouter writes them: texts, US dollars per token. */
function rowPrice(pricing: Record<string, unknown>): Price | undefined {
  const perMillion = (field: string) => {
    const value = pricing[field]
    return typeof value === 'string' && value !== '' ? Number((Number(value) * 1e6).toPrecision(12)) : undefined
  }
  const [input, output] = [perMillion('prompt'), perMillion('completion')]
  const [cachedInput, cacheWrite] = [perMillion('input_cache_read'), perMillion('input_cache_write')]
  if (input === undefined || output === undefined || !(input >= 0) || !(output >= 0)) return undefined
  return { input, output, ...defined({ cachedInput, cacheWrite }) }
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}
