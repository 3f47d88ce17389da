import type { Caller, CompletionEvent, CompletionInput, Runtime, ModelView } from '../../capability.ts'
import type { ToolDefinition, AnyMessage } from '../../context.ts'
import type { CallParameters } from '../../model.ts'
import { defined, readTraceparent } from '../../platform.ts'
import { beginSession, newSessionReply, newSessionWords } from '../../runtime.ts'
import type { Binding } from '../../session.ts'
import { HttpFailure } from '../failure.ts'
import { type InlineFile, submitWithFiles, inlineFile } from '../inline-file.ts'
import { type AnswerEvent, turnCompletion } from './turn-completion.ts'
import {
  UNREPORTED_USAGE,
  conversationOf,
  type ConversationRules,
  isAddress,
  lastMessageOf,
  UnreadablePart,
  type WireMedia,
  type WirePart,
} from '../../wire.ts'

/** A request that was read and checked, and the answer that it will get. */
export interface CompletionSource {
  /** Whether the request adds a message to a session. Otherwise its body is the whole conversation. */
  readonly inSession: boolean
  readonly session?: string
  readonly turn?: string
  /** Fields of the request that nobody reads, as `x-foreword-ignored` names them. */
  readonly ignored: readonly string[]
  events(signal: AbortSignal): AsyncGenerator<AnswerEvent>
}

export interface SessionMessage {
  readonly text: string
  readonly files: readonly InlineFile[]
  /** The id of a session, or `new`; or a conversation, in which `/new` begins another session. */
  readonly to: string | Binding
  /** The turn of that session that it follows. Absent: its last one. */
  readonly from?: string | undefined
  readonly model?: string | undefined
  /** Those that choose among tools are the gateway's own here. */
  readonly parameters: CallParameters
  readonly ignored: readonly string[]
  /** What it came with: its key for repeats, and the span that it belongs to. */
  readonly request: Request
  readonly caller: Caller
}

/** Submits a message to its session: it is on disk when this resolves. The turn is the answer. */
export async function sessionSource(runtime: Runtime, message: SessionMessage): Promise<CompletionSource> {
  const { text: said, files, to, from, model, ignored, request, caller } = message
  const { toolChoice: _gatewaysOwn, parallelToolCalls: _too, ...parameters } = message.parameters
  const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
  const trace = readTraceparent(request.headers.get('traceparent'))
  const binding = typeof to === 'string' ? undefined : to
  const first = binding ? newSessionWords(said) : undefined
  if (binding && first === '' && files.length === 0) {
    const { id } = await runtime.newSession({ binding })
    return { inSession: true, session: id, ignored, events: newSessionEvents }
  }
  const named =
    typeof to === 'string'
      ? to
      : await (first === undefined ? runtime.sessionFor(to) : beginSession(runtime, to, idempotencyKey))
  const { session, turn } = await submitWithFiles(runtime, files, (attachments) =>
    runtime.submit({
      text: first ?? said,
      ...(named === 'new' ? {} : { session: named }),
      ...defined({ from, model, token: caller.name, idempotencyKey, trace }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    }),
  )
  return { inSession: true, session, turn, ignored, events: (signal) => turnCompletion(runtime, session, turn, signal) }
}

async function* newSessionEvents(): AsyncGenerator<CompletionEvent> {
  yield { type: 'text-delta', text: newSessionReply }
  yield { type: 'finish', reason: 'stop', usage: UNREPORTED_USAGE }
}

/** What a request outside sessions asks for, in whatever format. */
interface CallerRequest extends Pick<CompletionInput, 'messages' | 'answerRoom'> {
  readonly tools: readonly ToolDefinition[]
  readonly usesNoTool: boolean
  readonly model: string | undefined
  readonly maxOutputTokens: number | null | undefined
  readonly parameters: CallParameters
}

export function callerInput(
  { messages, tools, usesNoTool, model, maxOutputTokens, parameters, answerRoom }: CallerRequest,
  { request, caller }: Pick<SessionMessage, 'request' | 'caller'>,
): CompletionInput {
  const cut = headerChoice(request, 'x-foreword-cut', ['none', 'auto'])
  const prompt = headerChoice(request, 'x-foreword-prompt', ['none', 'add'])
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(usesNoTool ? { toolChoice: 'none' as const } : {}),
    ...defined({ model, token: caller.name }),
    ...(maxOutputTokens ? { maxOutputTokens, ...defined({ answerRoom }) } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...defined({ cut, prompt: prompt && prompt === 'add' }),
  }
}

/** A tool that the caller's program runs. */
export function callerTool(
  name: string,
  {
    description,
    parameters,
    strict,
  }: {
    readonly [Field in 'description' | 'strict']?: ToolDefinition[Field] | null
  } & { readonly parameters?: ToolDefinition['inputSchema'] | null | undefined },
): ToolDefinition {
  return {
    name,
    ...(description ? { description } : {}),
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/** Throws where a request to a session brings tools. `names`: what names the session in the request. */
export function refuseToolsInSession(tools: readonly unknown[] | null | undefined, names: string): void {
  if (!tools?.length) return
  throw new HttpFailure(
    'invalid-input',
    `Invalid request: in a session the gateway runs its own tools, so \`tools\` is not allowed. Remove \`tools\`, or remove ${names}.`,
    { parameter: 'tools' },
  )
}

/** Fields that are refused: the value that asks for what happens anyway, and what to do instead. */
type UnsupportedFields = Readonly<
  Record<string, { readonly isUsual?: (value: unknown) => boolean; readonly instead?: string }>
>

/** Throws for an unsupported field unless it asks for the default: to ignore it would change what the caller means. */
export function refuseUnsupported(body: Readonly<Record<string, unknown>>, fields: UnsupportedFields): void {
  for (const [name, { isUsual, instead = 'Leave it out.' }] of Object.entries(fields)) {
    const value = body[name]
    if (value === undefined || value === null || isUsual?.(value)) continue
    const message = `Unsupported parameter: \`${name}\` is not supported here. ${instead}`
    throw new HttpFailure('unsupported-parameter', message, { parameter: name })
  }
}

/** The tool that the model has to call: this one of `offered`, or any without a name. Throws for one that is not offered. */
export function forcedTool(
  offered: readonly string[],
  name: string | undefined,
): NonNullable<CallParameters['toolChoice']> {
  if (name === undefined ? offered.length > 0 : offered.includes(name)) {
    return name === undefined ? 'required' : { toolName: name }
  }
  const which = name === undefined ? 'no tool' : `no tool named ${name}`
  const message = `Invalid request: \`tool_choice\` needs a tool, and \`tools\` has ${which}.`
  throw new HttpFailure('invalid-input', message, { parameter: 'tool_choice' })
}

export const completionHeaderWords = {
  'x-foreword-cut':
    'Without a session: if the messages do not fit, `auto` leaves out the oldest and `none` rejects the request. Default: the setting `context.completions.cut`.',
  'x-foreword-prompt':
    'Without a session: `add` begins the request with the layers of this gateway, such as its prompt and the date; `none` adds nothing. Default: the setting `context.completions.prompt`.',
  'Idempotency-Key': 'In a session: a repeated request with the same key starts no second turn.',
} as const

/** The choice in a header. Throws for an unknown word, so that no choice is silently ignored. */
function headerChoice<Word extends string>(request: Request, header: string, words: readonly Word[]): Word | undefined {
  const given = request.headers.get(header)
  if (given === null) return undefined
  const word = words.find((each) => each === given.trim().toLowerCase())
  if (word !== undefined) return word
  throw new HttpFailure('invalid-input', `Invalid request: the header ${header} must be ${words.join(' or ')}.`)
}

/** The model that a body asks for: `undefined` for `foreword` and `default`, which mean the configured one. */
export function requestedModel(model: string | undefined): string | undefined {
  return model === undefined || model === '' || model === 'foreword' || model === 'default' ? undefined : model
}

/** The conversation of a request outside sessions. Throws an `HttpFailure` that names the place of what cannot be passed on. */
export function callerMessages(
  parts: Iterable<WirePart>,
  field: string,
  rules: Omit<ConversationRules, 'file'>,
): readonly AnyMessage[] {
  const messages = readable(() =>
    conversationOf(parts, {
      ...rules,
      file(media, path) {
        const { name: filename, mediaType, bytes, size } = mediaFile(media, path)
        const data = mediaType.startsWith('text/')
          ? { type: 'text' as const, text: Buffer.from(bytes).toString('utf8') }
          : Buffer.from(bytes).toString('base64')
        const about = typeof data === 'string' && size ? { providerOptions: { foreword: { ...size } } } : {}
        return { type: 'file', mediaType, filename, data, ...about }
      },
    }),
  )
  if (messages.some(({ role }) => role !== 'system')) return messages
  throw new HttpFailure('invalid-input', `Invalid request: \`${field}\` has nothing to answer.`, { parameter: field })
}

/** What a session is told: the text and the files of the last message, which must be the user's. `facts`: of the refusal. */
export function lastInput(
  parts: readonly WirePart[],
  must = 'the last message must have the role user',
  facts: { readonly parameter?: string } = {},
): {
  readonly text: string
  readonly files: readonly InlineFile[]
} {
  if (parts.findLast(({ opens }) => opens)?.role !== 'user') {
    throw new HttpFailure('invalid-input', `Invalid request: in a session, ${must}.`, facts)
  }
  const { text, media } = readable(() => lastMessageOf(parts))
  const files = media.map((each) => mediaFile(each.media, each.path))
  if (text.trim() !== '' || files.length > 0) return { text, files }
  throw new HttpFailure('invalid-input', 'Invalid request: the last message is empty.', facts)
}

function readable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnreadablePart)) throw error
    throw new HttpFailure('invalid-input', error.message, { parameter: error.path })
  }
}

function mediaFile({ data, mediaType, filename, field, isImage }: WireMedia, place: string): InlineFile {
  const path = field === undefined ? place : `${place}.${field}`
  if (mediaType === 'application/octet-stream' && !isAddress(data)) {
    const why = `${path}: the type of the file is not known. Send it as a data: URL, such as data:text/plain;base64,….`
    throw new HttpFailure('invalid-input', why, { parameter: path })
  }
  const file = inlineFile(isAddress(data) ? data : `data:${mediaType};base64,${data}`, path, filename)
  if (!isImage) return file
  if (file.mediaType.startsWith('image/')) return { ...file, name: file.name.replace(/^file\./, 'image.') }
  throw new HttpFailure('invalid-input', `${path}: ${file.mediaType} is not an image.`, { parameter: path })
}

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

/** The most messages or items of one request in a format of others: each is looked at before a model is asked. */
export const MOST_MESSAGES = 10_000
