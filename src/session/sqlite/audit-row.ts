import type { AuditFacts, AuditRecord } from '../audit.ts'

/** One row as it is found: whoever may write the file may have written anything into it. */
export interface AuditRow {
  readonly number: number
  readonly time: unknown
  readonly session: unknown
  readonly turn: unknown
  readonly tool: unknown
  readonly decision: unknown
  readonly record: unknown
  readonly hash: unknown
}

type Repeated = Pick<AuditFacts, (typeof REPEATED)[number]>

const REPEATED = ['session', 'turn', 'tool', 'decision'] as const

/** What stands in the columns for filters. A model may name a tool in a way that a column cannot hold. */
export function repeated(facts: Partial<Repeated>) {
  const { session, turn, tool, decision } = facts
  return { session: column(session), turn: column(turn), tool: column(tool), decision: column(decision) }
}

function column(text: string | null | undefined): string | null {
  return text?.toWellFormed().replaceAll('\0', '\ufffd') ?? null
}

/** A row that is no record any more is given as `damaged`, with as much of it as can be said. */
export function auditRecordOf(row: AuditRow): AuditRecord {
  const { number, time, hash } = row
  const said = parsed(row.record)
  if (typeof time !== 'string' || typeof hash !== 'string' || !said || !agrees(row, said)) return damaged(row)
  const { previous, ...facts } = said
  return Object.assign({ number, time }, facts, { number, time, previous, hash })
}

function damaged({ number, time, hash }: AuditRow): AuditRecord {
  return { number, time: textOf(time), kind: 'damaged', previous: '', hash: textOf(hash) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Otherwise a filter would pass over a record that nobody finds changed. */
function agrees(row: AuditRow, said: Said): boolean {
  const expected = repeated(said)
  return REPEATED.every((name) => row[name] === expected[name])
}

interface Said extends AuditFacts {
  readonly previous: string
}

function parsed(json: unknown): Said | undefined {
  if (typeof json !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(json)
    return isSaid(value) ? value : undefined
  } catch {
    return undefined
  }
}

const KINDS: readonly unknown[] = ['decision', 'call', 'change'] satisfies AuditFacts['kind'][]
const TEXTS = [...REPEATED, 'toolCallId', 'input', 'command', 'folder', 'digest', 'rule', 'reason']
const NUMBERS = ['exitCode', 'durationMs', 'bytes']
const FLAGS = ['ok', 'truncated']

function isSaid(value: unknown): value is Said {
  if (typeof value !== 'object' || value === null) return false
  const { kind, previous, argv, ...rest } = value as Record<string, unknown>
  const areAll = (names: readonly string[], type: string) =>
    names.every((name) => rest[name] === undefined || rest[name] === null || typeof rest[name] === type)
  return (
    KINDS.includes(kind) &&
    typeof previous === 'string' &&
    (argv === undefined || (Array.isArray(argv) && argv.every((word) => typeof word === 'string'))) &&
    areAll(TEXTS, 'string') &&
    areAll(NUMBERS, 'number') &&
    areAll(FLAGS, 'boolean')
  )
}
