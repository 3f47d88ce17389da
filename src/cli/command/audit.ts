import { argvText, exactLine } from '../../context.ts'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command, CommandCall, Io } from '../../capability.ts'
import { nearestName } from '../../platform.ts'
import type { AuditOptions, AuditRecord, AuditStore, AuditVerdict } from '../../session.ts'
import { jsonOption } from '../arguments.ts'
import { readFilter, filterOptions, resolveSession } from '../audit-filter.ts'
import { usageFailure } from '../failure.ts'
import { fileFailure } from '../input-text.ts'
import { harmless, lineLimit, note, print, printJson, width } from '../io.ts'
import { findHomeStore, withStore } from '../open-store.ts'
import { fittedTable, oneLine } from '../table.ts'
import { timeText } from '../time-text.ts'

export const auditCommand: Command = {
  name: 'audit',
  summary: 'list, verify and export what tools were asked to do, and who decided',
  usage: [
    'audit [list] [--session ID] [--turn ID] [--tool NAME] [--decision WORD] [--since WHEN] [--last N] [--json]',
    'audit verify [--json]',
    'audit export [--output FILE] [--session ID] [--turn ID] [--tool NAME] [--decision WORD] [--since WHEN] [--last N]',
  ],
  details:
    'Every decision and every call is a record, the refused ones too, and each record holds the hash of the one before. ' +
    'Verify names the first record that was changed, taken out or moved, and then ends with exit code 1. Export writes JSON ' +
    'Lines, complete records, oldest first. Works with and without a running gateway.',
  words: { least: 0, most: 1 },
  options: {
    ...filterOptions,
    output: { value: 'FILE', summary: 'export to a file instead of the standard output' },
    json: jsonOption,
  },
  run: (call, io) => actionOf(call)(call, io),
}

type Action = (call: CommandCall, io: Io) => Promise<number>

const actions: Readonly<Record<string, Action>> = { list: listAudit, verify: verifyAudit, export: exportAudit }

function actionOf(call: CommandCall): Action {
  const [name = 'list'] = call.words
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (action === undefined) {
    const near = nearestName(name, Object.keys(actions))
    throw usageFailure(
      `\`foreword audit\` cannot \`${name}\`.`,
      near === undefined ? `It can ${Object.keys(actions).join(', ')}.` : `Did you mean \`foreword audit ${near}\`?`,
    )
  }
  if (call.has('output') && name !== 'export') {
    throw usageFailure('--output goes with an export.', 'Write `foreword audit export --output FILE`.')
  }
  const filter = name === 'verify' ? Object.keys(filterOptions).find((option) => call.has(option)) : undefined
  if (filter !== undefined) throw usageFailure(`Verify examines the whole chain: it takes no --${filter}.`)
  return action
}

const USUAL = 50

/** One record a line, oldest first. */
async function listAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = { last: USUAL, ...readFilter(call) }
  const records = await withStore(
    await findHomeStore(call.home, io),
    async (store) => store.audit(await resolveSession(store, filter)),
    () => [],
  )
  if (call.json) for (const record of records) print(io, harmless(JSON.stringify(record), io.stdout))
  else if (records.length === 0) note(io, 'There are no such records.')
  else print(io, auditTable(records, io))
  return 0
}

function auditTable(records: readonly AuditRecord[], io: Io): string {
  const head = ['record', 'time', 'outcome', 'tool', 'call', 'rule', 'exit', 'ms', 'session']
  const most = Math.max(24, width(io) - 60)
  const now = new Date()
  const rows = records.map((record) => [
    String(record.number),
    exactLine(timeText(record.time, now)),
    outcomeOf(record),
    oneLine(exactLine(record.tool ?? ''), 40),
    oneLine(callOf(record), most),
    oneLine(exactLine(record.rule ?? ''), 60),
    String(record.exitCode ?? ''),
    typeof record.durationMs === 'number' ? String(Math.round(record.durationMs)) : '',
    exactLine(record.session ?? ''),
  ])
  return fittedTable([head, ...rows], { right: [0, 6, 7], columns: lineLimit(io), spare: [8, 7, 6, 0, 5] })
}

/** What was decided; of a call that ran, how it went. */
function outcomeOf({ kind, decision, ok }: AuditRecord): string {
  if (kind === 'damaged') return 'damaged'
  if (kind === 'change') return changeOutcome(decision, ok)
  if (kind === 'call' && typeof ok === 'boolean') return ok ? 'ran' : 'failed'
  return exactLine(decision ?? '')
}

/** A change that was only asked for, or denied, or that failed, has changed nothing. */
function changeOutcome(decision: AuditRecord['decision'], ok: boolean | undefined): string {
  if (ok === false) return 'failed'
  return decision === 'asked' || decision === 'denied' ? decision : 'changed'
}

/** What would run or ran, as exactly as is known. */
function callOf({ argv, command, input, reason }: AuditRecord): string {
  if (argv) return argvText(argv)
  return exactLine(command ?? input ?? reason ?? '')
}

/** Examines the whole chain. Exit code 1 where it is broken. */
async function verifyAudit(call: CommandCall, io: Io): Promise<number> {
  const verdict = await withStore<AuditVerdict>(
    await findHomeStore(call.home, io),
    async (store) => {
      const session = await import('../../session.ts')
      return await session.verifyAudit(store)
    },
    () => ({ type: 'whole', records: 0 }),
  )
  if (call.json) printJson(io, verdict)
  else print(io, sentenceOf(verdict))
  return verdict.type === 'whole' ? 0 : 1
}

function sentenceOf(verdict: AuditVerdict): string {
  if (verdict.type === 'broken') return `broken at record ${verdict.number}: ${verdict.why}`
  return verdict.records === 1 ? 'whole: 1 record' : `whole: ${verdict.records} records`
}

const PAGE = 500

/** Complete records as JSON Lines, oldest first. */
async function exportAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = readFilter(call)
  const file = call.text('output')
  const found = await withStore(
    await findHomeStore(call.home, io),
    async (store) => {
      await write(recordLines(store, await resolveSession(store, filter)), file, io)
      return true
    },
    () => false,
  )
  if (!found) await write([], file, io)
  if (file !== undefined) note(io, `The audit is in ${file}.`)
  return 0
}

async function write(lines: AsyncIterable<string> | Iterable<string>, file: string | undefined, io: Io): Promise<void> {
  const source = Readable.from(lines)
  if (file === undefined) {
    const shown = source.map((line: string) => harmless(line, io.stdout))
    return await pipeline(shown, io.stdout, { end: false })
  }
  try {
    await pipeline(source, createWriteStream(file, { mode: 0o600 }))
  } catch (error) {
    throw fileFailure(file, 'written', error)
  }
}

async function* recordLines(store: AuditStore, filter: AuditOptions): AsyncGenerator<string> {
  if (filter.last !== undefined) {
    for (const record of await store.audit(filter)) yield `${JSON.stringify(record)}\n`
    return
  }
  for (let after = 0; ;) {
    const page = await store.audit({ ...filter, after, limit: PAGE })
    for (const record of page) yield `${JSON.stringify(record)}\n`
    if (page.length < PAGE) return
    after = page.at(-1)!.number
  }
}
