import {
  type CallOptions,
  type FinishReason,
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelErrorFacts,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type Models,
  type ModelUsage,
} from '../model.ts'

/** One thing to say. Reasoning comes first, then text, then tool calls, then the end or the failure. */
export interface ScriptedReply {
  /** A string is said word by word, a list piece by piece. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[]
  /** What is not given was not said by the provider. */
  readonly usage?: Partial<ModelUsage>
  readonly finish?: FinishReason
  /** Instead of the end. */
  readonly fail?: ModelErrorCode | { readonly code: ModelErrorCode; readonly facts?: Partial<ModelErrorFacts> }
  /** Awaited before the nth piece of text, counted from 0, and once more before the end. Cancelling ends the wait. */
  readonly before?: (piece: number) => Promise<unknown> | undefined
}

export interface ScriptedModelOptions {
  /** `scripted` unless given. */
  readonly id?: string
  readonly facts?: Partial<ModelFacts>
  /** What to say to the nth call, counted from 1. Without it everything is answered with `ok`. */
  readonly answer?: (request: ModelRequest, n: number, options: CallOptions) => ScriptedReply | Promise<ScriptedReply>
}

/** A model in memory that says what a script says, and remembers what it was asked. */
export interface ModelOnScript extends Model {
  /** Calls so far, in order. */
  readonly asked: readonly AskedCall[]
}

export interface AskedCall {
  readonly request: ModelRequest
  readonly options: CallOptions
}

/** A model that says what a test tells it to, and remembers what it was asked. */
export function scriptedModel(script: ScriptedModelOptions = {}): ModelOnScript {
  const { id = 'scripted', answer = () => ({ text: 'ok' }) } = script
  const asked: AskedCall[] = []
  return {
    id,
    facts: { ...FACTS, ...script.facts },
    asked,
    async *call(request, options) {
      asked.push({ request, options })
      const n = asked.length
      yield* said(id, await answer(request, n, options), n, options.signal)
    },
  }
}

/** Models by their ids; the first is the one to use where nobody chose. */
export function scriptedModels(...models: readonly [Model, ...Model[]]): Models {
  return {
    async model(id) {
      const found = models.find((model) => model.id === id)
      if (found) return found
      throw new ModelError('model-not-found', `there is no model ${id}`, { provider: 'scripted', model: id })
    },
    list: async () => models.map(({ id }) => ({ id, ready: true })),
    choose: async () => ({ id: models[0].id, why: 'the first of the script', alternatives: [] }),
  }
}

const FACTS: ModelFacts = {
  window: 8192,
  maxOutput: 2048,
  tools: true,
  vision: false,
  reasoning: false,
  toolChoiceNone: true,
  source: 'catalog',
}

const SILENT: ModelUsage = {
  promptTokens: undefined,
  cachedTokens: undefined,
  cacheWrittenTokens: undefined,
  outputTokens: undefined,
  reasoningTokens: undefined,
}

async function* said(id: string, reply: ScriptedReply, n: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const names = { provider: 'scripted', model: id }
  const wait = async (piece: number) => {
    const waiting = reply.before?.(piece)
    if (waiting) await Promise.race([waiting, aborted(signal)])
    if (signal.aborted) throw new ModelError('cancelled', 'the call was cancelled', names)
  }
  const { text, reasoning, toolCalls = [], usage } = reply
  const pieces = typeof text === 'string' ? (text.match(/\S+\s*|\s+/g) ?? []) : (text ?? [])
  if (reasoning !== undefined) yield { type: 'reasoning-delta', text: reasoning }
  for (const [index, piece] of pieces.entries()) {
    await wait(index)
    yield { type: 'text-delta', text: piece }
  }
  await wait(pieces.length)
  if (reply.fail !== undefined) {
    const { code, facts } = typeof reply.fail === 'string' ? { code: reply.fail, facts: {} } : reply.fail
    throw new ModelError(code, `the script asked for the failure ${code}`, { ...names, ...facts })
  }
  const calls = toolCalls.map(({ id: toolCallId, name: toolName, input }, index) => ({
    type: 'tool-call' as const,
    toolCallId: toolCallId ?? `call_${n}_${index + 1}`,
    toolName,
    input,
  }))
  yield* calls
  yield {
    type: 'finish',
    reason: reply.finish ?? (calls.length > 0 ? 'tool-calls' : 'stop'),
    usage: { ...SILENT, ...usage },
    message: {
      role: 'assistant',
      content: [
        ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
        ...(pieces.length === 0 ? [] : [{ type: 'text' as const, text: pieces.join('') }]),
        ...calls,
      ],
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
