import { type Approvals, callFacts, readFacts } from '../../agent.ts'
import {
  type ApprovalDecision,
  type ApprovalOutcome,
  type AuditFacts,
  type Entry,
  type SessionStore,
  turnsTo,
  turnsToHead,
} from '../../session.ts'
import { callDigest, policyDigest } from '../../tool.ts'
import {
  type Clock,
  type GrantedTool,
  type PersonsDecision,
  type Runtime,
  RuntimeError,
  type WaitingApproval,
} from '../../capability.ts'
import { type Activity, defined, serialQueue } from '../../platform.ts'
import { runtimeFailure } from '../failure.ts'
import { sessionNotFound } from '../sessions/not-found.ts'
import type { LiveQuestions } from './live-questions.ts'
import type { ToolPolicy } from './tool-policy.ts'
import type { SessionStates, SessionState } from '../sessions/session-state.ts'

/** Questions about calls, and the people who answer them. All of it is in the log: this only finds it. */
export type ApprovalService = ReturnType<typeof createApprovalService>

type Question = Extract<Entry, { type: 'approval-request' }>

export function createApprovalService(parts: {
  readonly store: SessionStore
  readonly states: SessionStates
  readonly clock: Clock
  /** Questions of programs that wait for an answer now. */
  readonly live: LiveQuestions
  readonly activity: Activity
  readonly policy: Pick<ToolPolicy, 'current'>
}) {
  const { store, states, clock, live, activity, policy } = parts
  const listeners = new Map<string, { readonly turn: string; resolve(decision: ApprovalOutcome): void }>()
  /** Decisions are taken one after another: of two about one call the second finds the first. */
  const decisions = serialQueue()

  /** Calls that were approved for the whole session. */
  async function granted(session: string, digest: string): Promise<boolean> {
    const records = await store.audit({ session, decision: 'approved' })
    return records.some((each) => each.digest === digest && each.reason === 'session')
  }

  /**
   * Tools that were approved for the session and not taken back, by the audit of this home. What was approved in a turn that does
   * not lead to the one that runs, or to the head of the session, is over.
   */
  async function toolGrants(session: string, running?: string) {
    const records = await store.audit({ session, decision: 'approved' })
    const given = records.flatMap(({ number, time, turn, tool, grant, by = '', reason }) =>
      reason === 'tool' && turn !== undefined && tool !== undefined ? [{ number, time, turn, tool, grant, by }] : [],
    )
    if (given.length === 0) return []
    const [revoked, turns, row] = await Promise.all([
      store.audit({ session, decision: 'denied' }),
      store.turns(session),
      store.session(session),
    ])
    const path = running === undefined ? turnsToHead(row ?? {}, turns) : turnsTo(turns, running)
    return given.filter(
      ({ number, tool, turn }) =>
        path.some((each) => each.turn === turn) &&
        !revoked.some((each) => each.rule === REVOKED && each.tool === tool && each.number > number),
    )
  }

  /** Those whose policy is the one of the approval. */
  async function grantedTools(session: string): Promise<readonly GrantedTool[]> {
    if (!(await store.session(session))) throw sessionNotFound(session)
    const [given, read] = await Promise.all([toolGrants(session), policy.current()])
    const holding = given.filter(
      ({ tool, grant }) => read.type === 'access' && grant === policyDigest(read.access, tool),
    )
    const newest = new Map(holding.map(({ tool, turn, time, by }) => [tool, { tool, turn, time, by }]))
    return [...newest.values()]
  }

  async function revokeTool(session: string, tool: string, by: string): Promise<void> {
    if (!(await store.session(session))) throw sessionNotFound(session)
    // Also one that a policy has ended: it does not come back with the policy.
    if (!(await toolGrants(session)).some((each) => each.tool === tool)) {
      const text = `${tool} is not approved for the session ${session}.`
      throw new RuntimeError('not-found', text, { session, tool })
    }
    const time = clock.time()
    await store.transaction([
      { type: 'append', session, bodies: [{ type: 'revoke', tool, by }], time },
      { type: 'audit', facts: { kind: 'change', session, tool, decision: 'denied', rule: REVOKED, by }, time },
    ])
  }

  /** Listens first and looks into the log then, so that no decision falls between. */
  async function decision(
    { session, turn }: { readonly session: string; readonly turn: string },
    approval: string,
    signal: AbortSignal,
  ): Promise<ApprovalOutcome | undefined> {
    const { promise, resolve } = Promise.withResolvers<ApprovalOutcome | undefined>()
    const onAbort = () => resolve(undefined)
    listeners.set(approval, { turn, resolve })
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      if (signal.aborted) return undefined
      return (await decisionIn(session, turn, approval)) ?? (await promise)
    } finally {
      listeners.delete(approval)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** A log can be imported, an approval cannot: only one that the audit of this home knows counts. */
  async function decisionIn(session: string, turn: string, approval: string): Promise<ApprovalOutcome | undefined> {
    const entries = await store.entries(session, { turn, types: ['approval'] })
    const found = entries.find(isAbout(approval))
    if (found?.type !== 'approval') return undefined
    if (found.decision.type !== 'approve') return found.decision
    const records = await store.audit({ session, turn, decision: 'approved' })
    return records.some(({ digest }) => digest === found.digest) ? found.decision : undefined
  }

  async function questions(): Promise<readonly { question: Question; open: boolean }[]> {
    const turns = await store.unfinishedTurns()
    const found = await Promise.all(
      turns.map(async ({ session, turn }) => {
        const entries = await store.entries(session, { turn, types: ['approval-request', 'approval', 'tool-end'] })
        return findQuestions(entries)
      }),
    )
    return found.flat()
  }

  async function decide(approval: string, { decision: decided, digest, by }: PersonsDecision): Promise<void> {
    const all = await questions()
    const found = all.find(({ question }) => question.approval === approval)
    if (!found) {
      throw new RuntimeError(
        'not-found',
        `No call waits for approval under ${approval}. List the waiting calls with \`foreword approve\`.`,
        { approval },
      )
    }
    const { question, open } = found
    if (!open) throw new RuntimeError('decided', `Somebody has decided about ${approval} already.`)
    if (question.digest !== digest) {
      throw new RuntimeError(
        'decided',
        `The decision is about another call than the one that waits under ${approval}. Show it again.`,
      )
    }
    if (asksForTool(decided) && question.grant === undefined) throw noGrant(question.request.tool)
    const { session, turn, toolCallId } = question
    const state = await states.of(session)
    const body = { type: 'approval' as const, turn, approval, toolCallId, digest, decision: decided, by }
    const time = clock.time()
    const request = (await store.call(question.call))?.requestDigest
    await store.transaction([
      { type: 'append', session, bodies: [body], time },
      { type: 'audit', facts: { ...decisionFacts(question, decided, by), ...defined({ request }) }, time },
    ])
    if (state) listeners.get(approval)?.resolve(decided)
  }

  /** Nobody decided: the question is over. What a person has decided meanwhile counts. */
  async function withdraw(state: SessionState, turn: string, approval: string, reason: string) {
    const { session } = state
    const entries = await store.entries(session, { turn, types: ['approval-request', 'approval'] })
    const before = entries.find(isAbout(approval))
    if (before?.type === 'approval') return (await decisionIn(session, turn, approval)) ?? withdrawn(reason)
    const question = entries.find((entry) => entry.type === 'approval-request' && entry.approval === approval)
    if (question?.type !== 'approval-request') return withdrawn(reason)
    const { toolCallId, digest, rule } = question
    const body = {
      type: 'approval' as const,
      turn,
      approval,
      toolCallId,
      digest,
      decision: withdrawn(reason),
      by: rule,
    }
    await store.append(session, [body], clock.time())
    listeners.get(approval)?.resolve(body.decision)
    return body.decision
  }

  const views: Pick<Runtime, 'approvals' | 'decide' | 'grantedTools' | 'revokeTool'> = {
    async approvals() {
      const all = await questions()
      return [
        ...all.filter(({ open }) => open).map(({ question }) => approvalView(question)),
        ...live.waiting(),
      ].toSorted((left, right) => (left.time < right.time ? -1 : left.time > right.time ? 1 : 0))
    },
    async decide(approval, decided) {
      try {
        await decisions.add(async () => (await live.decide(approval, decided)) || decide(approval, decided))
      } catch (error) {
        throw runtimeFailure(error)
      }
    },
    grantedTools,
    revokeTool: (session, tool, by) => decisions.add(() => revokeTool(session, tool, by)),
  }

  return {
    views,
    of: (state: SessionState, turn: string): Approvals => ({
      withdraw: (approval, reason) => decisions.add(() => withdraw(state, turn, approval, reason)),
      newId: () => clock.newId('approval'),
      granted: (digest) => granted(state.session, digest),
      grantedTool: async (tool, grant) =>
        (await toolGrants(state.session, turn)).some((each) => each.tool === tool && each.grant === grant),
      decision: (approval, signal) =>
        activity.rest(state.session, decision({ session: state.session, turn }, approval, signal)),
    }),
    /** Turns in which a call waits for a person. */
    async turns(): Promise<ReadonlySet<string>> {
      return new Set((await questions()).flatMap(({ open, question }) => (open ? [question.turn] : [])))
    },
    count: (): number => listeners.size + live.waiting().length,
    /** How many of the turns that run wait for a person, with one call or several. */
    waitingTurns: (): number => new Set([...listeners.values()].map(({ turn }) => turn)).size,
    /** Resolves when decisions that were made are on disk. */
    idle: decisions.idle,
  }
}

function withdrawn(reason: string): ApprovalOutcome {
  return { type: 'withdraw', reason }
}

/** The rule in the audit of an approval of a tool that was taken back. */
const REVOKED = 'approval-revoked'

function asksForTool(decided: ApprovalDecision): boolean {
  return decided.type === 'approve' && decided.scope === 'tool'
}

function noGrant(tool: string): RuntimeError {
  const text = `${tool} is not asked about because of what was read, so it cannot be approved for the session.`
  return new RuntimeError(
    'invalid-input',
    text,
    { tool },
    { hint: 'Approve this call once, or this call for the session.' },
  )
}

/** The newest question of each call; open until a decision or a result. One whose digest is of another call was made up. */
function findQuestions(entries: readonly Entry[]): readonly { question: Question; open: boolean }[] {
  const newest = new Map<string, { question: Question; open: boolean }>()
  for (const entry of entries) {
    if (entry.type === 'approval-request') newest.set(entry.toolCallId, { question: entry, open: true })
    if (entry.type !== 'approval' && entry.type !== 'tool-end') continue
    const before = newest.get(entry.toolCallId)
    if (before && (entry.type === 'tool-end' || entry.approval === before.question.approval)) before.open = false
  }
  return [...newest.values()].filter(({ question: { request, digest } }) => callDigest(request) === digest)
}

function isAbout(approval: string): (entry: Entry) => boolean {
  return (entry) => entry.type === 'approval' && entry.approval === approval
}

function approvalView(question: Question): WaitingApproval {
  const { approval, session, turn, toolCallId, time, rule, request, digest, read, held, grant } = question
  return { approval, session, turn, toolCallId, time, rule, request, digest, ...defined({ read, held, grant }) }
}

function decisionFacts(question: Question, decided: ApprovalDecision, by: string): AuditFacts {
  const { session, turn, toolCallId, call, request, digest, read } = question
  const about = { ...callFacts(request), ...readFacts(read), session, turn, toolCallId, call, digest, rule: by, by }
  if (decided.type === 'approve') {
    const grant = asksForTool(decided) ? question.grant : undefined
    return { ...about, decision: 'approved', reason: decided.scope, ...defined({ grant }) }
  }
  return { ...about, decision: 'denied', ...(decided.reason ? { reason: decided.reason } : {}) }
}
