import { type AssistantMessage, ContextOverflowError, messageText, toolCalls } from '../context.ts'
import { ModelError, type ModelEvent } from '../model.ts'
import { type Entry, type EntryBody, StoreError, type TurnOutcome, type Usage } from '../session.ts'
import { errorMessage } from '../platform.ts'
import { answerOnly, NoAnswerError } from './answer-only.ts'
import { answerOutcome } from './answer-outcome.ts'
import { distinctCalls } from './distinct-calls.ts'
import { Heard } from './heard.ts'
import { retryWait } from './retry-wait.ts'
import type { CallSetup, PreparedCall, Step } from './turn-setup.ts'
import type { TurnState } from './turn-state.ts'

/** What became of one step's question to the model. */
export type Reply =
  | {
      readonly type: 'answer'
      readonly message: AssistantMessage
      readonly entries: readonly Entry[]
      /** How the turn has ended with it; absent where it calls tools. */
      readonly outcome?: TurnOutcome
    }
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
 * tried again after a wait, which whoever watches is shown; a call of which anything was heard is never made twice.
 */
export async function askModel(setup: CallSetup, state: TurnState, { last }: { last: boolean }): Promise<Reply> {
  const messages = countedMessages(state)
  const prepared = await setup.prepare({ messages, last })
  const first = await callWithRetries(setup, state, prepared)
  if (first.type !== 'failed' || first.said || !isOverflow(first.error)) return first

  const deeper = await preparedDeeper(setup, { messages, last }, first.error)
  return callWithRetries(setup, state, deeper)
}

/** What cannot be cut any deeper fails in the provider's own words, too. */
async function preparedDeeper(setup: CallSetup, step: Step, refused: ModelError): Promise<PreparedCall> {
  const { limit, sent, detail: said } = refused.facts
  try {
    return await setup.prepare({ ...step, deeper: { limit, sent, said } })
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    throw new ContextOverflowError(error.manifest, refused.message)
  }
}

async function callWithRetries(setup: CallSetup, state: TurnState, prepared: PreparedCall): Promise<Reply> {
  let failedFirst: number | undefined
  for (let retries = 0; ; retries += 1) {
    const waitAfter = (error: unknown) => {
      failedFirst ??= setup.now()
      return retryWait({ error, retries, elapsedMs: setup.now() - failedFirst }, setup.retries)
    }
    const reply = await callOnce(setup, state, prepared, waitAfter)
    if (reply.type !== 'retry') return reply
    const { waitMs, error } = reply
    const { code, message } = factsOf(error)
    await setup.show({ type: 'retry', call: prepared.call, attempt: retries + 2, waitMs, code, message })
    await setup.sleep(waitMs, setup.signal)
    if (setup.signal.aborted) return cancelledInPause(setup, prepared.call)
  }
}

async function cancelledInPause(setup: CallSetup, call: string): Promise<Reply> {
  const error = { code: 'cancelled', message: 'The call was cancelled before it was tried again.' }
  await setup.finish(call, { error, durationMs: 0 }, [])
  return { type: 'cancelled', call, said: undefined }
}

async function callOnce(
  setup: CallSetup,
  state: TurnState,
  prepared: PreparedCall,
  waitAfter: (error: unknown) => number | undefined,
): Promise<Reply | { readonly type: 'retry'; readonly error: unknown; readonly waitMs: number }> {
  const { call } = prepared
  const heard = new Heard(setup.now())
  try {
    for await (const event of setup.model.call(prepared.request, callOptions(setup, prepared))) {
      heard.note(event, setup.now())
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
        await setup.show({ type: event.type, call, text: event.text })
      }
      if (event.type === 'finish') return await finished(setup, state, prepared, heard, event)
    }
    throw new ModelError('network', 'The stream ended before the answer did.', modelFacts(setup))
  } catch (error) {
    if (error instanceof StoreError) throw error
    const said = heard.partial()
    const cancelled = setup.signal.aborted || (error instanceof ModelError && error.code === 'cancelled')
    const waitMs = cancelled || heard.begun ? undefined : waitAfter(error)
    if (waitMs !== undefined) return { type: 'retry', error, waitMs }
    const { code, message } = factsOf(error)
    const told = { code: cancelled ? 'cancelled' : code, message }
    await setup.finish(call, heard.outcome(setup.now(), { ...usageTold(error), error: told }), [])
    return cancelled ? { type: 'cancelled', call, said } : { type: 'failed', call, said, error }
  }
}

/** Writes a whole answer down: what was said, or that nothing was said where only an answer could be used. */
async function finished(
  setup: CallSetup,
  state: TurnState,
  { call, toolChoice }: PreparedCall,
  heard: Heard,
  finish: Finish,
): Promise<Reply> {
  const { message: given, usage, reason } = finish
  const warning = setup.warningAbout(usage)
  const warned = warning ? { warning } : {}
  const { turn, model } = setup
  const usageBody: EntryBody = { type: 'usage', turn, call, model: model.id, usage, finish: reason, ...warned }
  const message = toolChoice === 'none' ? answerOnly(given) : distinctCalls(given)
  if (message) {
    const outcome = heard.outcome(setup.now(), { usage, finish: reason, ...warned })
    const ended = toolCalls(message).length > 0 ? undefined : answerOutcome(message, finish)
    const entries = await setup.finish(call, outcome, await settled(setup, call, { message, ended }, usageBody))
    return {
      type: 'answer',
      message,
      entries: [...state.entries, ...entries],
      ...(ended ? { outcome: ended } : {}),
    }
  }
  const error = new NoAnswerError()
  const told = { code: error.code, message: error.message }
  await setup.finish(call, heard.outcome(setup.now(), { usage, finish: reason, error: told }), [usageBody])
  return { type: 'failed', call, said: undefined, error }
}

/** A server that cut the prompt has said how much of it it read. */
function usageTold(error: unknown): { readonly usage?: Usage } {
  if (!(error instanceof ModelError) || error.code !== 'prompt-truncated') return {}
  const { limit: promptTokens } = error.facts
  const silent = {
    cachedTokens: undefined,
    cacheWrittenTokens: undefined,
    outputTokens: undefined,
    reasoningTokens: undefined,
  }
  return { usage: { promptTokens, ...silent } }
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

function callOptions(setup: CallSetup, prepared: PreparedCall) {
  return {
    signal: setup.signal,
    toolChoice: prepared.toolChoice,
    maxOutputTokens: prepared.reserve,
    limits: prepared.limits,
    window: prepared.window,
    leastPromptTokens: prepared.leastPromptTokens,
    account: prepared.account,
    ...(setup.parameters === undefined ? {} : { parameters: setup.parameters }),
    ...(setup.reasoning === undefined ? {} : { reasoning: setup.reasoning }),
  }
}

/** What an answer leaves in the log. Without tool calls it is the end of the turn, and says where it is not whole. */
async function settled(
  setup: CallSetup,
  call: string,
  { message, ended }: { readonly message: AssistantMessage; readonly ended: TurnOutcome | undefined },
  usage: EntryBody,
): Promise<readonly EntryBody[]> {
  const { turn } = setup
  const citations = await setup.sourcesOf(messageText(message))
  const cited = citations.length > 0 ? { citations } : {}
  const partial = ended && ended.type !== 'completed' ? ended.type : undefined
  const tokens = await setup.tokensOf(message, partial)
  const said: EntryBody = { type: 'message', turn, call, message, tokens, ...(partial ? { partial } : {}), ...cited }
  return ended ? [said, usage, { type: 'turn-end', turn, outcome: ended }] : [said, usage]
}

function factsOf(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof ModelError ? error.code : 'internal'
  return { code, message: errorMessage(error) }
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

function modelFacts({ model }: CallSetup) {
  const [provider = model.id] = model.id.split('/')
  return { provider, model: model.id }
}
