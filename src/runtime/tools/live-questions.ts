import { callFacts } from '../../agent.ts'
import { type Clock, type PersonsDecision, RuntimeError, type WaitingApproval } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { ApprovalDecision, ApprovalQuestion, AuditFacts, BudgetQuestion, SessionStore } from '../../session.ts'
import { callDigest } from '../../tool.ts'

/** A question about a call of another program: it is in no log, and is over when the program does not wait any more. */
export interface LiveQuestion extends BudgetQuestion {
  /** The model call, as the ledger will name it. */
  readonly call: string
  readonly program: string
  /** Absent where it is the first call of its session. */
  readonly session?: string | undefined
  readonly rule: string
  readonly request: ApprovalQuestion
}

/** What a person decided, under the name of the question. */
export interface LiveDecision {
  readonly approval: string
  readonly decision: ApprovalDecision
}

/** Questions that live as long as the connection of who waits. Decisions about them are in the audit before they count. */
export type LiveQuestions = ReturnType<typeof createLiveQuestions>

interface OpenQuestion {
  readonly view: WaitingApproval
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal
  resolve(decision: LiveDecision | undefined): void
}

/** Model calls of a program wait one by one, so that one name is enough. */
const MODEL_CALL = 'model-call'

export function createLiveQuestions(parts: {
  readonly store: Pick<SessionStore, 'transaction'>
  readonly clock: Clock
}) {
  const { store, clock } = parts
  const open = new Map<string, OpenQuestion>()

  async function audit(view: WaitingApproval, facts: Partial<AuditFacts>): Promise<void> {
    const { request, session, turn, toolCallId, digest } = view
    const about = {
      ...callFacts(request),
      turn,
      toolCallId,
      call: turn,
      digest,
      ...(session === '' ? {} : { session }),
    }
    await store.transaction([{ type: 'audit', facts: { ...about, ...facts }, time: clock.time() }])
  }

  return {
    /** Resolves with the decision, or with `undefined` once `signal` is aborted: then nobody can decide any more. */
    async ask({ call, program, session = '', rule, request, sentence, raise }: LiveQuestion, signal: AbortSignal) {
      if (signal.aborted) return undefined
      const view: WaitingApproval = {
        approval: clock.newId('approval'),
        session,
        turn: call,
        toolCallId: MODEL_CALL,
        time: clock.time(),
        rule,
        request,
        digest: callDigest(request),
        held: { sentence, raise },
        program,
      }
      await audit(view, { decision: 'asked', rule })
      const { promise, resolve } = Promise.withResolvers<LiveDecision | undefined>()
      open.set(view.approval, { view, signal, resolve })
      // A decision that is being written is no longer open, and still comes.
      const leave = () => void (open.delete(view.approval) && resolve(undefined))
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      return promise.finally(() => {
        open.delete(view.approval)
        signal.removeEventListener('abort', leave)
      })
    },
    waiting: () => [...open.values()].map(({ view }) => view),
    /** Resolves with whether there is such a question. Rejects with `decided` for a decision about another call than the one shown. */
    async decide(approval: string, { decision, digest, by }: PersonsDecision) {
      const found = open.get(approval)
      if (!found) return false
      if (found.view.digest !== digest) {
        const text = `The decision is about another call than the one that waits under ${approval}. Show it again.`
        throw new RuntimeError('decided', text)
      }
      if (decision.type === 'approve' && decision.scope === 'tool') {
        throw new RuntimeError('invalid-input', 'This is no call of a tool: approve it once, or for the session.')
      }
      // The first decision counts: a second finds no question.
      open.delete(approval)
      const reason = decision.type === 'approve' ? decision.scope : decision.reason
      const word = decision.type === 'approve' ? 'approved' : 'denied'
      try {
        await audit(found.view, { decision: word, rule: by, by, ...defined({ reason }) })
      } catch (error) {
        // Nothing was decided: it waits on, unless its program has left meanwhile.
        if (found.signal.aborted) found.resolve(undefined)
        else open.set(approval, found)
        throw error
      }
      found.resolve({ approval, decision })
      return true
    },
  }
}
