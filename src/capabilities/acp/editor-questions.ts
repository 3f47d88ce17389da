import type { WaitingApproval } from '../../capability.ts'
import { apiPath, CommandFailure, requestJson, requestList } from '../../cli.ts'
import { defined, errorMessage } from '../../platform.ts'
import type { Entry, ApprovalDecision } from '../../session.ts'
import type { EditorClient } from './editor-client.ts'
import type { GatewayLink } from './gateway-link.ts'
import { callId, questionLocations, shownCall, diffContent, questionChanges } from './session-updates.ts'
import type { PermissionOption, RequestPermissionOutcome, ToolCallContent } from '@agentclientprotocol/sdk'
import { argvText, exactLine, exactLines, foreignTextSentence, lookAlikes } from '../../context.ts'
import { codeBlock } from './plain-text.ts'

type QuestionEntry = Extract<Entry, { readonly type: 'approval-request' }>

interface QuestionOptions {
  readonly link: GatewayLink
  readonly client: EditorClient
  readonly session: string
  readonly workspace: string
  readonly warn: (text: string) => void
}

/**
 * Asks the editor once about each waiting call. The first decision counts, wherever made; without one the call waits.
 */
export function editorQuestions({ link, client, session, workspace, warn }: QuestionOptions) {
  const open = new Map<string, { readonly turn: string; readonly over: AbortController }>()

  function withdraw(approval: string): void {
    open.get(approval)?.over.abort()
    open.delete(approval)
  }

  async function decideBy(entry: QuestionEntry, signal: AbortSignal): Promise<void> {
    const approvals = await requestList<WaitingApproval>(link, '/api/approvals', 'approvals')
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
    ask(entry: QuestionEntry): void {
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

    /** Somebody has decided, here or elsewhere: a question that is still open is withdrawn. */
    settle: withdraw,

    /** The same for every question of a turn; of all turns where none is named. */
    settleTurn(turn?: string): void {
      for (const [approval, question] of open) if (turn === undefined || question.turn === turn) withdraw(approval)
    },
  }
}

/** Codes of a decision that came too late: somebody else decided, or the turn is over. */
const DECIDED: ReadonlySet<string> = new Set(['decided', 'not-found'])

function permissionOptions({ held, grant }: Pick<WaitingApproval, 'held' | 'grant'>): PermissionOption[] {
  return [
    { optionId: 'once', kind: 'allow_once', name: held ? 'Make this call' : 'Allow once' },
    {
      optionId: 'session',
      kind: 'allow_always',
      name: held ? exactLine(held.raise) : 'Allow this call for the session',
    },
    ...(grant === undefined
      ? []
      : [{ optionId: 'tool', kind: 'allow_always' as const, name: 'Allow this tool for the session' }]),
    { optionId: 'deny', kind: 'reject_once', name: held ? 'Do not make it' : 'Reject' },
  ]
}

/** `undefined` where the person made none: the call goes on waiting. */
function decisionOf(outcome: RequestPermissionOutcome): ApprovalDecision | undefined {
  if (outcome.outcome !== 'selected') return undefined
  switch (outcome.optionId) {
    case 'once':
      return { type: 'approve', scope: 'once' }
    case 'session':
    case 'tool':
      return { type: 'approve', scope: outcome.optionId }
    // An option that was not offered allows nothing.
    default:
      return { type: 'deny' }
  }
}

function questionContent(waits: WaitingApproval): ToolCallContent[] {
  const { request, read = [], held } = waits
  if (held) return [textContent(`${exactLine(held.sentence)}\n${exactLine(held.raise)}`)]
  const changes = questionChanges(request)
  const lines = [...(read.length > 0 ? [foreignTextSentence(read)] : []), ...callLines(waits, changes.length > 0)]
  return [...diffContent(changes), textContent(lines.join('\n'))]
}

function callLines({ request }: WaitingApproval, isShown: boolean): readonly string[] {
  const { tool, input, argv, command, folder, facts = {}, diff } = request
  const alike = lookAlikes([...(argv ?? []), command ?? ''].join(' '))
  return [
    `tool: ${exactLine(tool)}`,
    ...(argv === undefined ? [] : [`argv: ${argvText(argv)}`]),
    ...(command === undefined ? [] : [`command: ${exactLines(command)}`]),
    ...(folder === undefined ? [] : [`folder: ${exactLine(folder)}`]),
    ...(argv === undefined && command === undefined && !isShown ? [`input: ${exactLine(JSON.stringify(input))}`] : []),
    ...Object.entries(facts).map(
      ([name, fact]) => `${exactLine(name)}: ${exactLine(typeof fact === 'string' ? fact : JSON.stringify(fact))}`,
    ),
    ...(alike.length > 0 ? [`Characters that look like others: ${alike.join(', ')}`] : []),
    ...(diff === undefined || isShown ? [] : [exactLines(diff)]),
  ]
}

function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: codeBlock(text) } }
}
