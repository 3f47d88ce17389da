import { type ElicitRequestFormParams, inputRequired, type InputRequiredResult } from '@modelcontextprotocol/server'
import type { McpCall, McpToolCall } from '../../capability.ts'

/** A question to the person behind a client, about something with a digest of its shown content. */
export interface PersonQuestion {
  readonly id: string
  readonly digest: string
  readonly form: ElicitRequestFormParams
  readonly progress: string
}

/** The call that asks. Its later rounds need the same tool and the same input. */
export type McpToolRequest = Pick<McpToolCall, 'tool' | 'input'>

/** The outcome of a question. `ask`: the client has to ask the person and repeat the call with the answer. */
type PersonAnswer =
  /** As the client sent it, unchecked; `undefined` without an answer. */
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'ask'; readonly result: InputRequiredResult }
  | { readonly type: 'cancelled' }

/** Milliseconds. */
const ANSWER_MS = 600_000
const QUESTION = 'decision'

/** Asks the person behind a client that can ask. */
export async function elicitAnswer(
  question: PersonQuestion,
  asking: McpToolRequest,
  call: McpCall,
): Promise<PersonAnswer> {
  const { id, digest, form, progress } = question
  if (call.person === 'round') {
    const requestState = await call.seal({ ...asking, input: await inputDigest(asking), id, digest })
    return {
      type: 'ask',
      result: inputRequired({ inputRequests: { [QUESTION]: inputRequired.elicit(form) }, requestState }),
    }
  }
  await call.progress(1, 2, progress)
  const answer = await elicit(call, form)
  return call.signal.aborted ? { type: 'cancelled' } : { type: 'answer', answer }
}

/** The answer in a later round; id and digest are sealed, the answer is the client's. `undefined`: the seal is of another call. */
export async function elicitedAnswer(
  asking: McpToolRequest,
  call: McpCall,
): Promise<{ readonly id: string; readonly digest: string; readonly answer: unknown } | undefined> {
  const sealed = call.sealed() as Partial<Record<'tool' | 'input' | 'id' | 'digest', unknown>> | null
  const { tool, input, id, digest } = sealed ?? {}
  if (tool !== asking.tool || input !== (await inputDigest(asking))) return undefined
  if (typeof id !== 'string' || typeof digest !== 'string') return undefined
  return { id, digest, answer: call.context.mcpReq.inputResponses?.[QUESTION] }
}

/** Loaded with the first question, so that a client that connects does not wait for it. */
async function inputDigest(asking: McpToolRequest): Promise<string> {
  const { callDigest } = await import('../../tool.ts')
  return callDigest(asking)
}

/** `undefined` where nobody answered, or the client cannot ask. */
async function elicit(call: McpCall, form: ElicitRequestFormParams): Promise<unknown> {
  try {
    return await call.context.mcpReq.send(
      { method: 'elicitation/create', params: { ...form } },
      { timeout: ANSWER_MS, signal: call.signal },
    )
  } catch {
    return undefined
  }
}
