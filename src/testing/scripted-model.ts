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
} from '../model.ts'
import { orAborted } from '../platform.ts'
import { textPieces } from './scripted-provider-answer.ts'
import { UNREPORTED_USAGE, type Usage } from '../wire.ts'

/** One answer of a scripted model: reasoning, then text, then tool calls, then the end or a failure. */
export interface ScriptedReply {
  /** A string is sent word by word, a list piece by piece. */
  readonly text?: string | readonly string[]
  readonly reasoning?: string
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[]
  /** A missing field means that the provider did not report it. */
  readonly usage?: Partial<Usage>
  readonly finish?: FinishReason
  /** Fails with this code instead of the end. */
  readonly fail?: ModelErrorCode | { readonly code: ModelErrorCode; readonly facts?: Partial<ModelErrorFacts> }
  /** Awaited before each piece of text, counted from 0, and once more before the end. Cancelling ends the wait. */
  readonly before?: (piece: number) => Promise<unknown> | undefined
}

export interface ScriptedModelOptions {
  /** The default is `scripted`. */
  readonly id?: string
  readonly facts?: Partial<ModelFacts>
  /** The answer to the nth call, counted from 1. The default is `ok`. */
  readonly answer?: (request: ModelRequest, n: number, options: CallOptions) => ScriptedReply | Promise<ScriptedReply>
}

/** A model in memory that answers from a script and records its calls. */
export interface ScriptedModel extends Model {
  readonly calls: readonly ScriptedModelCall[]
}

export interface ScriptedModelCall {
  readonly request: ModelRequest
  readonly options: CallOptions
}

/** Creates a model that answers from a script and records its calls. */
export function scriptedModel(script: ScriptedModelOptions = {}): ScriptedModel {
  const { id = 'scripted', answer = () => ({ text: 'ok' }) } = script
  const calls: ScriptedModelCall[] = []
  return {
    id,
    facts: { ...FACTS, ...script.facts },
    calls,
    async *call(request, options) {
      calls.push({ request, options })
      const n = calls.length
      yield* replyEvents(id, await answer(request, n, options), n, options.signal)
    },
  }
}

/** Models by their ids. The first one is the default. Throws a `ModelError` for an unknown id. */
export function scriptedModels(...models: readonly [Model, ...Model[]]): Models {
  const notFound = (id: string) =>
    new ModelError('model-not-found', `there is no model ${id}`, { provider: 'scripted', model: id })
  return {
    async model(id) {
      const found = models.find((model) => model.id === id)
      if (found) return found
      throw notFound(id)
    },
    embeddings: async (id) => Promise.reject(notFound(id)),
    knownFacts: () => undefined,
    server: () => undefined,
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

async function* replyEvents(
  id: string,
  reply: ScriptedReply,
  n: number,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const names = { provider: 'scripted', model: id }
  const wait = async (piece: number) => {
    const waiting = reply.before?.(piece)
    const waited = waiting && orAborted(waiting, signal)
    await waited?.catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (signal.aborted) throw new ModelError('cancelled', 'the call was cancelled', names)
  }
  const { reasoning, toolCalls = [], usage } = reply
  const pieces = textPieces(reply.text)
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
    usage: { ...UNREPORTED_USAGE, ...usage },
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
