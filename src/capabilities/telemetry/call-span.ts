import type { CallPrice } from '../../capability.ts'
import type { CutRecord, Manifest } from '../../context.ts'
import type { CallParameters } from '../../model.ts'
import { sha256 } from '../../platform.ts'
import type { CallRecord } from '../../session.ts'
import type { Conventions } from './conventions.ts'
import { type Attributes, type Span, type SpanContext, spanIdOf } from './span.ts'

export interface ExportedCall {
  readonly record: CallRecord
  readonly price?: CallPrice
  /** When its answer was on disk, ms since 1970. Absent: as long after its beginning as it took. */
  readonly endedAt?: number
  /** What it said and was sent; absent unless content is exported. */
  readonly content?: Attributes
  /** Of its failure; absent unless content is exported. */
  readonly failure?: string
}

/** What the runtime adds to the account of a call. */
type RecordedManifest = Manifest & {
  readonly reuse?: { readonly tokens: number; readonly firstChange?: { readonly slot: string; readonly cause: string } }
  readonly cutRecord?: CutRecord
}

/** The span `chat MODEL` of a call to a model. Without `content` it has no word of anybody. */
export function callSpan(
  call: ExportedCall,
  parent: Omit<SpanContext, 'spanId'> & Partial<SpanContext>,
  names: Conventions,
): Span {
  const { record, endedAt, content, failure } = call
  const { id, outcome, time } = record
  const durationMs = outcome?.durationMs ?? 0
  const end = endedAt ?? Date.parse(time) + durationMs
  const { provider, model } = modelNames(record.model, names)
  return {
    traceId: parent.traceId,
    spanId: spanIdOf(id),
    ...(parent.spanId !== undefined && { parentSpanId: parent.spanId }),
    name: `chat ${model}`,
    kind: 'client',
    start: end - durationMs,
    end,
    attributes: {
      'gen_ai.operation.name': 'chat',
      [names.provider]: provider,
      'gen_ai.request.model': model,
      // Whether another program asked for a stream is not on record.
      [names.isStream]: record.kind === 'foreign' ? undefined : true,
      'gen_ai.conversation.id': record.session,
      ...requestAttributes(record),
      ...answerAttributes(record, names),
      ...addressAttributes(outcome?.wire?.url),
      ...ownAttributes(call),
      ...content,
    },
    ...(outcome?.error && { failure: failure === undefined ? {} : { message: failure } }),
  }
}

/** The provider as the conventions call it, and the model by the name that the provider knows. */
export function modelNames(
  id: string,
  { providers }: Conventions,
): { readonly provider: string; readonly model: string } {
  const at = id.indexOf('/')
  const name = at < 0 ? id : id.slice(0, at)
  return { provider: Object.hasOwn(providers, name) ? providers[name]! : name, model: id.slice(at + 1) }
}

function requestAttributes({ input }: CallRecord): Attributes {
  const { options } = input as { readonly options?: { maxOutputTokens?: number; parameters?: CallParameters } }
  const { temperature, topP, seed, presencePenalty, frequencyPenalty } = options?.parameters ?? {}
  return {
    'gen_ai.request.max_tokens': options?.maxOutputTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'gen_ai.request.seed': seed,
    'gen_ai.request.presence_penalty': presencePenalty,
    'gen_ai.request.frequency_penalty': frequencyPenalty,
  }
}

/** What the provider did not report has no attribute: none is a guess. */
function answerAttributes({ outcome }: CallRecord, names: Conventions): Attributes {
  const { usage, finish, error, firstTokenMs } = outcome ?? {}
  return {
    'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    [names.cacheRead]: usage?.cachedTokens,
    [names.cacheCreation]: usage?.cacheWrittenTokens,
    [names.reasoning]: usage?.reasoningTokens,
    [names.firstChunk]: firstTokenMs === undefined ? undefined : firstTokenMs / 1_000,
    'error.type': error?.code,
  }
}

function addressAttributes(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url)) return {}
  const { hostname, port, protocol } = new URL(url)
  return { 'server.address': hostname, 'server.port': Number(port || (protocol === 'https:' ? 443 : 80)) }
}

/** What another program sends is as large as it is, unless its conversation was cut into a room. */
function hasRoom({ kind, manifest: { budget, used } }: CallRecord): boolean {
  return kind !== 'foreign' || budget.available > used
}

/** Digests, sums and codes: no name of a file, a skill or a layer. */
function ownAttributes({ record, price }: ExportedCall): Attributes {
  const { id, turn, kind, requestDigest, outcome } = record
  const manifest: RecordedManifest = record.manifest
  const { reuse, cutRecord, entries, budget } = manifest
  const count = (wanted: string) => entries.filter(({ outcome: became }) => became === wanted).length
  return {
    'foreword.call.id': id,
    'foreword.call.kind': kind,
    'foreword.turn.id': turn,
    'foreword.layout': manifest.layout,
    'foreword.manifest.digest': sha256(JSON.stringify(manifest)),
    // An account of a call that was never made has no request.
    'foreword.request.digest': requestDigest || undefined,
    'foreword.body.digest': outcome?.wire?.sha256,
    'foreword.tokens.used': manifest.used,
    'foreword.tokens.available': hasRoom(record) ? budget.available : undefined,
    ...Object.fromEntries(Object.entries(manifest.slots).map(([slot, tokens]) => [`foreword.tokens.${slot}`, tokens])),
    'foreword.entries.included': count('included'),
    'foreword.entries.reduced': count('reduced'),
    'foreword.entries.omitted': count('omitted'),
    'foreword.reuse.tokens': reuse?.tokens,
    'foreword.reuse.first_change.slot': reuse?.firstChange?.slot,
    'foreword.reuse.first_change.cause': reuse?.firstChange?.cause,
    'foreword.cost.usd': price?.money,
    'foreword.cost.saved_usd': price?.saved,
    'foreword.cut': cutRecord?.why,
    'foreword.cut.turns': cutRecord?.turns,
    'foreword.cut.hidden_tokens': cutRecord?.hidden,
    'foreword.cut.saved_tokens': cutRecord?.saved,
    'foreword.warning': outcome?.warning?.code,
  }
}
