import { defined } from '../platform.ts'
import { assumedFacts, mergeFacts } from './catalog.ts'
import type { ProviderConnection } from './provider.ts'
import type { ModelFacts, Price } from './model.ts'
import type { ListedModel } from './provider.ts'

/** Everything at `/models`, where a server speaks OpenAI's format. How long a prompt may be stands under another name at every server, or nowhere. */
export async function openaiModelList(
  connection: ProviderConnection,
  milliseconds: number,
): Promise<readonly Required<ListedModel>[]> {
  const answer = (await connection.ask('/models', milliseconds)) as { data?: readonly Row[] }
  return (answer.data ?? []).flatMap((row) =>
    typeof row.id === 'string' ? [{ name: row.id, facts: factsOf(row) }] : [],
  )
}

/** What a list says of a model; assumed facts where it says nothing. */
export function listedFacts(listed: readonly ListedModel[], model: string): ModelFacts {
  return listed.find(({ name }) => name === model)?.facts ?? assumedFacts(model)
}

interface Row {
  readonly id?: unknown
  readonly [field: string]: unknown
}

/** LM Studio (loaded), OpenRouter and others, vLLM, Groq; the most exact first. */
const WINDOW_FIELDS = [
  'loaded_context_length',
  'context_length',
  'max_model_len',
  'context_window',
  'max_context_length',
]

function factsOf(row: Row): ModelFacts {
  const assumed = assumedFacts(String(row.id))
  const told = [...WINDOW_FIELDS.map((field) => row[field]), record(row['meta'])['n_ctx']]
  const window = told.find((value): value is number => typeof value === 'number' && value > 0)
  if (window === undefined) return assumed
  const longest = record(row['top_provider'])['max_completion_tokens']
  const parameters = list(row['supported_parameters'])
  const modalities = list(record(row['architecture'])['input_modalities'])
  const price = priceOf(record(row['pricing']))
  return mergeFacts(assumed, {
    window,
    ...(typeof longest === 'number' && longest > 0 ? { maxOutput: longest } : {}),
    ...(parameters ? { tools: parameters.includes('tools'), reasoning: parameters.includes('reasoning') } : {}),
    ...(modalities ? { vision: modalities.includes('image') } : {}),
    ...(price ? { price } : {}),
    source: 'provider',
  })
}

/** OpenRouter's prices: texts, US dollars for one token. */
function priceOf(pricing: Record<string, unknown>): Price | undefined {
  const perMillion = (field: string) => {
    const value = pricing[field]
    return typeof value === 'string' && value !== '' ? Number((Number(value) * 1e6).toPrecision(12)) : undefined
  }
  const [input, output, cachedInput] = [perMillion('prompt'), perMillion('completion'), perMillion('input_cache_read')]
  if (input === undefined || output === undefined || !(input >= 0) || !(output >= 0)) return undefined
  return { input, output, ...defined({ cachedInput }) }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}
