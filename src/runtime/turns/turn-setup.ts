import { defined } from '../../platform.ts'
import type { Delta, TurnSetup } from '../../agent.ts'
import { createToolbox } from '../../tool.ts'
import { callAccount } from '../calls/call-account.ts'
import { turnClock } from '../clock.ts'
import { retryRule } from '../settings.ts'
import { policyGate, shownChars } from '../tools/tool-policy.ts'
import { documentSources } from '../calls/assembly-context.ts'
import { turnAssembly } from './turn-assembly.ts'
import { type TurnCitations, turnCitations } from '../../citation.ts'
import type { TurnDependencies, TurnWords } from './turn-dependencies.ts'
import { turnJournal } from './turn-journal.ts'

/** Joins the loop of a turn to the store, the stream and the account. */
export function turnSetup(dependencies: TurnDependencies): TurnSetup {
  const { context, state, model, turn, clock, signal, entries, policy, approvals } = dependencies
  const { settings } = context
  const documents = documentSources(context)
  const citations = turnCitations(
    entries.flatMap((entry) => (entry.type === 'tool-end' ? (entry.sources ?? []) : [])),
    documents,
  )
  const words = turnWords(dependencies, citations)
  const account = callAccount({ context, model, clock })
  const journal = turnJournal(dependencies, account, words)
  const toolbox = createToolbox(dependencies.tools, {
    gate: policyGate(policy),
    ...defined({ timeoutMs: settings.toolTimeoutMs }),
  })
  return {
    turn: { session: state.session, id: turn, entries, signal },
    model,
    assemble: turnAssembly(dependencies, { account, journal, citations, documents, words }),
    journal,
    tools: { toolbox, approvals: approvals.of(state, turn), cite: citations.cite },
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

function turnWords({ state, turn }: TurnDependencies, citations: TurnCitations): TurnWords {
  let words = citations.stream()
  return {
    begin: () => (words = citations.stream()),
    async show(delta: Delta) {
      if (delta.type !== 'text-delta') return state.stream.delta(turn, delta)
      const text = await words.read(delta.text)
      if (text !== '') state.stream.delta(turn, { ...delta, text })
    },
    end(call) {
      const held = words.end()
      if (held !== '') state.stream.delta(turn, { type: 'text-delta', call, text: held })
    },
  }
}
