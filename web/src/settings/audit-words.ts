import { argvText, exactLine } from '../../../src/context.ts'
import type { AuditRecord } from '../api/resources.ts'
import { t } from '../language/language.ts'

export interface AuditOutcome {
  readonly text: string
  readonly look: 'good' | 'warn' | 'bad'
}

export const decisions = [
  { value: '', title: t`Any` },
  { value: 'allowed', title: t`Allowed by a rule` },
  { value: 'refused', title: t`Refused by a rule` },
  { value: 'asked', title: t`A person was asked` },
  { value: 'approved', title: t`Approved by a person` },
  { value: 'denied', title: t`Denied by a person` },
] as const

const outcomes: Readonly<Record<string, string>> = {
  allowed: t`allowed`,
  refused: t`refused`,
  asked: t`asked`,
  approved: t`approved`,
  denied: t`denied`,
}

const looks: Readonly<Record<string, AuditOutcome['look']>> = { refused: 'bad', denied: 'bad', asked: 'warn' }

/** The decision; of a call that ran, its result; of a change that was made, that it was. */
export function auditOutcome({ kind, decision, ok }: AuditRecord): AuditOutcome {
  if (kind === 'damaged') return { text: t`damaged`, look: 'bad' }
  if (ok === false) return { text: t`failed`, look: 'bad' }
  if (kind === 'call' && ok === true) return { text: t`ran`, look: 'good' }
  if (kind === 'change' && decision !== 'asked' && decision !== 'denied') return { text: t`changed`, look: 'good' }
  return { text: outcomes[decision ?? ''] ?? decision ?? t`noted`, look: looks[decision ?? ''] ?? 'good' }
}

/** What ran or would run, as exactly as it is recorded. */
export function auditCall({ argv, command, input, reason, rule }: AuditRecord): string {
  return argv ? argvText(argv) : exactLine(command ?? input ?? reason ?? rule ?? '')
}

/** Names of facts; any other is its key. */
const names: Readonly<Record<string, string>> = {
  kind: t`kind`,
  rule: t`rule`,
  reason: t`reason`,
  by: t`by`,
  decision: t`decision`,
  time: t`time`,
  tool: t`tool`,
  session: t`session`,
  toolCallId: t`tool call`,
  call: t`model call`,
  request: t`hash of the request`,
  digest: t`hash of the call`,
  argv: t`arguments`,
  read: t`had read`,
  exitCode: t`exit code`,
  durationMs: t`duration, ms`,
  ok: t`succeeded`,
  previous: t`hash before`,
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
