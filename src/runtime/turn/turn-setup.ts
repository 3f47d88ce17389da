import type { HoldTerms } from '../budgets/budget-service.ts'
import type { Delta, TurnSetup } from '../../agent.ts'
import { type TurnCitations, turnCitations } from '../../citation.ts'
import { defined, restingClock } from '../../platform.ts'
import type { AuditFacts, EntryBody } from '../../session.ts'
import { noteRead, wasRead } from '../sessions/session-state.ts'
import { createToolbox, isListed, type ToolGate } from '../../tool.ts'
import { keepImage } from '../calls/attachments.ts'
import { callAccount, type CallAccount } from './call-account.ts'
import { countInSlices } from '../models/counters.ts'
import { policyGate, shownChars } from '../tools/tool-policy.ts'
import { type LiveTurn, recordedCalls, type TurnJournal, type TurnWords } from './record-call.ts'
import { type TurnTaint, turnTaint } from './turn-taint.ts'
import { tokenCounts } from '../calls/turn-projection.ts'

/** Joins the loop of a turn to the store, the stream and the account. */
export function turnSetup(turn: LiveTurn): TurnSetup {
  const { context, state, model, id, clock, signal, entries, policy, approvals, activity } = turn
  const { settings } = context
  const documents = [...(context.turn?.parts.values() ?? [])].flatMap(({ sources = [] }) => sources)
  const citations = turnCitations(
    clock,
    entries.flatMap((entry) => (entry.type === 'tool-end' ? (entry.sources ?? []) : [])),
    documents,
  )
  const words = turnWords(turn, citations)
  const account = callAccount({ context, model, clock })
  const taint = turnTaint(entries, turn.tools)
  const journal = turnJournal(turn, account, words, taint)
  const toolbox = createToolbox(turn.tools, {
    gate: turnGate(policyGate(policy, taint), context.turn?.tools, turn.beside),
    ...defined({ timeoutMs: settings.toolTimeoutMs, redaction: policy.redaction }),
  })
  return {
    turn: { session: state.session, id, entries, signal },
    model,
    assemble: recordedCalls(turn, { account, journal, citations, documents, words, taint }),
    journal,
    tools: { toolbox, approvals: approvals.of(state, id), cite: citations.cite },
    limits: {
      steps: settings.maxSteps,
      retries: turn.retries,
      resultChars: (name) => {
        const tool = toolbox.tools.find((each) => each.name === name)
        return shownChars(policy, tool, settings.maxResultChars ?? 24_000)
      },
      turnResultChars: settings.maxTurnResultChars ?? 240_000,
    },
    output: { show: words.show, citedSources: citations.citedSources },
    clock: restingClock(clock, activity, state.session),
    activity: {
      run: (work) => activity.run(state.session, work),
      rest: (wait) => activity.rest(state.session, wait),
    },
    holdCall: turn.budgets.of({ ...turnCalls(turn), model, size: account.size, asks: true }),
    health: turn.health,
    ...defined({ fallback: turn.fallback }),
  }
}

/** Whose calls those of a turn are, and the limits that came with its input. */
export function turnCalls({
  context,
  state: { session },
  id,
  entries,
}: Pick<LiveTurn, 'context' | 'state' | 'id' | 'entries'>): Pick<HoldTerms, 'owner' | 'budgets'> {
  const input = entries.find((entry) => entry.type === 'input')
  const { budgets, token, channel } = input?.type === 'input' ? (input.options ?? {}) : {}
  const owner = { turn: id, session, ...defined({ agent: context.turn?.choices?.['agent'], token, channel }) }
  return { owner, budgets }
}

/**
 * A head that was pinned may define tools that the chosen agent does not have: they are refused. Where two models answer one
 * message, nothing happens twice: each may only read.
 */
function turnGate(gate: ToolGate, named: readonly string[] | undefined, beside: string | undefined): ToolGate {
  return async (call, tool, context) => {
    if (beside !== undefined && !tool.readsContext && tool.idempotent !== true) {
      return { type: 'refuse', rule: 'beside', reason: READS_ONLY(tool.name) }
    }
    if (!named || tool.readsContext || isListed(named, tool.name)) return gate(call, tool, context)
    return { type: 'refuse', rule: 'agent', reason: `${tool.name} is not among the tools of the chosen agent.` }
  }
}

const READS_ONLY = (name: string): string =>
  `${name} may do more than read, and two models answer this message, so it does not run. ` +
  'Say what you would do: the person goes on with one of the answers.'

function turnWords({ state, id: turn }: LiveTurn, citations: TurnCitations): TurnWords {
  let words = citations.stream()
  return {
    begin: () => (words = citations.stream()),
    async show(delta: Delta) {
      // The log has it: readers of a session have no use for it.
      if (delta.type === 'reasoning-end') return
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

/** Writes what happens in a turn to the log, the audit and the ledger. What is written first begins the turn, too. */
function turnJournal(
  { context, state, id: turn, entries, clock, library }: LiveTurn,
  account: CallAccount,
  words: TurnWords,
  taint: TurnTaint,
): TurnJournal {
  const { store, settings } = context
  const started = entries.some((entry) => entry.type === 'turn-start')
  let opening: readonly EntryBody[] = started ? [] : [{ type: 'turn-start', turn }]

  const writes: TurnJournal['writes'] = async (bodies, noted = []) => {
    const audit = await Promise.all(noted.map(withRequest))
    const all = [...opening, ...bodies]
    opening = []
    taint.noted(bodies)
    const time = clock.time()
    return [
      { type: 'append', session: state.session, bodies: all, time },
      ...audit.map((facts) => ({ type: 'audit', facts, time }) as const),
    ]
  }

  /** Which request a call answers is known here only. */
  async function withRequest(facts: AuditFacts): Promise<AuditFacts> {
    const request = facts.call === undefined ? undefined : await account.requestDigest(facts.call)
    return { ...facts, ...defined({ request }) }
  }

  return {
    writes,
    append: async (bodies, noted) => store.transaction(await writes(bodies, noted)),
    async finish(call, outcome, bodies) {
      words.end(call)
      if (state.lastCall?.call === call && wasRead(outcome)) noteRead(state, outcome.usage)
      return account.finish(call, outcome, bodies.length > 0 ? await writes(bodies) : [])
    },
    ...(library && { keepImage: (image) => keepImage(library, state.session, image) }),
    keepContent: async (text) => `sha256:${await store.putContent(text)}`,
    countTokens: (message, partial) =>
      countInSlices(clock, settings.counter, (counter) => tokenCounts(counter, message, partial)),
  }
}
