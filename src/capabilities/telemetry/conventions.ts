import { errorCodes, sha256 } from '../../platform.ts'

/** Names in one version of OpenTelemetry's GenAI conventions. A fact that has none there has a name of Foreword. */
export interface Conventions {
  /** Names the version to readers of the spans. */
  readonly schemaUrl: string
  readonly provider: string
  readonly agentVersion: string
  readonly cacheRead: string
  readonly cacheCreation: string
  readonly reasoning: string
  readonly isStream: string
  /** Seconds. */
  readonly firstChunk: string
  /** Names of content: absent where the version has it in logs, which are not exported. */
  readonly content?: {
    readonly system: string
    readonly input: string
    readonly output: string
    readonly toolInput: string
    readonly toolResult: string
  }
  /** What the version calls a provider, by the name that it usually has in the configuration. Any other keeps its name. */
  readonly providers: Readonly<Record<string, string>>
}

/** The versions, oldest first. No version is stable yet: 1.36 is the one from which instrumentations change on request alone. */
export const conventionVersions = ['1.36', '1.41'] as const

type ConventionVersion = (typeof conventionVersions)[number]

/** Read on 2026-11-24 from the published packages of the semantic conventions, 1.36.0 and 1.41.1. */
export const conventions: Readonly<Record<ConventionVersion, Conventions>> = {
  '1.36': {
    schemaUrl: 'https://opentelemetry.io/schemas/1.36.0',
    provider: 'gen_ai.system',
    agentVersion: 'foreword.agent.version',
    cacheRead: 'foreword.usage.cache_read.input_tokens',
    cacheCreation: 'foreword.usage.cache_creation.input_tokens',
    reasoning: 'foreword.usage.reasoning.output_tokens',
    isStream: 'foreword.request.stream',
    firstChunk: 'foreword.response.time_to_first_chunk',
    providers: { gemini: 'gcp.gemini', google: 'gcp.gemini', mistral: 'mistral_ai' },
  },
  '1.41': {
    schemaUrl: 'https://opentelemetry.io/schemas/1.41.0',
    provider: 'gen_ai.provider.name',
    agentVersion: 'gen_ai.agent.version',
    cacheRead: 'gen_ai.usage.cache_read.input_tokens',
    cacheCreation: 'gen_ai.usage.cache_creation.input_tokens',
    reasoning: 'gen_ai.usage.reasoning.output_tokens',
    isStream: 'gen_ai.request.stream',
    firstChunk: 'gen_ai.response.time_to_first_chunk',
    content: {
      system: 'gen_ai.system_instructions',
      input: 'gen_ai.input.messages',
      output: 'gen_ai.output.messages',
      toolInput: 'gen_ai.tool.call.arguments',
      toolResult: 'gen_ai.tool.call.result',
    },
    providers: { gemini: 'gcp.gemini', google: 'gcp.gemini', mistral: 'mistral_ai', xai: 'x_ai' },
  },
}

export interface Span extends SpanContext {
  readonly parentSpanId?: string
  readonly name: string
  /** `client`: what another program does for this one. */
  readonly kind: 'internal' | 'client'
  /** ms since 1970. */
  readonly start: number
  readonly end: number
  /** What is `undefined` is not written. */
  readonly attributes: Attributes
  /** It failed. The message is content: absent unless that is exported. */
  readonly failure?: { readonly message?: string }
}

export type Attributes = Readonly<Record<string, AttributeValue | undefined>>
export type AttributeValue = string | number | boolean | readonly string[]

/**
 * Attributes that are not content. A name or an id that is not made of the characters of names may be words of anybody: it is
 * replaced by a digest, which is the same wherever it is exported.
 */
export function nameAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [key, typeof value === 'string' ? exportedName(value) : value]),
  )
}

export function exportedName(name: string): string {
  return NAME.test(name) ? name : exportedId(name)
}

const NAME = /^[\w.:/@+[\]-]{1,128}$/

/** An id that a provider or a model has made: it may look like a name and be words. */
export function exportedId(id: string): string {
  return `sha256:${sha256(id).slice(0, 16)}`
}

/** Why an answer ended. */
export function exportedFinish(finish: string): string {
  return FINISHES.has(finish.toLowerCase()) ? finish : 'other'
}

/** Words of Messages, of Chat Completions and Responses, of Gemini, and of the AI SDK. */
const FINISHES: ReadonlySet<string> = new Set(
  `end_turn max_tokens stop_sequence tool_use pause_turn refusal model_context_window_exceeded
  stop length tool_calls function_call content_filter completed incomplete max_output_tokens
  safety recitation language blocklist prohibited_content spii image_safety no_image
  malformed_function_call unexpected_tool_call too_many_tool_calls
  tool-calls content-filter error failed cancelled other unknown`.split(/\s+/),
)

/** What failed: a code of Foreword, or else the status of the answer. */
export function exportedError(code: string, status = 0): string {
  if (Object.hasOwn(errorCodes, code)) return code
  return status >= 400 ? String(status) : '_OTHER'
}

/** Lowercase hexadecimal: 32 digits of the trace and 16 of the span. */
export interface SpanContext {
  readonly traceId: string
  readonly spanId: string
}

/** The trace of a turn or of a call outside every turn. The same work has the same ids, whenever it is exported. */
export function traceIdOf(...work: readonly string[]): string {
  return sha256(`trace ${work.join(' ')}`).slice(0, 32)
}

export function spanIdOf(...work: readonly string[]): string {
  return sha256(`span ${work.join(' ')}`).slice(0, 16)
}
