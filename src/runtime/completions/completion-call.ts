import type { ModelCall } from '../../agent.ts'
import { type CompletionCut, type CompletionCutChoice, type CompletionInput, RuntimeError } from '../../capability.ts'
import {
  type AnyMessage,
  type Assembly,
  type AssemblyInput,
  type Budget,
  ContextOverflowError,
  type Layer,
  layoutOf,
  type Manifest,
  markImages,
  toolResults,
  turnsOf,
  type VerbatimAssembly,
} from '../../context.ts'
import { type Model, modelImageSupport } from '../../model.ts'
import { defined, timeSlice } from '../../platform.ts'
import type { AssemblyContext } from '../turn/assembly-context.ts'
import { layersFor } from '../turn/assemble-call.ts'
import { assembleInSlices, verbatimInSlices } from '../models/counters.ts'
import type { CallAccount } from '../turn/call-account.ts'
import { accountWithinLearned, budgetFor, leastAnswer, type SizeRefusal } from '../models/call-budget.ts'
import type { InsteadOf } from '../models/fallback.ts'
import { type RecordedOptions, recordInput, recordVerbatim } from '../calls/call-input.ts'

interface CompletionCallParts {
  readonly context: AssemblyContext
  readonly model: Model
  readonly account: CallAccount
  readonly time: string
  readonly instead?: InsteadOf | undefined
}

/** A call outside every session that is on record and ready to be made. */
interface CompletionCall {
  readonly prepared: ModelCall
  /** What was taken out; absent where everything was sent. */
  readonly cut?: CompletionCut
}

/** Accounts for one call. What fits unchanged is sent as written. Rejects with `context-overflow`, whose account is written, too. */
export async function completionCall(
  { context, model, account, time, instead }: CompletionCallParts,
  input: CompletionInput,
  deeper?: SizeRefusal,
): Promise<CompletionCall> {
  const work = timeSlice(context.store.clock)
  const { attempt, cuts } = await attemptCompletion(context, model, input, { time, deeper })
  const { outcome, budget } = attempt
  const cut = completionCut(input.messages, outcome)
  const fits = !(outcome instanceof ContextOverflowError) && (cuts === 'auto' || !cut)
  const { prepared } = await account.write({
    outcome,
    budget,
    toolChoice: input.toolChoice ?? 'auto',
    parameters: input.parameters,
    about: { time, ...defined({ token: input.token }) },
    work,
    input: attempt.record,
    failure: (call) => (fits ? undefined : overflowByOurCount(call, outcome.manifest, cut)),
    ...(instead && {
      async complete({ manifest }) {
        const { fallbackRecord } = await import('../calls/fallback-record.ts')
        const fallback = await fallbackRecord(context.store, { instead, model: model.id, manifest })
        return { ...manifest, fallback }
      },
    }),
  })
  return { prepared, ...defined({ cut }) }
}

/** The tokens of the prompt of a call that is not made, by the counter of the account. */
export async function completionTokens(
  { context, model, time }: Omit<CompletionCallParts, 'account' | 'instead'>,
  input: CompletionInput,
): Promise<number> {
  const { attempt, cuts } = await attemptCompletion(context, model, input, { time, deeper: undefined })
  const { manifest } = attempt.outcome
  return manifest.used + (cuts === 'auto' ? 0 : (completionCut(input.messages, attempt.outcome)?.tokensLeftOut ?? 0))
}

/** What nothing is added to and what fits is accounted for as its caller wrote it; anything else is assembled. */
async function attemptCompletion(
  context: AssemblyContext,
  model: Model,
  input: CompletionInput,
  { time, deeper }: Pick<AssemblyTask, 'time' | 'deeper'>,
): Promise<{ readonly attempt: Attempt; readonly cuts: CompletionCutChoice }> {
  const { cut: cuts, prompt } = {
    cut: 'none' as const,
    prompt: false,
    ...context.settings.completions,
    ...defined({ cut: input.cut, prompt: input.prompt }),
  }
  const configured = budgetFor(context, model, deeper, leastAnswer)
  const wanted = { ...configured, reserve: wantedRoom(model, input, configured) }
  const withRoom = (attemptWith: (budget: Budget) => Promise<Attempt>) =>
    attemptWithRoom(attemptWith, input, { wanted, least: configured.reserve })
  const exact =
    prompt || needsMarkers(input, model)
      ? undefined
      : await withRoom((budget) => attemptVerbatim(context, model, input, { budget, deeper }))
  const isExact = exact !== undefined && (cuts === 'none' || !(exact.outcome instanceof ContextOverflowError))
  const attempt = isExact
    ? exact
    : await withRoom((budget) => attemptAssembly(context, model, input, { budget, prompt, time, deeper }))
  return { attempt, cuts }
}

/** Attempts with all the room for the answer that is wanted; where the prompt leaves less and that is enough, with less. */
async function attemptWithRoom(
  attemptWith: (budget: Budget) => Promise<Attempt>,
  { messages, answerRoom }: CompletionInput,
  { wanted, least }: { readonly wanted: Budget; readonly least: number },
): Promise<Attempt> {
  const first = await attemptWith(wanted)
  if (answerRoom !== 'left' || wanted.reserve <= least) return first
  const cut = completionCut(messages, first.outcome)
  if (!(first.outcome instanceof ContextOverflowError) && !cut) return first
  const needed = first.outcome.manifest.used + (cut?.tokensLeftOut ?? 0)
  const left = wanted.window - (wanted.margin ?? 0) - needed
  return attemptWith({ ...wanted, reserve: Math.max(least, Math.min(wanted.reserve, left)) })
}

/** What an assembly took out of a caller's conversation for want of room; `undefined` where it sends all of it. */
function completionCut(messages: readonly AnyMessage[], outcome: Attempt['outcome']): CompletionCut | undefined {
  if (outcome instanceof ContextOverflowError) return undefined
  const { request, manifest } = outcome
  const taken = manifest.entries.filter(
    ({ slot, outcome: became, reason }) =>
      (slot === 'history' || slot === 'input') && became !== 'included' && reason && FOR_ROOM.has(reason.code),
  )
  if (taken.length === 0) return undefined
  const sent = new Set<unknown>(request.messages)
  const answered = new Set(request.messages.flatMap(resultIds))
  const isAnswered = (message: AnyMessage) => resultIds(message).some((id) => answered.has(id))
  const changed = messages.filter((message) => message.role !== 'system' && !sent.has(message))
  return {
    messages: messages.length,
    messagesLeftOut: changed.filter((message) => !isAnswered(message)).length,
    resultsShortened: changed.filter(isAnswered).length,
    tokensLeftOut: taken.reduce((sum, { fullTokens, tokens }) => sum + fullTokens - tokens, 0),
  }
}

const FOR_ROOM: ReadonlySet<string> = new Set(['low-water', 'budget', 'shortage'])

function resultIds(message: AnyMessage): readonly string[] {
  return toolResults(message).map(({ toolCallId }) => toolCallId)
}

/** Where an image cannot reach the model, a marker goes in its place: then the request is not what its caller wrote. */
function needsMarkers({ messages }: CompletionInput, model: Model): boolean {
  const support = modelImageSupport(model)
  return messages.some((message) => markImages(message, support) !== undefined)
}

/** The room for the answer is what the caller asks for; where that is a most, no more than the model can write. */
function wantedRoom(
  { facts }: Model,
  { maxOutputTokens: asked, answerRoom }: CompletionInput,
  { reserve, window }: Budget,
): number {
  if (asked === undefined || answerRoom !== 'left') return asked ?? reserve
  const longest = facts.assumed?.includes('maxOutput') ? asked : facts.maxOutput
  return Math.max(1, Math.min(asked, longest, window - 1))
}

interface Attempt {
  readonly outcome: Assembly | VerbatimAssembly | ContextOverflowError
  readonly budget: Budget
  record(options: RecordedOptions): Promise<unknown>
}

async function attemptVerbatim(
  context: AssemblyContext,
  model: Model,
  { messages, tools = [], holds }: CompletionInput,
  { budget, deeper }: Pick<AssemblyTask, 'budget' | 'deeper'>,
): Promise<Attempt> {
  const { store, settings } = context
  const asked = { messages, tools, budget, counter: settings.counter, model: model.id }
  const { input, outcome } = await accountWithinLearned(
    context,
    model,
    asked,
    (each) => verbatimInSlices(store.clock, each),
    deeper,
  )
  return { outcome, budget: input.budget, record: (options) => recordVerbatim(store, input, options, holds) }
}

async function attemptAssembly(
  context: AssemblyContext,
  model: Model,
  { messages, tools = [], holds }: CompletionInput,
  { budget, prompt, time, deeper }: AssemblyTask,
): Promise<Attempt> {
  const { store, settings } = context
  const layout = layoutOf(settings.layout)
  const names = tools.map((tool) => tool.name)
  const own = prompt
    ? await layersFor(context, {
        time,
        layout,
        tools: names,
        callsTools: false,
        model: model.id,
        readsForeign: false,
        cites: false,
      })
    : []
  const input: AssemblyInput = {
    layout,
    layers: [...own, ...callersLayers(messages)],
    ...turnsOf(messages),
    tools,
    budget,
    counter: settings.counter,
    model: model.id,
    images: modelImageSupport(model),
  }
  const { input: assembled, outcome } = await accountWithinLearned(
    context,
    model,
    input,
    (each) => assembleInSlices(context.store.clock, each),
    deeper,
  )
  return {
    outcome,
    budget: assembled.budget,
    record: (options) =>
      recordInput(store, assembled, { layout: settings.layout, inSession: false, options, holds: () => holds }),
  }
}

interface AssemblyTask {
  readonly budget: Budget
  readonly prompt: boolean
  readonly time: string
  readonly deeper: SizeRefusal | undefined
}

/** The caller's own system texts follow ours. The manifest marks them as a user's words. */
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

/** What was asked for is larger than its room, by our count. `sent` includes the margin for the counter's error. */
function overflowByOurCount(call: string, { used, budget }: Manifest, cut: CompletionCut | undefined): RuntimeError {
  const sent = used + (cut?.tokensLeftOut ?? 0) + budget.margin
  return overflowError({ call, limit: budget.window, sent, reserve: budget.reserve })
}

/** The provider refused it as too large, by its own count where it reported one. */
export function overflowByProvider(
  call: string,
  { limit, sent, used, said }: SizeRefusal & { readonly said: string | undefined },
): RuntimeError {
  const facts = { ...defined({ limit }), ...(said ? { said } : {}) }
  return overflowError({ call, ...facts, sent: Math.max(sent ?? used, (limit ?? 0) + 1) })
}

function overflowError(facts: {
  readonly call: string
  readonly limit?: number
  readonly sent: number
  readonly reserve?: number
  readonly said?: string
}): RuntimeError {
  const { limit, sent, reserve, said } = facts
  const capacity = limit === undefined ? 'The model accepts less' : `The model's window holds ${limit} tokens`
  const answer = reserve === undefined ? '' : `, and ${reserve} are kept for the answer`
  return new RuntimeError(
    'context-overflow',
    `${capacity}: the messages and tools need ${sent}${answer}. Send fewer messages, or allow them to be cut.${
      said === undefined ? '' : ` It said: ${said}`
    }`,
    { ...facts },
  )
}
