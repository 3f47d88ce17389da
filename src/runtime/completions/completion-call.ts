import type { PreparedCall } from '../../agent.ts'
import {
  type AnyMessage,
  type Assembly,
  type AssemblyInput,
  type Budget,
  ContextOverflowError,
  type Layer,
  layoutOf,
  markImages,
  outline,
  turnsOf,
  type VerbatimAssembly,
} from '../../context.ts'
import { answerLimits, leastPromptTokens, type Model } from '../../model.ts'
import { stretch } from '../../platform.ts'
import { assembleWithin, imageSupport, withinLearned } from '../calls/attempt-call.ts'
import { budgetFor, type Refusal } from '../calls/call-budget.ts'
import { recordInput } from '../calls/call-input.ts'
import type { Clock, CompletionCut, CompletionInput } from '../../capability.ts'
import { completionCut } from './completion-cut.ts'
import { tooLarge } from './completion-failure.ts'
import { type PromptAccount, promptAccount } from '../calls/prompt-account.ts'
import { seal } from '../ledger/seal.ts'
import { recordVerbatim, verbatimInSlices } from '../ledger/verbatim-call.ts'
import type { RecordedOptions } from '../ledger/wire-proof.ts'
import type { Workbench } from '../calls/workbench.ts'

export interface CompletionCallParts {
  readonly bench: Workbench
  readonly clock: Clock
  readonly model: Model
}

/** A call outside every session that is on record and ready to be made. */
export interface CompletionCall {
  readonly prepared: PreparedCall
  /** What it is held against when its provider reports what was read. */
  readonly account: PromptAccount
  /** What was taken out; absent where everything was sent. */
  readonly cut?: CompletionCut
}

/**
 * Accounts for one call and writes the account down. What nothing is added to and what fits is sent as its caller wrote
 * it. Rejects with `context-overflow` where it does not fit and may not be cut; the account of that is written, too.
 */
export async function completionCall(
  { bench, clock, model }: CompletionCallParts,
  input: CompletionInput,
  deeper?: Refusal,
): Promise<CompletionCall> {
  const { store, settings, calibration } = bench
  const toolChoice = input.toolChoice ?? 'auto'
  const { cut: cuts, prompt } = { cut: 'none', prompt: false, ...settings.completions, ...chosen(input) }
  const wanted = completionBudget(bench, model, input, deeper)
  const time = clock.time()
  const work = stretch()
  const exact =
    prompt || needsMarkers(input, model)
      ? undefined
      : await attemptVerbatim(bench, model, input, { budget: wanted, deeper })
  const isExact = exact !== undefined && (cuts === 'none' || !(exact.outcome instanceof ContextOverflowError))
  const attempt = isExact ? exact : await attemptAssembly(bench, model, input, { budget: wanted, prompt, time, deeper })
  const { outcome, budget } = attempt
  const call = clock.newId('call')
  const options = {
    toolChoice,
    maxOutputTokens: budget.reserve,
    window: budget.window,
    ...(input.parameters ? { parameters: input.parameters } : {}),
    ...(settings.reasoning === undefined ? {} : { reasoning: settings.reasoning }),
  }
  const record = { id: call, time, model: model.id, input: await attempt.record(options) }

  const cut = outcome instanceof ContextOverflowError ? undefined : completionCut(input.messages, outcome)
  if (outcome instanceof ContextOverflowError || (cut && cuts === 'none')) {
    const failure = tooLarge(call, outcome.manifest, cut)
    await store.putCall({ ...record, manifest: outcome.manifest, requestDigest: '' })
    await store.finishCall(call, { error: { code: failure.code, message: failure.message }, durationMs: 0 })
    throw failure
  }
  if (work.isOver()) await work.rest()
  const { manifest } = seal(outcome)
  await store.putCall({ ...record, manifest, requestDigest: manifest.requestDigest })
  if (work.isOver()) await work.rest()
  const { request } = outcome
  const account = promptAccount(bench, model, { call, manifest, request })
  const part = calibration.wasCalled(model.id) ? 'newest' : 'whole'
  calibration.noteCalled(model.id)
  const prepared = {
    call,
    request,
    toolChoice,
    window: budget.window,
    reserve: budget.reserve,
    limits: answerLimits(budget.reserve, settings.maxAnswerMs),
    leastPromptTokens: leastPromptTokens(request, part),
    account: outline(manifest),
  }
  return { prepared, account, ...(cut ? { cut } : {}) }
}

/** Where an image cannot reach the model, a marker goes in its place: then the request is not what its caller wrote. */
function needsMarkers({ messages }: CompletionInput, model: Model): boolean {
  const support = imageSupport(model)
  return messages.some((message) => markImages(message, support) !== undefined)
}

function chosen({ cut, prompt }: CompletionInput): Pick<CompletionInput, 'cut' | 'prompt'> {
  return { ...(cut === undefined ? {} : { cut }), ...(prompt === undefined ? {} : { prompt }) }
}

/** The room for the answer is what the caller asks for. */
function completionBudget(
  bench: Workbench,
  model: Model,
  { maxOutputTokens }: CompletionInput,
  deeper?: Refusal,
): Budget {
  const configured = budgetFor(bench, model, deeper)
  return { ...configured, reserve: maxOutputTokens ?? configured.reserve }
}

interface Attempt {
  readonly outcome: Assembly | VerbatimAssembly | ContextOverflowError
  /** What it was held to. */
  readonly budget: Budget
  record(options: RecordedOptions): Promise<unknown>
}

async function attemptVerbatim(
  bench: Workbench,
  model: Model,
  { messages, tools = [], holds }: CompletionInput,
  { budget, deeper }: Pick<AssemblyTask, 'budget' | 'deeper'>,
): Promise<Attempt> {
  const { store, settings } = bench
  const asked = { messages, tools, budget, counter: settings.counter, model: model.id }
  const { input, outcome } = await withinLearned(bench, model, asked, verbatimInSlices, deeper)
  return { outcome, budget: input.budget, record: (options) => recordVerbatim(store, input, options, holds) }
}

async function attemptAssembly(
  bench: Workbench,
  model: Model,
  { messages, tools = [], holds }: CompletionInput,
  { budget, prompt, time, deeper }: AssemblyTask,
): Promise<Attempt> {
  const { store, settings, layers } = bench
  const layout = layoutOf(settings.layout)
  const names = tools.map((tool) => tool.name)
  const own = prompt
    ? await layers({ time, layout: layout.name, tools: names, callsTools: false, model: model.id })
    : []
  const input: AssemblyInput = {
    layout,
    layers: [...own, ...callersLayers(messages)],
    ...turnsOf(messages),
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    images: imageSupport(model),
  }
  const { input: assembled, outcome } = await assembleWithin(bench, model, input, deeper)
  return {
    outcome,
    budget: assembled.budget,
    record: (options) =>
      recordInput(store, assembled, { layout: settings.layout, inSession: false, options, holds: () => holds }),
  }
}

interface AssemblyTask {
  readonly budget: Budget
  /** Whether the prompt and the date of the home are added. */
  readonly prompt: boolean
  /** ISO 8601. */
  readonly time: string
  readonly deeper: Refusal | undefined
}

/** The caller's own system texts stand behind ours. They are a user's words, and the manifest says so. */
function callersLayers(messages: readonly AnyMessage[]): readonly Layer[] {
  const texts = messages.flatMap((message) => (message.role === 'system' ? [message.content] : []))
  return texts.map((text, index) => ({
    id: `caller-${index + 1}`,
    layer: 'caller',
    placement: 'system',
    priority: 'required',
    renditions: [{ form: 'full', text }],
    origin: { kind: 'user', ref: 'system message of the request' },
  }))
}
