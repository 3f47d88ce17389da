import type { RunningCapabilities, TurnPart, TurnParts, TurnPreset, TurnQuestion } from '../../capability.ts'
import { layoutOf } from '../../context.ts'
import type { Model } from '../../model.ts'
import { defined } from '../../platform.ts'
import type { InputOptions } from '../../session.ts'
import { isListed, type Tool } from '../../tool.ts'
import type { AssemblyContext, PreparedParts } from '../calls/assembly-context.ts'
import { budgetFor } from '../calls/call-budget.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import type { SessionState } from '../sessions/session-state.ts'
import { offeredTools } from '../tools/offered-tools.ts'
import { roomBeside } from './room-beside.ts'

/** What a turn is run with. */
export interface PreparedTurn {
  readonly context: AssemblyContext
  readonly model: Model
  /** Everything there is to call, allowed or not. */
  readonly tools: readonly Tool[]
}

export interface PrepareParts {
  readonly capabilities: RunningCapabilities
  readonly models: ModelChoice
  readonly context: () => AssemblyContext
  readonly tools: () => readonly Tool[]
  readonly allowed: (tools: readonly Tool[]) => Promise<readonly Tool[]>
}

/** What is said in the turn. */
export type SaidInTurn = Pick<TurnQuestion, 'turn' | 'text' | 'keeps' | 'signal'>

type Answered = Partial<Pick<SessionState, 'session' | 'model' | 'choices'>>

/**
 * Decides what a session's turn is answered with, once, before its first step: the request's own model goes before the
 * session's, that before the one of what the session has chosen, that before the configured one.
 */
export async function prepareTurn(
  parts: PrepareParts,
  { session, model: ofSession, choices: own = {} }: Answered,
  asked: InputOptions,
  said: SaidInTurn,
): Promise<PreparedTurn> {
  const { capabilities } = parts
  const { choices, preset } = await capabilities.chosen(own)
  const model = await parts.models.resolve(asked.model ?? ofSession ?? preset.model)
  const configured = parts.context()
  const { layout: choice = configured.settings.layout } = preset
  const context = { ...configured, settings: { ...configured.settings, layout: choice } }
  const layout = layoutOf(choice)
  const { window, reserve } = budgetFor(context, model)
  const system = asked.system?.trim() ? asked.system : undefined
  const given = await capabilities.turn({
    ...said,
    ...defined({ session, system }),
    choices,
    layout,
    model: model.id,
    facts: model.facts,
    window,
    reserve,
  })
  const decided = {
    choices,
    system: system === undefined ? preset.system : { text: system.trim(), ref: 'system prompt of this turn' },
  }
  let prepared = await preparedWith(parts, context, { ...decided, parts: given }, preset)
  if (!layout.reservesForMessage) return { model, ...prepared }
  for (const [name, part] of given) {
    if (!part.within) continue
    const { turn } = prepared.context
    const narrower = await part.within(await roomBeside({ ...prepared.context, turn }, part, model))
    prepared = await preparedWith(parts, context, { ...decided, parts: replaced(turn.parts, name, narrower) }, preset)
  }
  return { model, ...prepared }
}

function replaced(parts: TurnParts, name: string, part: TurnPart): TurnParts {
  return new Map([...parts].map(([each, before]) => [each, each === name ? part : before]))
}

async function preparedWith(
  parts: PrepareParts,
  context: AssemblyContext,
  turn: PreparedParts,
  { tools: named }: TurnPreset,
): Promise<{ readonly tools: readonly Tool[]; readonly context: AssemblyContext & { readonly turn: PreparedParts } }> {
  // Readers of the history stand last, behind the tools of the turn.
  const tools = [...[...turn.parts.values()].flatMap((part) => part.tools ?? []), ...parts.tools()]
  const offered = await offeredTools(tools)
  return {
    tools,
    context: {
      ...context,
      turn,
      async allowedTools() {
        const allowed = await parts.allowed(offered)
        return named ? allowed.filter(({ name, readsContext }) => readsContext || isListed(named, name)) : allowed
      },
    },
  }
}
