import { exactLine, argvText, exactLines, foreignTextSentence, lookAlikes } from '../../context.ts'
import type { WaitingApproval } from '../../runtime.ts'
import type { ApprovalDecision } from '../../session.ts'
import { requestJson, apiPath, requestList } from '../answer.ts'
import type { GatewayConnection, Io } from '../../capability.ts'
import { CommandFailure } from '../failure.ts'
import { findByIdPrefix } from '../find-one.ts'
import type { CallDescription } from '../../tool.ts'
import { type Look, applyStyle, width } from '../io.ts'
import { wrappedLine } from '../wrapped-line.ts'

export async function fetchApprovals(connection: GatewayConnection): Promise<readonly WaitingApproval[]> {
  return await requestList<WaitingApproval>(connection, '/api/approvals', 'approvals')
}

/**
 * Fetches the waiting call whose id begins with `word`, or the newest for `last`. Throws where there is none, or more than
 * one.
 */
export async function findApproval(connection: GatewayConnection, word: string): Promise<WaitingApproval> {
  const all = await fetchApprovals(connection)
  return await findByIdPrefix(word, {
    kind: 'approval',
    idOf: ({ approval }) => approval,
    find: async ({ beginning }) => {
      if (beginning === undefined) return all.toReversed()
      const found = all.filter(({ approval }) => approval.startsWith(beginning))
      return found.toSorted((one, other) => (one.approval < other.approval ? -1 : 1))
    },
    describe: ({ request, session }) => `${request.tool}  ${session}`,
    none: () =>
      new CommandFailure('not-found', `No call that waits for approval matches "${word}".`, {
        hint: 'List the calls that wait with `foreword approve`.',
      }),
  })
}

/** Sends a decision about exactly what was shown. The decision is on disk when this resolves. */
export async function decide(
  connection: GatewayConnection,
  { approval, digest }: WaitingApproval,
  decision: ApprovalDecision,
): Promise<void> {
  const { type, ...rest } = decision
  const body = { decision: type, ...rest, digest, by: 'cli' }
  await requestJson(connection, apiPath('/api/approvals/', approval), { method: 'POST', body })
}

export function approvalNotice({ approval, request, held }: WaitingApproval): string {
  const id = exactLine(approval)
  if (held) return `${exactLine(held.sentence)} Decide with \`foreword approve ${id}\`.`
  return `${exactLine(request.tool)} waits for your approval. Decide with \`foreword approve ${id}\`.`
}

export function waitingCallText(
  { request, read = [], held }: Pick<WaitingApproval, 'request' | 'read' | 'held'>,
  io: Io,
): string {
  if (held) return `  ${exactLine(held.sentence)}\n${applyStyle(io, 'dim', '  raise')}   ${exactLine(held.raise)}`
  const text = callText(request, io)
  if (read.length === 0) return text
  const sentence = wrappedLine(foreignTextSentence(read), width(io) - 2).replaceAll(/^/gm, '  ')
  return `${text}\n${applyStyle(io, 'yellow', sentence)}`
}

/** A call for a person who decides about it. Nothing is left out, and nothing in it can control the terminal. */
export function callText(call: CallDescription, io: Io): string {
  const label = (name: string) => applyStyle(io, 'dim', `  ${name.padEnd(8)}`)
  const line = (name: string, text: string) => label(name) + text.replaceAll('\n', `\n${' '.repeat(10)}`)
  const lines = [line('tool', applyStyle(io, 'bold', exactLine(call.tool)))]
  if (call.argv !== undefined) lines.push(line('argv', argvText(call.argv)))
  if (call.command !== undefined) lines.push(line('command', exactLines(call.command)))
  if (call.folder !== undefined) lines.push(line('folder', exactLine(call.folder)))
  if (call.argv === undefined && call.command === undefined) lines.push(line('input', inputText(call)))
  for (const [name, fact] of Object.entries(call.facts ?? {})) {
    lines.push(line(exactLine(name), exactLine(typeof fact === 'string' ? fact : JSON.stringify(fact))))
  }
  const alike = lookAlikes([...(call.argv ?? []), call.command ?? ''].join(' '))
  if (alike.length > 0) lines.push(applyStyle(io, 'red', `  Characters that look like others: ${alike.join(', ')}`))
  if (call.diff !== undefined) lines.push(diffText(call.diff, io))
  return lines.join('\n')
}

/** One field per line, shortened where a diff shows it anyway. */
function inputText({ input, diff }: CallDescription): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return exactLine(JSON.stringify(input))
  const fields = Object.entries(input).map(([name, value]) => {
    const text = `${exactLine(name)}: ${exactLine(JSON.stringify(value) ?? '')}`
    return diff === undefined || text.length <= SHOWN_BESIDE_DIFF ? text : `${text.slice(0, SHOWN_BESIDE_DIFF)}…`
  })
  return fields.length === 0 ? '{}' : fields.join('\n')
}

const SHOWN_BESIDE_DIFF = 200

export function diffText(diff: string, io: Io): string {
  return exactLines(diff.replace(/\n$/, ''))
    .split('\n')
    .map((line) => {
      const look = lookOf(line)
      return look === undefined ? `  ${line}` : `  ${applyStyle(io, look, line)}`
    })
    .join('\n')
}

function lookOf(line: string): Look | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return line.startsWith('@@') ? 'cyan' : undefined
}
