import { asksForNewSession, type CompletionEvent, newSessionReply, type Runtime } from '../runtime.ts'
import { type Binding, type Usage } from '../session.ts'
import { HttpFailure } from './failure.ts'
import { conversationOf, lastInput, toolsOf } from './openai-messages.ts'
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
  if (asked === null && !binding) return outsideSessions(runtime, body)
  checkOwnTools(body)
  const text = lastInput(body.messages)
  if (binding && asksForNewSession(text)) {
    const { id } = await runtime.newSession({ binding })
    return { inSession: true, session: id, events: newSessionEvents }
  }
  const named = binding ? await runtime.sessionFor(binding) : asked
  const model = modelOf(body)
  const key = request.headers.get('idempotency-key')
  const { session, turn } = await runtime.submit({
    text,
    ...(named === null || named === 'new' ? {} : { session: named }),
    ...(model === undefined ? {} : { model }),
    ...(key === null ? {} : { idempotencyKey: key }),
  })
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

function outsideSessions(runtime: Runtime, body: CompletionBody): Source {
  const { system, messages } = conversationOf(body.messages)
  if (messages.length === 0) throw new HttpFailure(400, 'invalid-input', 'messages: there is nothing to answer.')
  const tools = toolsOf(body)
  const model = modelOf(body)
  const most = body.max_completion_tokens ?? body.max_tokens
  return {
    inSession: false,
    events: (signal) =>
      runtime.complete({
        messages,
        signal,
        ...(system.length === 0 ? {} : { system }),
        ...(tools.length === 0 ? {} : { tools }),
        ...(body.tool_choice === 'none' ? { toolChoice: 'none' as const } : {}),
        ...(model === undefined ? {} : { model }),
        ...(typeof most === 'number' ? { maxOutputTokens: most } : {}),
        ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
      }),
  }
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
