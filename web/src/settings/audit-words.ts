import { argvText, exactLine } from '../../../src/context.ts'
import type { AuditRecord } from '../api/resources.ts'

export interface AuditOutcome {
  readonly text: string
  readonly look: 'good' | 'warn' | 'bad'
}

/** The decisions, as a person looks for them. */
export const decisions = [
  { value: '', title: 'Any' },
  { value: 'allowed', title: 'Allowed by a rule' },
  { value: 'refused', title: 'Refused by a rule' },
  { value: 'asked', title: 'A person was asked' },
  { value: 'approved', title: 'Approved by a person' },
  { value: 'denied', title: 'Denied by a person' },
] as const

const looks: Readonly<Record<string, AuditOutcome['look']>> = {
  refused: 'bad',
  denied: 'bad',
  asked: 'warn',
}

/** The decision; of a call that ran, its result; of a change that was made, that it was. */
export function auditOutcome({ kind, decision, ok }: AuditRecord): AuditOutcome {
  if (kind === 'damaged') return { text: 'damaged', look: 'bad' }
  if (ok === false) return { text: 'failed', look: 'bad' }
  if (kind === 'call' && ok === true) return { text: 'ran', look: 'good' }
  if (kind === 'change' && decision !== 'asked' && decision !== 'denied') return { text: 'changed', look: 'good' }
  return { text: decision ?? 'noted', look: looks[decision ?? ''] ?? 'good' }
}

/** What ran or would run, as exactly as it is recorded. */
export function auditCall({ argv, command, input, reason, rule }: AuditRecord): string {
  return argv ? argvText(argv) : exactLine(command ?? input ?? reason ?? rule ?? '')
}

/** Names of facts that are not plain words. */
const names: Readonly<Record<string, string>> = {
  toolCallId: 'tool call',
  call: 'model call',
  request: 'hash of the request',
  digest: 'hash of the call',
  argv: 'arguments',
  read: 'had read',
  exitCode: 'exit code',
  durationMs: 'duration, ms',
  ok: 'succeeded',
  previous: 'hash before',
}

/** Every fact of a record, with its name and its exact text. */
export function auditFacts(record: AuditRecord): readonly (readonly [name: string, text: string])[] {
  return Object.entries(record).map(([key, value]) => [names[key] ?? key, factText(key, value)])
}

function factText(key: string, value: unknown): string {
  if (key === 'argv' && Array.isArray(value)) return argvText(value.map(String))
  if (key === 'read' && Array.isArray(value)) return exactLine(value.map(String).join(', '))
  return exactLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}
