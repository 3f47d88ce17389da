import type { CompletionEvent, RouteCall, Runtime } from '../../../capability.ts'
import { type CallParameters, SILENT } from '../../../model.ts'
import { defined } from '../../../platform.ts'
import { beginSession, newSessionReply, newSessionWords } from '../../../runtime.ts'
import { type InlineFile, submitWithFiles } from '../../../server.ts'
import type { Binding } from '../../../session.ts'
import { type AnswerEvent, turnCompletion } from './turn-completion.ts'

/** A request that was read and checked, and the answer that it will get. */
export interface CompletionSource {
  /** Whether the request adds a message to a session. Otherwise its body is the whole conversation. */
  readonly inSession: boolean
  readonly session?: string
  readonly turn?: string
  events(signal: AbortSignal): AsyncGenerator<AnswerEvent>
}

/** The session that a request names: by its id (`new`: another one), after one of its turns, or by a conversation. */
export type SessionTarget = { readonly session: string; readonly from?: string } | { readonly binding: Binding }

/** The header `x-foreword-session`, or else the field `user`. `undefined`: the request belongs to no session. */
export function sessionTarget(request: Request, user: string | null | undefined): SessionTarget | undefined {
  const session = request.headers.get('x-foreword-session')
  if (session !== null) return { session }
  return user ? { binding: { channel: CHANNEL, conversation: user } } : undefined
}

/** The channel of conversations that `user` names, in the bindings of sessions. */
const CHANNEL = 'openai'

/** What a request adds to a session. */
interface SessionInput {
  readonly target: SessionTarget
  readonly text: string
  readonly files: readonly InlineFile[]
  readonly model?: string
  readonly parameters: CallParameters
}

/** Submits a message to a session: it is on disk when this resolves. Rejects where the session does not exist. */
export async function openInSession(
  runtime: Runtime,
  { target, text: said, files, model, parameters }: SessionInput,
  { request, caller }: Pick<RouteCall<unknown, unknown>, 'request' | 'caller'>,
): Promise<CompletionSource> {
  const binding = 'binding' in target ? target.binding : undefined
  const first = binding ? newSessionWords(said) : undefined
  const key = request.headers.get('idempotency-key')
  if (binding && first === '' && files.length === 0) {
    const { id } = await runtime.newSession({ binding })
    return { inSession: true, session: id, events: newSessionEvents }
  }
  const text = first ?? said
  const named =
    'session' in target
      ? target.session
      : await (first === undefined
          ? runtime.sessionFor(target.binding)
          : beginSession(runtime, target.binding, key ?? undefined))
  const from = 'session' in target ? target.from : undefined
  const { session, turn } = await submitWithFiles(runtime, files, (attachments) =>
    runtime.submit({
      text,
      ...(named === 'new' ? {} : { session: named }),
      ...defined({ from, model, token: caller.name }),
      ...(key === null ? {} : { idempotencyKey: key }),
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
