import { type RetryNotice, type RetryRule, retryWait } from '../../agent.ts'
import type { RunningCapabilities, TurnPart, TurnPreset, TurnQuestion } from '../../capability.ts'
import { available, type Layer, layoutOf, type TokenCounter, toolTokens } from '../../context.ts'
import { type Model, ModelError } from '../../model.ts'
import { type Clock, defined } from '../../platform.ts'
import type { InputOptions } from '../../session.ts'
import { isListed, sentDefinition, type Tool } from '../../tool.ts'
import type { AssemblyContext, PreparedParts } from './assembly-context.ts'
import { layersFor } from './assemble-call.ts'
import { budgetFor } from '../models/call-budget.ts'
import { OWN_PROMPT } from './frozen-head.ts'
import type { ChosenModel } from '../models/fallback.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import type { SessionState } from '../sessions/session-state.ts'
import { allowedTools, offeredTools, type ToolPolicy } from '../tools/tool-policy.ts'

export interface PreparedTurn extends ChosenModel {
  readonly context: AssemblyContext
  readonly tools: readonly Tool[]
  /** Prepares the turn for the next fallback, or says why there is none. Absent: the model that was wanted has no fallback. */
  afterFailure?(failure: {
    readonly error: unknown
    readonly call?: string | undefined
  }): Promise<PreparedTurn | Error | undefined>
}

interface PrepareParts {
  readonly capabilities: RunningCapabilities
  readonly models: ModelChoice
  readonly context: AssemblyContext
  readonly tools: () => readonly Tool[]
  readonly policy: ToolPolicy
}

export type SaidInTurn = Pick<TurnQuestion, 'turn' | 'text' | 'attachments' | 'keeps' | 'signal'>

type Answered = Partial<Pick<SessionState, 'session' | 'model' | 'choices'>>

/**
 * Decides once what answers a turn: the model of the request, of the session, of its choices, or the configured one; `fallback` where
 * that has failed.
 */
export async function prepareTurn(
  parts: PrepareParts,
  { session, model: ofSession, choices: own = {} }: Answered,
  asked: InputOptions,
  said: SaidInTurn,
  fallback?: ChosenModel,
): Promise<PreparedTurn> {
  const { capabilities, models } = parts
  const { choices, preset } = await capabilities.chosen(own)
  const chosen = fallback ?? (await models.choose(asked.model ?? ofSession ?? preset.model, said.keeps))
  const { model } = chosen
  const answering: Omit<PreparedTurn, 'context' | 'tools'> = {
    ...chosen,
    ...(chosen.fallbacks && {
      afterFailure: (failure) =>
        models.afterFailure(chosen, failure, (next) =>
          prepareTurn(parts, { session, model: ofSession, choices: own }, asked, said, next),
        ),
    }),
  }
  const configured = parts.context
  const { layout: choice = configured.settings.layout } = preset
  const context = { ...configured, settings: { ...configured.settings, layout: choice } }
  const layout = layoutOf(choice)
  const { window, reserve } = budgetFor(context, model)
  const system = asked.system?.trim() ? asked.system : undefined
  const given = await capabilities.turn({
    ...said,
    ...defined({ session, system, only: preset.only }),
    choices,
    layout,
    model: model.id,
    facts: model.facts,
    window,
    reserve,
  })
  const decided = {
    choices,
    tools: preset.tools,
    ...defined({ only: preset.only }),
    system: system === undefined ? preset.system : { text: system.trim(), ref: OWN_PROMPT },
  }
  let prepared = await prepareTools(parts, context, { ...decided, parts: given }, preset)
  if (!layout.reservesForMessage) return { ...answering, ...prepared }
  for (const [name, part] of given) {
    if (!part.within) continue
    const { turn } = prepared.context
    const narrower = await part.within(await roomBeside({ ...prepared.context, turn }, part, model))
    prepared = await prepareTools(
      parts,
      context,
      {
        ...decided,
        parts: new Map([...turn.parts].map(([each, before]) => [each, each === name ? narrower : before])),
      },
      preset,
    )
  }
  return { ...answering, ...prepared }
}

async function prepareTools(
  parts: PrepareParts,
  context: AssemblyContext,
  turn: PreparedParts,
  { tools: named }: TurnPreset,
): Promise<{ readonly tools: readonly Tool[]; readonly context: AssemblyContext & { readonly turn: PreparedParts } }> {
  // Readers of the history are last, after the tools of the turn.
  const given = [...turn.parts.values()]
  const without = new Set(given.flatMap((part) => part.without ?? []))
  const usual = parts.tools().filter(({ name }) => !without.has(name))
  const tools = [...given.flatMap((part) => part.tools ?? []), ...usual]
  const offered = await offeredTools(tools)
  return {
    tools,
    context: {
      ...context,
      turn,
      async allowedTools() {
        const allowed = await allowedTools(parts.policy, offered)
        return named ? allowed.filter(({ name, readsContext }) => readsContext || isListed(named, name)) : allowed
      },
    },
  }
}

/** Share of the window for an ordinary message and what was said before it. */
const MESSAGE_SHARE = 0.25

/**
 * Tokens that a part of a turn may use beside tools, system, the layers of all others, the margin and an ordinary message, so that what takes
 * its size from the room never makes a short message overflow (BEHAVIOURS §3.5). Layers that can shrink count in their
 * smallest form.
 */
async function roomBeside(
  context: AssemblyContext & { readonly turn: PreparedParts },
  part: TurnPart,
  model: Model,
): Promise<number> {
  const { settings, turn } = context
  const budget = budgetFor(context, model)
  const tools = model.facts.tools ? (await context.allowedTools()).map((tool) => sentDefinition(tool).definition) : []
  const others = new Map([...turn.parts].filter(([, each]) => each !== part))
  const layers = await layersFor(
    { ...context, turn: { ...turn, parts: others } },
    {
      time: ANY_TIME,
      layout: layoutOf(settings.layout),
      tools: tools.map((tool) => tool.name),
      callsTools: model.facts.tools,
      model: model.id,
      session: ANY,
      turn: ANY,
      readsForeign: true,
      cites: true,
    },
  )
  let beside = Math.floor(budget.window * MESSAGE_SHARE)
  for (const tool of tools) beside += toolTokens(settings.counter, tool)
  for (const layer of layers) beside += leastTokens(layer, settings.counter)
  return Math.max(0, available(budget) - beside)
}

/** Whether something fits must not depend on the day: the names of the days differ in length. Nor on the session. */
const ANY_TIME = '2000-01-01T00:00:00.000Z'
const ANY = 'any'

function leastTokens({ renditions, withheld }: Layer, counter: TokenCounter): number {
  if (withheld) return 0
  const filled = renditions.filter(({ text }) => text.trim() !== '')
  const costs = filled.map(({ text, tokens }) => tokens ?? counter.text(text) + counter.perMessage)
  return costs.length === 0 ? 0 : Math.min(...costs)
}

interface Waiting {
  readonly rule: RetryRule
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly show: (notice: RetryNotice) => void
}

/** Prepares a turn, and waits for a provider as the turn's calls would. Rejects with the last failure, or the signal's reason. */
export async function prepareWithRetries<Prepared>(
  prepare: () => Promise<Prepared>,
  { rule, clock, signal, show }: Waiting,
): Promise<Prepared> {
  const began = clock.monotonic()
  for (let retries = 0; ; retries += 1) {
    try {
      return await prepare()
    } catch (error) {
      signal.throwIfAborted()
      const waitMs = retryWait({ error, retries, elapsedMs: clock.monotonic() - began }, rule)
      if (waitMs === undefined || !(error instanceof ModelError)) throw error
      show({ type: 'retry', attempt: retries + 2, waitMs, code: error.code, message: error.message })
      await clock.sleep(waitMs, signal)
      signal.throwIfAborted()
    }
  }
}
