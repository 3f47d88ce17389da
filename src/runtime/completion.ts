import { Heard } from '../agent.ts'
import { type Assembly, type Budget, ContextOverflowError, type Layer, layoutOf, outline, turnsOf } from '../context.ts'
import { answerLimits, leastPromptTokens, type Model, ModelError } from '../model.ts'
import { stretch } from '../platform.ts'
import type { CallOutcome } from '../session.ts'
import { recordInput } from './call-input.ts'
import type { Clock } from './clock.ts'
import type { CompletionEvent, CompletionInput } from './contract.ts'
import { learnFrom, promptAccount, shortReportWarning } from './prompt-account.ts'
import { RuntimeError } from './runtime-error.ts'
import type { ModelChoice } from './model-choice.ts'
import { assembleWithin, imageSupport } from './attempt-call.ts'
import { budgetFor, type Refusal } from './call-budget.ts'
import type { Workbench } from './workbench.ts'
import { seal } from './seal.ts'

export interface CompletionParts {
  readonly bench: Workbench
  readonly models: ModelChoice
  readonly clock: Clock
}

/**
 * One call outside every session. The caller's messages are the history and its tools are offered as they are; calls to
 * them are handed back. The call stands in the ledger like any other. A request that the provider refuses as too large is
 * cut deeper and sent once more, under a call of its own.
 */
export async function* complete(parts: CompletionParts, input: CompletionInput): AsyncGenerator<CompletionEvent> {
  if (input.messages.length === 0) throw new RuntimeError('invalid-input', 'There are no messages. Send at least one.')
  const model = await parts.models.resolve(input.model)
  const first = await recordedCall(parts, input, model)
  try {
    yield* made(parts, input, model, first)
  } catch (error) {
    const cause = error instanceof RuntimeError ? error.cause : undefined
    if (!(cause instanceof ModelError) || cause.code !== 'context-overflow') throw error
    const { limit, sent } = cause.facts
    parts.bench.limits.refused(model, { limit, used: first.assembly.manifest.used, call: first.call })
    const deeper = await recordedCall(parts, input, model, { limit, sent, used: first.assembly.manifest.used })
    yield* made(parts, input, model, deeper)
  }
}

interface RecordedCall {
  readonly call: string
  readonly assembly: Assembly
  readonly budget: Budget
}

async function recordedCall(
  { bench, clock }: CompletionParts,
  { messages, system = [], tools = [], maxOutputTokens, toolChoice = 'auto', temperature }: CompletionInput,
  model: Model,
  deeper?: Refusal,
): Promise<RecordedCall> {
  const { store, settings } = bench
  const time = clock.time()
  const layout = layoutOf(settings.layout)
  const own = await bench.layers({
    time,
    layout: layout.name,
    tools: tools.map((tool) => tool.name),
    callsTools: false,
    model: model.id,
  })
  const configured = budgetFor(bench, model, deeper)
  const budget = { ...configured, reserve: Math.min(maxOutputTokens ?? configured.reserve, configured.window) }
  const input = {
    layout,
    layers: [...own, ...callersLayers(system)],
    ...turnsOf(messages),
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    images: imageSupport(model),
  }
  const call = clock.newId('call')
  const work = stretch()
  const { input: assembled, outcome: assembly } = await assembleWithin(bench, model, input, deeper)
  const options = {
    toolChoice,
    maxOutputTokens: budget.reserve,
    window: budget.window,
    ...(temperature === undefined ? {} : { temperature }),
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
  }
  const recorded = await recordInput(store, assembled, { layout: settings.layout, inSession: false, options })
  const record = { id: call, time, model: model.id, input: recorded }
  if (assembly instanceof ContextOverflowError) {
    await store.putCall({ ...record, manifest: assembly.manifest, requestDigest: '' })
    throw new RuntimeError('context-overflow', assembly.message, { call }, { cause: assembly })
  }
  if (work.isOver()) await work.rest()
  const { manifest } = seal(assembly)
  await store.putCall({ ...record, manifest, requestDigest: manifest.requestDigest })
  if (work.isOver()) await work.rest()
  return { call, assembly, budget }
}

/** Makes the call and completes its record, however it ends. */
async function* made(
  { bench, clock }: CompletionParts,
  input: CompletionInput,
  model: Model,
  { call, assembly, budget }: RecordedCall,
): AsyncGenerator<CompletionEvent> {
  const { store, settings, calibration } = bench
  const { manifest, request } = assembly
  const account = promptAccount(bench, model, { call, manifest, request })
  const part = calibration.wasCalled(model.id) ? 'newest' : 'whole'
  calibration.noteCalled(model.id)
  yield { type: 'call-start', call, model: model.id }

  const heard = new Heard(clock.monotonic())
  let finish: Finish | undefined
  let error: CallOutcome['error']
  try {
    const options = {
      signal: input.signal ?? new AbortController().signal,
      toolChoice: input.toolChoice ?? 'auto',
      maxOutputTokens: budget.reserve,
      limits: answerLimits(budget.reserve, settings.maxAnswerMs),
      window: budget.window,
      leastPromptTokens: leastPromptTokens(assembly.request, part),
      account: outline(assembly.manifest),
      ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
      ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
    }
    for await (const event of model.call(assembly.request, options)) {
      heard.note(event, clock.monotonic())
      if (event.type === 'wire') continue
      if (event.type !== 'finish') {
        yield event
        continue
      }
      const warning = shortReportWarning(bench, model, account, event.usage)
      finish = { usage: event.usage, finish: event.reason, ...(warning ? { warning } : {}) }
      learnFrom(bench, model, account, finish)
      yield { type: 'finish', reason: event.reason, usage: event.usage }
    }
  } catch (thrown) {
    const code = thrown instanceof ModelError ? thrown.code : 'server'
    error = { code, message: thrown instanceof Error ? thrown.message : String(thrown) }
    throw new RuntimeError(code, error.message, { call }, { cause: thrown })
  } finally {
    const unfinished = finish === undefined && !error
    const ended = unfinished ? { code: 'cancelled', message: 'The caller went away.' } : error
    await store.finishCall(call, heard.outcome(clock.monotonic(), { ...finish, ...(ended ? { error: ended } : {}) }))
  }
}

type Finish = Pick<CallOutcome, 'usage' | 'finish' | 'warning'>

/** The caller's own system texts stand behind ours. They are a user's words, and the manifest says so. */
function callersLayers(texts: readonly string[]): readonly Layer[] {
  return texts.map((text, index) => ({
    id: `caller-${index + 1}`,
    layer: 'caller',
    placement: 'system',
    priority: 'required',
    renditions: [{ form: 'full', text }],
    origin: { kind: 'user', ref: 'system message of the request' },
  }))
}
