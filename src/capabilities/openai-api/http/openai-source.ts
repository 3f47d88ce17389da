import { defined } from '../../../platform.ts'
import { type CompletionEvent, type Runtime } from '../../../capability.ts'
import { beginSession, newSessionReply, newSessionWords } from '../../../runtime.ts'
import { type Binding, type Usage } from '../../../session.ts'
import { HttpFailure, submitWithFiles } from '../../../server.ts'
import { conversationOf, lastInput, toolsOf } from './openai-messages.ts'
import { parametersOf, refuseUnsupported } from './openai-parameters.ts'
import { type CompletionBody } from './openai-schema.ts'
import { type AnswerEvent, turnCompletion } from './turn-completion.ts'

/** Where an answer comes from, once it is asked for. */
export interface Source {
  /** Whether something is said in a session; else the body is the whole conversation. */
  readonly inSession: boolean
  readonly session?: string
  readonly turn?: string
  events(signal: AbortSignal): AsyncGenerator<AnswerEvent>
}

/**
 * What a request asks for: with `x-foreword-session` or `user` its last message is said in that session, at once and on
 * disk when this resolves; without, its messages are the history of one call. Throws `HttpFailure` where it cannot be.
 */
export async function sourceOf(runtime: Runtime, body: CompletionBody, request: Request): Promise<Source> {
  const asked = request.headers.get('x-foreword-session')
  const binding = asked === null && body.user ? bindingOf(body.user) : undefined
  refuseUnsupported(body)
  if (asked === null && !binding) return outsideSessions(runtime, body, request)
  checkOwnTools(body)
  const { text: said, files } = lastInput(body.messages)
  const first = binding ? newSessionWords(said) : undefined
  const key = request.headers.get('idempotency-key')
  if (binding && first === '' && files.length === 0) {
    const { id } = await runtime.newSession({ binding })
    return { inSession: true, session: id, events: newSessionEvents }
  }
  const text = first ?? said
  const named = binding
    ? await (first === undefined ? runtime.sessionFor(binding) : beginSession(runtime, binding, key ?? undefined))
    : asked
  const model = modelOf(body)
  const { toolChoice: _gatewaysOwn, parallelToolCalls: _too, ...parameters } = parametersOf(body)
  const { session, turn } = await submitWithFiles(runtime, files, (attachments) =>
    runtime.submit({
      text,
      ...(named === null || named === 'new' ? {} : { session: named }),
      ...defined({ model }),
      ...(key === null ? {} : { idempotencyKey: key }),
      ...(attachments.length === 0 ? {} : { attachments }),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    }),
  )
  return { inSession: true, session, turn, events: (signal) => turnCompletion(runtime, session, turn, signal) }
}

function checkOwnTools({ tools }: CompletionBody): void {
  if (!tools?.length) return
  throw new HttpFailure(
    400,
    'invalid-input',
    'In a session the gateway runs its own tools; "tools" of the caller cannot be added. ' +
      'Leave them out, or leave out "user" and x-foreword-session.',
  )
}

function outsideSessions(runtime: Runtime, body: CompletionBody, request: Request): Source {
  const messages = conversationOf(body.messages)
  if (messages.every(({ role }) => role === 'system')) {
    throw new HttpFailure(400, 'invalid-input', 'messages: there is nothing to answer.', { parameter: 'messages' })
  }
  const tools = toolsOf(body)
  const model = modelOf(body)
  const most = body.max_completion_tokens ?? body.max_tokens
  const parameters = parametersOf(body)
  const cut = chosenIn(request, 'x-foreword-cut', ['none', 'auto'])
  const prompt = chosenIn(request, 'x-foreword-prompt', ['none', 'add'])
  const input = {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(body.tool_choice === 'none' ? { toolChoice: 'none' as const } : {}),
    ...defined({ model }),
    ...(typeof most === 'number' ? { maxOutputTokens: most } : {}),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...defined({ cut }),
    ...(prompt === undefined ? {} : { prompt: prompt === 'add' }),
  }
  return { inSession: false, events: (signal) => runtime.complete({ ...input, signal }) }
}

/** What a header chooses. Throws for a word that it does not know: it would be a wish that nobody hears. */
function chosenIn<Word extends string>(request: Request, header: string, words: readonly Word[]): Word | undefined {
  const given = request.headers.get(header)
  if (given === null) return undefined
  const word = words.find((each) => each === given.trim().toLowerCase())
  if (word !== undefined) return word
  throw new HttpFailure(400, 'invalid-input', `The header ${header} must be ${words.join(' or ')}.`)
}

/** `foreword` and `default` are what the configuration says. */
function modelOf({ model }: CompletionBody): string | undefined {
  return model === undefined || model === '' || model === 'foreword' || model === 'default' ? undefined : model
}

/** Conversations that `user` names, in the bindings of sessions. */
const CHANNEL = 'openai'

function bindingOf(user: string): Binding {
  return { channel: CHANNEL, conversation: user }
}

const nothingReported: Usage = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

async function* newSessionEvents(): AsyncGenerator<CompletionEvent> {
  yield { type: 'text-delta', text: newSessionReply }
  yield { type: 'finish', reason: 'stop', usage: nothingReported }
}
