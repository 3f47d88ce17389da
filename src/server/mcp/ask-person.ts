import { type ElicitRequestFormParams, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server'
import type { McpCall } from '../../capability.ts'
import { callDigest } from '../../tool.ts'

/** A question to the person behind a client, about something that has a digest of what is shown of it. */
export interface PersonQuestion {
  /** Of what is asked about. */
  readonly id: string
  readonly digest: string
  readonly form: ElicitRequestFormParams
  /** What the client is told meanwhile. */
  readonly progress: string
}

/** A call as its later rounds have to be made: by the same tool with the same input. */
export interface AskingCall {
  readonly tool: string
  readonly input: unknown
}

/** What came of asking. `ask`: the client has to ask, and make the same call again with the answer. */
type PersonAnswer =
  /** As the client sent it; `undefined` where nobody answered. It comes from outside. */
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'ask'; readonly result: InputRequiredResult }
  | { readonly type: 'cancelled' }

/** How long a person may take, ms. */
const ANSWER_MS = 600_000
const QUESTION = 'decision'

/** Asks the person behind a client that can ask. */
export async function askPerson(question: PersonQuestion, asking: AskingCall, call: McpCall): Promise<PersonAnswer> {
  const { id, digest, form, progress } = question
  if (call.person === 'round') {
    const requestState = await call.seal({ ...asking, input: callDigest(asking), id, digest })
    return {
      type: 'ask',
      result: inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicit(form) }, requestState }),
    }
  }
  await call.progress(1, 2, progress)
  const answer = await replyOf(call, form)
  return call.signal.aborted ? { type: 'cancelled' } : { type: 'answer', answer }
}

/**
 * What a later round of such a call answers. The id and the digest were sealed here, so they are the ones of what was shown;
 * the answer alone comes from outside, and is `undefined` where none came. `undefined` where the seal belongs to another call.
 */
export function answeredQuestion(
  asking: AskingCall,
  call: McpCall,
): { readonly id: string; readonly digest: string; readonly answer: unknown } | undefined {
  const sealed = call.sealed() as Partial<Record<'tool' | 'input' | 'id' | 'digest', unknown>> | null
  const { tool, input, id, digest } = sealed ?? {}
  if (tool !== asking.tool || input !== callDigest(asking)) return undefined
  if (typeof id !== 'string' || typeof digest !== 'string') return undefined
  return { id, digest, answer: call.context.mcpReq.inputResponses?.[QUESTION] }
}

/** `undefined` where nobody answered, or the client cannot ask after all. */
async function replyOf(call: McpCall, form: ElicitRequestFormParams): Promise<unknown> {
  try {
    return await call.context.mcpReq.send(
      { method: 'elicitation/create', params: { ...form } },
      { timeout: ANSWER_MS, signal: call.signal },
    )
  } catch {
    return undefined
  }
}
