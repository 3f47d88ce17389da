import { costOfCalls, type Runtime } from '../../../capability.ts'
import { messageText } from '../../../context.ts'
import { fieldsOf } from '../../../platform.ts'
import {
  type AnswerEvent,
  answerNaming,
  type CompletionNames,
  CONFIGURED_MODEL,
  turnCompletion,
} from '../../../server.ts'
import { collect, emptyAnswer, forewordField } from '../http/openai-answer.ts'
import { responseBuilder } from './response-builder.ts'
import type { ResponseEvent } from './response-event.ts'
import { type ResponseTurn, turnKey } from './response-conversation.ts'
import { streamedError } from './response-failure.ts'
import { emptyResponse, type ResponseNames, type ResponseObject } from './response-object.ts'
import type { ResponseItem } from './response-schema.ts'

/**
 * A turn of a session as a response, read from its log. `waits`: the turn is ending, and the response is that of its
 * end.
 */
export async function turnResponse(
  runtime: Runtime,
  { session, turn }: ResponseTurn,
  { signal, waits = false }: { readonly signal: AbortSignal; readonly waits?: boolean },
): Promise<ResponseObject> {
  const row = await runtime.store.turn(session, turn)
  const created = Math.floor(Date.parse(row?.inputTime ?? '') / 1000)
  const named = (names: CompletionNames): ResponseNames => ({
    ...names,
    key: turnKey({ session, turn }),
    created,
  })
  if (!waits && (row?.state === 'queued' || row?.state === 'running')) {
    const status = row.state === 'queued' ? 'queued' : 'in_progress'
    return { ...emptyResponse(named({ call: turn, model: CONFIGURED_MODEL, session, turn }), {}), store: true, status }
  }
  const naming = answerNaming({ session, turn }, CONFIGURED_MODEL)
  const answer = emptyAnswer()
  const events: AnswerEvent[] = []
  let failure: unknown
  try {
    for await (const event of turnCompletion(runtime, session, turn, signal)) {
      naming.note(event)
      collect(answer, event)
      events.push(event)
    }
  } catch (error) {
    failure = error
  }
  const names = named(naming.names())
  const builder = responseBuilder(names, {}, [])
  for (const event of events) builder.add(event)
  if (failure !== undefined) return failedResponse(builder.fail(streamedError(failure)), failure)
  builder.close()
  const cost = await costOfCalls(runtime, answer.calls)
  return builder.end({ store: true, foreword: forewordField(names, answer.calls, answer.citations, cost) }).response
}

export async function turnInput({ store }: Pick<Runtime, 'store'>, at: ResponseTurn): Promise<readonly ResponseItem[]> {
  const entries = await store.entries(at.session, { turn: at.turn })
  const key = turnKey(at)
  return entries.flatMap((entry): readonly ResponseItem[] => {
    if (entry.type !== 'input') return []
    const text = messageText(entry.message)
    const content = [{ type: 'input_text', text }]
    return [{ id: `in_${key}`, type: 'message', role: 'user', status: 'completed', content }]
  })
}

function failedResponse(event: ResponseEvent, failure: unknown): ResponseObject {
  const response = event['response'] as ResponseObject
  const isCancelled = fieldsOf(failure)['code'] === 'cancelled'
  return { ...response, store: true, ...(isCancelled ? { status: 'cancelled', error: null } : {}) }
}
