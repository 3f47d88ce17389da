import type { Model } from '../../model.ts'
import type { CustomAgent } from '../../capabilities/agents/custom-agent.ts'
import type { InputOptions } from '../../session.ts'
import { isListed, type Tool } from '../../tool.ts'
import { budgetFor } from '../calls/call-budget.ts'
import type { AgentValue } from '../../capabilities/agents/custom-agents.ts'
import type { Memory, MemoryQuestion } from '../../capabilities/memory/core/memory.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import { offeredTools } from '../tools/offered-tools.ts'
import type { Records } from '../../capability.ts'
import type { SessionDesk } from '../sessions/session-desk.ts'
import { roomForProject } from '../../capabilities/projects/project-room.ts'
import { found, type SettingParts, type SettingQuestion, type TurnSetting, turnSetting } from './turn-setting.ts'
import type { Workbench } from '../calls/workbench.ts'

/** What a turn is run with. */
export interface PreparedTurn {
  readonly bench: Workbench
  readonly model: Model
  /** Everything there is to call, allowed or not. */
  readonly tools: readonly Tool[]
}

export interface PrepareParts extends SettingParts {
  readonly agents: Records<AgentValue>
  readonly models: ModelChoice
  readonly memory: Pick<Memory, 'read'>
  readonly bench: () => Workbench
  readonly tools: () => readonly Tool[]
  readonly allowed: (tools: readonly Tool[]) => Promise<readonly Tool[]>
}

/** What is said in the turn. */
export type SaidInTurn = Pick<MemoryQuestion, 'turn' | 'text' | 'keeps' | 'signal'>

type Chosen = Partial<Pick<SessionDesk, 'session' | 'model' | 'choices'>>

/**
 * Finds the model, the agent and the files of a session's turn, once, before its first step: the request's own model goes
 * before the session's, that before the agent's, that before the configured one.
 */
export async function prepareTurn(
  parts: PrepareParts,
  { session, model: ofSession, choices: { agent, project, subject: chosen } = {} }: Chosen,
  asked: InputOptions,
  said: SaidInTurn,
): Promise<PreparedTurn> {
  const bench = parts.bench()
  const made = agent === undefined ? undefined : await found(parts.agents, agent)
  const model = await parts.models.resolve(asked.model ?? ofSession ?? made?.model)
  const subject = chosen ?? bench.settings.subject
  const { window, reserve } = budgetFor(bench, model)
  const question = {
    window,
    reserve,
    ...(session === undefined ? {} : { session }),
    ...(asked.system === undefined ? {} : { system: asked.system }),
    ...(made ? { agent: made } : {}),
    ...(project === undefined ? {} : { project }),
    ...(subject === undefined ? {} : { subject }),
  }
  const layout = made?.layout ?? bench.settings.layout
  const memory = await parts.memory.read({ ...said, session, layout })
  const settingOf = async (one: SettingQuestion) => ({ ...(await turnSetting(parts, one)), memory })
  const prepared = await preparedWith(parts, bench, await settingOf(question), made)
  const { setting } = prepared.bench
  const room = setting?.fit?.fits ? await roomForProject(prepared.bench, setting, model) : undefined
  if (room === undefined) return { model, ...prepared }
  const narrower = await settingOf({ ...question, roomForProject: room })
  return { model, ...(await preparedWith(parts, bench, narrower, made)) }
}

async function preparedWith(
  parts: PrepareParts,
  bench: Workbench,
  setting: TurnSetting,
  made: CustomAgent | undefined,
): Promise<Omit<PreparedTurn, 'model'>> {
  // Readers of the history stand last, behind the tools for files.
  const tools = [...setting.tools, ...parts.tools()]
  const named = made?.tools
  const offered = await offeredTools(tools)
  const layout = made?.layout
  return {
    tools,
    bench: {
      ...bench,
      setting,
      ...(layout === undefined ? {} : { settings: { ...bench.settings, layout } }),
      async allowedTools() {
        const allowed = await parts.allowed(offered)
        return named ? allowed.filter(({ name, readsContext }) => readsContext || isListed(named, name)) : allowed
      },
    },
  }
}
