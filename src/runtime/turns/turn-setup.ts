import { type Delta, type TurnOutput, type TurnSetup } from '../../agent.ts'
import type { Entry } from '../../session.ts'
import { createToolbox, type Tool } from '../../tool.ts'
import { callAccount } from '../calls/call-account.ts'
import type { CallPlace } from '../calls/call-forecast.ts'
import { turnClock } from '../clock.ts'
import type { FileLibrary } from '../../capability.ts'
import { retryRule } from '../settings.ts'
import type { ApprovalDesk } from '../tools/approvals.ts'
import { policyGate, shownChars, type ToolPolicy } from '../tools/tool-policy.ts'
import { documentSources } from './setting-context.ts'
import { turnAssembly } from './turn-assembly.ts'
import { type TurnCitations, turnCitations } from '../../citation.ts'
import { turnJournal } from './turn-journal.ts'

/** What one turn is run with. */
export interface TurnDependencies extends CallPlace {
  readonly turn: string
  readonly entries: readonly Entry[]
  /** Everything there is to call, allowed or not. */
  readonly tools: readonly Tool[]
  readonly policy: ToolPolicy
  readonly approvals: ApprovalDesk
  readonly library: FileLibrary
  readonly signal: AbortSignal
}

/** Joins the loop of a turn to the store, the stream and the account. */
export function turnSetup(dependencies: TurnDependencies): TurnSetup {
  const { bench, desk, model, turn, clock, signal, entries, policy, approvals } = dependencies
  const { settings } = bench
  const documents = bench.setting ? documentSources(bench.setting) : []
  const citations = turnCitations(
    entries.flatMap((entry) => (entry.type === 'tool-end' ? (entry.sources ?? []) : [])),
    documents,
  )
  const words = turnWords(dependencies, citations)
  const account = callAccount({ bench, model, clock })
  const journal = turnJournal(dependencies, account, words)
  const toolbox = createToolbox(dependencies.tools, {
    gate: policyGate(policy),
    ...(settings.toolTimeoutMs === undefined ? {} : { timeoutMs: settings.toolTimeoutMs }),
  })
  return {
    turn: { session: desk.session, id: turn, entries, signal },
    model,
    assemble: turnAssembly(dependencies, { account, journal, citations, documents, words }),
    journal,
    tools: { toolbox, approvals: approvals.of(desk, turn), cite: citations.cite },
    limits: {
      steps: settings.maxSteps,
      retries: retryRule(settings),
      resultChars: (name) => {
        const tool = toolbox.tools.find((each) => each.name === name)
        return shownChars(policy, tool, settings.maxResultChars ?? 24_000)
      },
      turnResultChars: settings.maxTurnResultChars ?? 240_000,
    },
    output: { show: words.show, sourcesOf: citations.sourcesOf },
    clock: turnClock(clock),
  }
}

/** The words of the call that is running, as they are shown to whoever watches. */
export interface TurnWords extends Required<Pick<TurnOutput, 'show'>> {
  /** Another call begins: numbers that were given meanwhile can be cited in it. */
  begin(): void
  /** The call is over: what was held back is shown. */
  end(call: string): void
}

function turnWords({ desk, turn }: TurnDependencies, citations: TurnCitations): TurnWords {
  let words = citations.stream()
  return {
    begin: () => (words = citations.stream()),
    async show(delta: Delta) {
      if (delta.type !== 'text-delta') return desk.stream.delta(turn, delta)
      const text = await words.read(delta.text)
      if (text !== '') desk.stream.delta(turn, { ...delta, text })
    },
    end(call) {
      const held = words.end()
      if (held !== '') desk.stream.delta(turn, { type: 'text-delta', call, text: held })
    },
  }
}
