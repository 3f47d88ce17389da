import type { WaitingApproval } from '../../capability.ts'
import { apiPath, CommandFailure, requestJson } from '../../cli.ts'
import { defined, errorMessage } from '../../platform.ts'
import type { Entry } from '../../session.ts'
import type { EditorClient } from './editor-client.ts'
import type { GatewayLink } from './gateway-link.ts'
import { decisionOf, permissionOptions, questionContent } from './permission.ts'
import { callId } from './session-updates.ts'
import { questionLocations, shownCall } from './tool-call.ts'

export interface EditorQuestions {
  ask(entry: QuestionEntry): void
  /** Somebody has decided, here or elsewhere: a question that is still open is withdrawn. */
  settle(approval: string): void
  /** The same for every question of a turn; of all turns where none is named. */
  settleTurn(turn?: string): void
}

type QuestionEntry = Extract<Entry, { readonly type: 'approval-request' }>

interface QuestionOptions {
  readonly link: GatewayLink
  readonly client: EditorClient
  readonly session: string
  readonly workspace: string
  readonly warn: (text: string) => void
}

/**
 * Asks the editor about calls that wait, each at most once at a time. The gateway keeps the first decision, wherever
 * it was made; without one the call goes on waiting.
 */
export function editorQuestions({ link, client, session, workspace, warn }: QuestionOptions): EditorQuestions {
  const open = new Map<string, { readonly turn: string; readonly over: AbortController }>()

  function withdraw(approval: string): void {
    open.get(approval)?.over.abort()
    open.delete(approval)
  }

  async function decideBy(entry: QuestionEntry, signal: AbortSignal): Promise<void> {
    const { approvals } = await requestJson<{ readonly approvals: readonly WaitingApproval[] }>(link, '/api/approvals')
    const waits = approvals.find(({ approval }) => approval === entry.approval)
    if (waits === undefined || signal.aborted) return
    const { outcome } = await client.ask({ ...questionOf(waits, entry.call), sessionId: session }, signal)
    if (signal.aborted) return
    const decision = decisionOf(outcome)
    if (decision === undefined) return
    const { type, ...rest } = decision
    const body = { decision: type, ...rest, digest: waits.digest, by: 'cli' }
    await requestJson(link, apiPath('/api/approvals/', waits.approval), { method: 'POST', body })
  }

  function questionOf(waits: WaitingApproval, call: string) {
    const { held, request, approval, toolCallId } = waits
    const shown = held
      ? { title: held.sentence, kind: 'other' as const }
      : shownCall({ toolName: request.tool, input: request.input }, workspace)
    const locations = questionLocations(request)
    return {
      toolCall: {
        toolCallId: held ? approval : callId(call, toolCallId),
        status: 'pending' as const,
        ...shown,
        ...defined({ locations: locations.length > 0 ? [...locations] : undefined }),
        content: questionContent(waits),
      },
      options: permissionOptions(waits),
    }
  }

  return {
    ask(entry) {
      const { approval, turn } = entry
      if (open.has(approval)) return
      const over = new AbortController()
      open.set(approval, { turn, over })
      void decideBy(entry, over.signal).catch((error: unknown) => {
        // The first decision counts, wherever it was made.
        if (over.signal.aborted || (error instanceof CommandFailure && DECIDED.has(error.code))) return
        warn(
          `${errorMessage(error)} ${entry.request.tool} goes on waiting: decide with \`foreword approve ${approval}\`.`,
        )
      })
    },
    settle: withdraw,
    settleTurn(turn) {
      for (const [approval, question] of open) if (turn === undefined || question.turn === turn) withdraw(approval)
    },
  }
}

/** Codes of a decision that came too late: somebody else decided, or the turn is over. */
const DECIDED: ReadonlySet<string> = new Set(['decided', 'not-found'])
