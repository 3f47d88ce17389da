import type { PermissionOption, RequestPermissionOutcome, ToolCallContent } from '@agentclientprotocol/sdk'
import type { WaitingApproval } from '../../capability.ts'
import { argvText, exactLine, exactLines, foreignTextSentence, lookAlikes } from '../../context.ts'
import type { ApprovalDecision } from '../../session.ts'
import { codeBlock } from './plain-text.ts'
import { diffContent, questionChanges } from './tool-call.ts'

export function permissionOptions({ held }: Pick<WaitingApproval, 'held'>): PermissionOption[] {
  return [
    { optionId: 'once', kind: 'allow_once', name: held ? 'Make this call' : 'Allow once' },
    {
      optionId: 'session',
      kind: 'allow_always',
      name: held ? exactLine(held.raise) : 'Allow this call for the session',
    },
    { optionId: 'deny', kind: 'reject_once', name: held ? 'Do not make it' : 'Reject' },
  ]
}

/** `undefined` where the person made none: the call goes on waiting. */
export function decisionOf(outcome: RequestPermissionOutcome): ApprovalDecision | undefined {
  if (outcome.outcome !== 'selected') return undefined
  switch (outcome.optionId) {
    case 'once':
      return { type: 'approve', scope: 'once' }
    case 'session':
      return { type: 'approve', scope: 'session' }
    // An option that was not offered allows nothing.
    default:
      return { type: 'deny' }
  }
}

export function questionContent(waits: WaitingApproval): ToolCallContent[] {
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
