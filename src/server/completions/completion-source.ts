import type { Caller, CompletionCutChoice, CompletionEvent, CompletionInput, Runtime } from '../../capability.ts'
import type { ToolDefinition } from '../../context.ts'
import { type CallParameters } from '../../model.ts'
import { defined, readTraceparent } from '../../platform.ts'
import { beginSession, newSessionReply, newSessionWords } from '../../runtime.ts'
import type { Binding } from '../../session.ts'
import { HttpFailure } from '../failure.ts'
import { type InlineFile, submitWithFiles } from '../inline-file.ts'
import { type AnswerEvent, turnCompletion } from './turn-completion.ts'
import { SILENT } from '../../wire.ts'

/** A request that was read and checked, and the answer that it will get. */
export interface CompletionSource {
  /** Whether the request adds a message to a session. Otherwise its body is the whole conversation. */
  readonly inSession: boolean
  readonly session?: string
  readonly turn?: string
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
  readonly parameters: CallParameters
  /** What it came with: its key for repeats, and the span that it belongs to. */
  readonly request: Request
  readonly caller: Caller
}

/** Submits a message to its session: it is on disk when this resolves. The turn is the answer. */
export async function sessionSource(runtime: Runtime, message: SessionMessage): Promise<CompletionSource> {
  const { text: said, files, to, from, model, parameters, request, caller } = message
  const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
  const trace = readTraceparent(request.headers.get('traceparent'))
  const binding = typeof to === 'string' ? undefined : to
  const first = binding ? newSessionWords(said) : undefined
  if (binding && first === '' && files.length === 0) {
    const { id } = await runtime.newSession({ binding })
    return { inSession: true, session: id, events: newSessionEvents }
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
  return { inSession: true, session, turn, events: (signal) => turnCompletion(runtime, session, turn, signal) }
}

async function* newSessionEvents(): AsyncGenerator<CompletionEvent> {
  yield { type: 'text-delta', text: newSessionReply }
  yield { type: 'finish', reason: 'stop', usage: SILENT }
}

/** What a request outside sessions asks for, in whatever format. */
interface CallerRequest extends Pick<CompletionInput, 'messages' | 'answerRoom'> {
  readonly tools: readonly ToolDefinition[]
  readonly usesNoTool: boolean
  readonly model: string | undefined
  readonly maxOutputTokens: number | null | undefined
  readonly parameters: CallParameters
}

/** The call that a request outside sessions makes. */
export function callerInput(
  { messages, tools, usesNoTool, model, maxOutputTokens, parameters, answerRoom }: CallerRequest,
  { request, caller }: Pick<SessionMessage, 'request' | 'caller'>,
): CompletionInput {
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(usesNoTool ? { toolChoice: 'none' as const } : {}),
    ...defined({ model, token: caller.name }),
    ...(maxOutputTokens ? { maxOutputTokens, ...defined({ answerRoom }) } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...completionHeaders(request),
  }
}

/** A tool that the caller's program runs. */
export function callerTool(name: string, { description, parameters, strict }: CallerTool): ToolDefinition {
  return {
    name,
    ...(description ? { description } : {}),
    inputSchema: parameters ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

interface CallerTool {
  readonly description?: string | null | undefined
  readonly parameters?: Readonly<Record<string, unknown>> | null | undefined
  readonly strict?: boolean | null | undefined
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

/** What the headers of a request choose for a call outside sessions. Throws an `HttpFailure` for an unknown word. */
function completionHeaders(request: Request): {
  readonly cut?: CompletionCutChoice
  readonly prompt?: boolean
} {
  const cut = headerChoice(request, 'x-foreword-cut', ['none', 'auto'])
  const prompt = headerChoice(request, 'x-foreword-prompt', ['none', 'add'])
  return { ...defined({ cut }), ...(prompt === undefined ? {} : { prompt: prompt === 'add' }) }
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
