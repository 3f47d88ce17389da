import { callFacts, resultFacts, resultText } from '../../agent.ts'
import {
  type Clock,
  type RunningCapabilities,
  type Runtime,
  RuntimeError,
  type ToolAfterUntrusted,
  type ToolStatus,
  type ToolTrial,
} from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { AuditFacts, SessionStore } from '../../session.ts'
import {
  accessAnswer,
  type AccessRead,
  createToolbox,
  opensAddresses,
  ownAfterUntrusted,
  type PlannedCall,
  type Tool,
  toolAfterUntrusted,
  type Toolbox,
} from '../../tool.ts'
import type { RuntimeSettings } from '../settings.ts'
import { offerConditions, policyGate, type ToolPolicy } from './tool-policy.ts'

/** Tools as a person works with them, outside every turn. */
type ToolAdmin = Pick<Runtime, 'tools' | 'planTool' | 'runTool' | 'acceptTool'>

export function createToolAdmin(parts: {
  readonly store: SessionStore
  readonly capabilities: Pick<RunningCapabilities, 'ready' | 'withheld' | 'accept' | 'ownerOf' | 'turnTools'>
  readonly policy: ToolPolicy
  readonly settings: RuntimeSettings
  readonly clock: Clock
  /** Everything that can be called in any session, in its order. */
  readonly tools: () => readonly Tool[]
}): ToolAdmin {
  const { store, capabilities, policy, settings, clock } = parts
  // In the order in which a turn has them.
  const tools = () => [...capabilities.turnTools(), ...parts.tools()]

  async function planned(tool: string, input: unknown): Promise<PlannedCall> {
    await capabilities.ready()
    const toolbox = createToolbox(tools(), {
      gate: policyGate(policy),
      ...defined({ timeoutMs: settings.toolTimeoutMs, redaction: policy.redaction }),
    })
    if (!toolbox.tools.some(({ name }) => name === tool)) throw noSuchTool(tool, toolbox)
    const call = { toolCallId: clock.newId('call'), toolName: tool, input }
    return toolbox.plan(call, { session: 'trial', turn: 'trial', clock, signal: new AbortController().signal })
  }

  async function note(facts: AuditFacts): Promise<void> {
    await store.transaction([{ type: 'audit', facts, time: clock.time() }])
  }

  return {
    async tools() {
      await capabilities.ready()
      const access = await policy.current()
      const withheld = new Map(capabilities.withheld().map((each) => [each.name, each]))
      const all = createToolbox(tools()).tools
      const holds = await offerConditions(all)
      const known = all.map((tool): ToolStatus => {
        const { offeredWhile, offeredIn } = tool
        const changed = withheld.get(tool.name)
        const answer = accessAnswer(access, tool)
        return {
          name: tool.name,
          ...defined({ description: tool.description }),
          inputSchema: tool.inputSchema,
          from: capabilities.ownerOf(tool.name) ?? 'foreword',
          access: answer.type === 'refuse' ? 'refused' : answer.type === 'ask' ? 'ask' : 'allowed',
          rule: answer.rule,
          ...(answer.type === 'refuse' ? { reason: answer.reason } : { afterUntrusted: untrustedOf(access, tool) }),
          ...(tool.offeredWith ? { offeredWith: tool.offeredWith } : {}),
          ...(offeredWhile
            ? { offeredWhile: { what: offeredWhile.what, isSo: holds.get(offeredWhile) === true } }
            : {}),
          ...defined({ offeredIn }),
          ...(changed ? { withheld: changed } : {}),
        }
      })
      const offered = new Set(known.map(({ name }) => name))
      const hidden = [...withheld.values()].filter(
        ({ name, declared }) => !offered.has(name) && declared?.kind !== 'prompt',
      )
      return [...known, ...hidden.map(withheldStatus)]
    },
    async planTool(tool, input) {
      return toolTrial(await planned(tool, input))
    },
    async runTool(tool, input, digest, by) {
      const plan = await planned(tool, input)
      if (plan.type === 'refused') {
        const facts = callFacts(plan.call ?? { tool, input })
        await note({
          ...facts,
          ...defined({ by }),
          decision: 'refused',
          rule: plan.rule,
          reason: resultText(plan.result).slice(0, 500),
        })
        return plan.result
      }
      if (plan.digest !== digest) {
        throw new RuntimeError('decided', `${tool} would now do something else than what was shown. Show it again.`)
      }
      const facts = { ...callFacts(plan.call), rule: 'run-by-hand', digest, ...defined({ by }) }
      await note({ ...facts, decision: 'approved' })
      const began = clock.monotonic()
      // A person reads the names of images.
      const { images: _images, ...result } = { images: undefined, ...(await plan.run()) }
      const durationMs = Math.round(clock.monotonic() - began)
      await note({ ...facts, kind: 'call', ...resultFacts(result, resultText(result)), durationMs })
      return result
    },
    async acceptTool(tool, digest, by) {
      const accepted = await capabilities.accept(tool, digest)
      if (accepted) await note({ kind: 'change', tool, digest, rule: 'definition-accepted', ...defined({ by }) })
      return accepted
    },
  }
}

function untrustedOf(read: AccessRead, tool: Tool): ToolAfterUntrusted {
  const set = read.type === 'access' ? toolAfterUntrusted(read.access, tool.name) : undefined
  const addresses = opensAddresses(tool) ? ({ addresses: true } as const) : {}
  const own = ownAfterUntrusted(tool)
  const confined = tool.runsPrograms && set === undefined ? ({ unlessConfined: true } as const) : {}
  return { value: set?.value ?? own, own, ...defined({ rule: set?.rule }), ...addresses, ...confined }
}

function withheldStatus(withheld: ToolStatus['withheld'] & {}): ToolStatus {
  const { name, accepted, offered } = withheld
  const { description, inputSchema = {} } = offered ?? accepted ?? {}
  return {
    name,
    ...defined({ description }),
    inputSchema,
    from: 'mcp',
    access: 'refused',
    rule: 'withheld',
    reason: `The definition of ${name} is not the one that was accepted.`,
    withheld,
  }
}

function toolTrial(plan: PlannedCall): ToolTrial {
  if (plan.type === 'refused') {
    const { result, rule } = plan
    return { type: 'refused', rule, error: result.ok ? '' : result.error }
  }
  const { type, rule, call, digest } = plan
  return { type, rule, call, digest }
}

function noSuchTool(tool: string, { tools }: Toolbox): RuntimeError {
  const names = tools.map(({ name }) => name)
  const hint = names.length === 0 ? 'There are none.' : `There are ${names.join(', ')}.`
  const asked = tool.slice(0, 200)
  return new RuntimeError('not-found', `No tool has the name ${asked}.`, { tool: asked }, { hint })
}
