import { type AssistantMessage, messageText, toolCalls } from '../context.ts'
import { ModelError, type ModelEvent } from '../model.ts'
import { type Entry, type EntryBody, StoreError } from '../session.ts'
import { answerOnly, NoAnswerError } from './answer-only.ts'
import { distinctCalls } from './distinct-calls.ts'
import { Heard } from './heard.ts'
import { pause } from './pause.ts'
import type { PreparedCall, TurnSetup } from './turn-setup.ts'
import type { TurnState } from './turn-state.ts'

/** What became of one step's question to the model. */
export type Reply =
  | { readonly type: 'answer'; readonly message: AssistantMessage; readonly entries: readonly Entry[] }
  | { readonly type: 'cancelled'; readonly call: string; readonly said: AssistantMessage | undefined }
  | {
      readonly type: 'failed'
      readonly call: string
      readonly said: AssistantMessage | undefined
      readonly error: unknown
    }

/**
 * Makes one model call and writes down what it said, with its usage, in one piece; an answer ends the turn in the same
 * write. A request that turns out too large is cut deeper and sent once more. A passing fault before the first word is
 * tried again after a pause.
 */
export async function askModel(setup: TurnSetup, state: TurnState, { last }: { last: boolean }): Promise<Reply> {
  const messages = countedMessages(state)
  const prepared = await setup.prepare({ messages, last })
  const first = await callWithRetries(setup, state, prepared)
  if (first.type !== 'failed' || first.said || !isOverflow(first.error)) return first

  const { limit, sent } = first.error.facts
  const deeper = await setup.prepare({ messages, last, deeper: { limit, sent } })
  return callWithRetries(setup, state, deeper)
}

async function callWithRetries(setup: TurnSetup, state: TurnState, prepared: PreparedCall): Promise<Reply> {
  for (const delay of setup.retryDelaysMs) {
    const reply = await callOnce(setup, state, prepared, (error) => waitFor(error, delay) !== undefined)
    if (reply.type !== 'retry') return reply
    await pause(waitFor(reply.error, delay) ?? delay, setup.signal)
    if (setup.signal.aborted) return cancelledInPause(setup, prepared.call)
  }
  const reply = await callOnce(setup, state, prepared, () => false)
  if (reply.type !== 'retry') return reply
  throw reply.error
}

async function cancelledInPause(setup: TurnSetup, call: string): Promise<Reply> {
  const error = { code: 'cancelled', message: 'The call was cancelled before it was tried again.' }
  await setup.finish(call, { error, durationMs: 0 }, [])
  return { type: 'cancelled', call, said: undefined }
}

/** How long to wait before trying again; `undefined`: trying again is of no use. */
function waitFor(error: unknown, delay: number): number | undefined {
  if (!(error instanceof ModelError)) return undefined
  if (error.code === 'server' || error.code === 'network') return delay
  if (error.code !== 'rate-limit') return undefined
  const asked = error.facts.retryAfterMs ?? delay
  return asked <= LONGEST_WAIT_MS ? Math.max(asked, delay) : undefined
}

const LONGEST_WAIT_MS = 20_000

async function callOnce(
  setup: TurnSetup,
  state: TurnState,
  prepared: PreparedCall,
  again: (error: unknown) => boolean,
): Promise<Reply | { readonly type: 'retry'; readonly error: unknown }> {
  const { call } = prepared
  const heard = new Heard(setup.now())
  try {
    for await (const event of setup.model.call(prepared.request, callOptions(setup, prepared))) {
      heard.note(event, setup.now())
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        setup.show({ type: event.type, call, text: event.text })
      }
      if (event.type === 'finish') return await finished(setup, state, prepared, heard, event)
    }
    throw new ModelError('network', 'The stream ended before the answer did.', modelFacts(setup))
  } catch (error) {
    if (error instanceof StoreError) throw error
    const said = heard.partial()
    const cancelled = setup.signal.aborted || (error instanceof ModelError && error.code === 'cancelled')
    if (!cancelled && !said && again(error)) return { type: 'retry', error }
    const code = cancelled ? 'cancelled' : error instanceof ModelError ? error.code : 'internal'
    const message = error instanceof Error ? error.message : String(error)
    await setup.finish(call, heard.outcome(setup.now(), { error: { code, message } }), [])
    return cancelled ? { type: 'cancelled', call, said } : { type: 'failed', call, said, error }
  }
}

/** Writes a whole answer down: what was said, or that nothing was said where only an answer could be used. */
async function finished(
  setup: TurnSetup,
  state: TurnState,
  { call, toolChoice }: PreparedCall,
  heard: Heard,
  { message: given, usage, reason }: Finish,
): Promise<Reply> {
  const usageBody: EntryBody = { type: 'usage', turn: setup.turn, call, model: setup.model.id, usage, finish: reason }
  const message = toolChoice === 'none' ? answerOnly(given) : distinctCalls(given)
  if (message) {
    const outcome = heard.outcome(setup.now(), { usage, finish: reason })
    const entries = await setup.finish(call, outcome, settled(setup, call, message, usageBody))
    return { type: 'answer', message, entries: [...state.entries, ...entries] }
  }
  const error = new NoAnswerError()
  const told = { code: error.code, message: error.message }
  await setup.finish(call, heard.outcome(setup.now(), { usage, finish: reason, error: told }), [usageBody])
  return { type: 'failed', call, said: undefined, error }
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

function callOptions(setup: TurnSetup, prepared: PreparedCall) {
  return {
    signal: setup.signal,
    toolChoice: prepared.toolChoice,
    maxOutputTokens: prepared.reserve,
    window: prepared.window,
    leastPromptTokens: prepared.leastPromptTokens,
    account: prepared.account,
    ...(setup.reasoning === undefined ? {} : { reasoning: setup.reasoning }),
  }
}

/** What a whole answer leaves in the log. Without tool calls it is the end of the turn. */
function settled(setup: TurnSetup, call: string, message: AssistantMessage, usage: EntryBody): readonly EntryBody[] {
  const { turn } = setup
  const citations = setup.sourcesOf(messageText(message))
  const cited = citations.length > 0 ? { citations } : {}
  const said: EntryBody = { type: 'message', turn, call, message, tokens: setup.tokensOf(message), ...cited }
  if (toolCalls(message).length > 0) return [said, usage]
  return [said, usage, { type: 'turn-end', turn, outcome: { type: 'completed' } }]
}

function countedMessages({ entries }: TurnState) {
  return entries.flatMap((entry) => {
    if (entry.type !== 'input' && (entry.type !== 'message' || entry.partial)) return []
    return [{ message: entry.message, counted: entry.tokens }]
  })
}

function isOverflow(error: unknown): error is ModelError {
  return error instanceof ModelError && error.code === 'context-overflow'
}

function modelFacts({ model }: TurnSetup) {
  const [provider = model.id] = model.id.split('/')
  return { provider, model: model.id }
}
