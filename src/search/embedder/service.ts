import type { Embedder } from '../engine.ts'
import type { EmbeddingPrefixes } from './known-prefixes.ts'

/** What embedders over HTTP have in common. */
export interface EmbeddingService {
  /** Where the service is: what stands before the path of its wire. */
  readonly baseURL: string
  /** By the service's own name. */
  readonly model: string
  /** How long its vectors shall be, for models that can choose. */
  readonly dimensions?: number
  /** What the model wants to read before a text, where it tells documents and questions apart: `search_query: `, say. */
  readonly prefixes?: EmbeddingPrefixes
  /** Texts of one call at most. 32 unless given. */
  readonly batch?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

export const DEFAULT_BATCH = 32

/** Whatever changes a vector is part of the id. Where the service is does not. */
export function idOf(kind: string, { model, dimensions, prefixes }: EmbeddingService): string {
  const chosen = { ...(dimensions !== undefined && { dimensions }), ...(prefixes && { prefixes }) }
  return `${kind}/${model}${Object.keys(chosen).length === 0 ? '' : ` ${JSON.stringify(chosen)}`}`
}

/** What an embedder is called where people read it: its id without what is set beside the model. */
export function nameOf(id: string): string {
  return id.split(' {', 1)[0]!
}

export function prefixed(
  { prefixes }: EmbeddingService,
  texts: readonly string[],
  kind: Parameters<Embedder['embed']>[1]['kind'],
): readonly string[] {
  const prefix = prefixes?.[kind] ?? ''
  return texts.map((text) => `${prefix}${text}`)
}

/** The address of a path below a base that may end with a slash. */
export function below(baseURL: string, path: string): string {
  return `${baseURL.replace(/\/+$/, '')}${path}`
}

/** What must not appear in an error: values of headers, and what an address says before `@` and behind `?`. */
export function secretsIn(baseURL: string, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+\s+/, '')])
  if (!URL.canParse(baseURL)) return values
  const { username, password, searchParams } = new URL(baseURL)
  return [...values, decoded(username), decoded(password), ...searchParams.values()].filter((value) => value !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
