import { type WaitingApproval } from '../../src/runtime.ts'
import { RuntimeError, type PersonsDecision } from '../../src/capability.ts'
import { type ApprovalDecision, type ApprovalQuestion, type EntryBody } from '../../src/session.ts'

/** The approvals of a runtime in memory: asked by a script, decided through a door. */
export interface ScriptedApprovals {
  readonly waiting: () => readonly WaitingApproval[]
  /** Writes the question and resolves with the decision. */
  readonly ask: (at: Asked, request: ApprovalQuestion) => Promise<ApprovalDecision>
  readonly decide: (approval: string, decision: PersonsDecision) => Promise<void>
}

export interface Asked {
  readonly session: string
  readonly turn: string
  readonly call: string
  readonly toolCallId: string
}

export function scriptedApprovals(append: (session: string, body: EntryBody) => void, time: string): ScriptedApprovals {
  const open = new Map<string, WaitingApproval & { readonly resolve: (decision: ApprovalDecision) => void }>()
  const decided = new Set<string>()
  return {
    waiting: () => [...open.values()].map(({ resolve: _resolve, ...waits }) => waits),
    ask({ session, turn, call, toolCallId }, request) {
      const approval = `approval-${open.size + decided.size + 1}`
      const rule = `tools.${request.tool}.approval=ask`
      const digest = `digest-of-${approval}`
      append(session, { type: 'approval-request', turn, call, approval, toolCallId, rule, request, digest })
      return new Promise((resolve) => {
        open.set(approval, { approval, session, turn, toolCallId, time, rule, request, digest, resolve })
      })
    },
    async decide(approval, { decision, digest, by }) {
      const found = open.get(approval)
      if (decided.has(approval)) throw new RuntimeError('decided', 'Somebody has decided already.')
      if (!found) throw new RuntimeError('not-found', `Nothing waits under ${approval}.`)
      if (found.digest !== digest) throw new RuntimeError('decided', 'It is another call than the one shown.')
      open.delete(approval)
      decided.add(approval)
      const { session, turn, toolCallId } = found
      append(session, { type: 'approval', turn, approval, toolCallId, digest, decision, by })
      found.resolve(decision)
    },
  }
}
