import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command, CommandCall, Io } from '../../../capability.ts'
import {
  CommandFailure,
  commandWithSubcommands,
  fileFailure,
  findHomeStore,
  loadValidConfiguration,
  note,
  parseSince,
  print,
  printAnswer,
  programCapabilities,
  rowTable,
  safeForTerminal,
  singleLine,
  timeText,
  usageFailure,
  verifyStoredAudit,
  width,
  withClaim,
  withStore,
  withWritableStore,
  writeFileOnce,
  writeNamedFile,
} from '../../../cli.ts'
import { countedText, argvText, exactLine } from '../../../context.ts'
import { systemClock } from '../../../platform.ts'
import type { AuditRecord, AuditReport, AuditVerdict, ChainPosition, CheckpointTargetReport } from '../../../session.ts'
import { readFilter, filterOptions, resolveSession } from './audit-filter.ts'

const FILTERS = '[--session ID] [--turn ID] [--tool NAME] [--decision WORD] [--since WHEN] [--last N]'

const filteredCommand = commandWithSubcommands({
  name: 'audit',
  group: 'look',
  summary: 'list, verify and export the record of tool calls and decisions',
  details:
    'Every decision about a tool call and every call has a record, refused ones included, and each record contains the hash of the one before. ' +
    '`verify` names the first record that was changed, removed or moved, and then exits with code 1; it compares the chain with its ' +
    'signed checkpoints, too. `archive` moves the records before a time into a file; the chain in the store goes on after them. `key` prints the public key of these. `export` writes the complete records ' +
    'as JSON Lines, oldest first. The command works with and without a running gateway.',
  options: {
    ...filterOptions,
    expect: { value: 'N:HASH', summary: 'record N with this hash has to be in the chain (verify)' },
    output: { value: 'FILE', summary: 'write the export to FILE instead of standard output' },
    archive: { value: 'FILE', summary: 'verify the records in FILE instead of those in the store (verify)' },
    before: { value: 'WHEN', summary: 'archive records before a time or a span, such as 2026-01-31 or 365d (archive)' },
  },
  first: 'list',
  subcommands: {
    list: { usage: `${FILTERS} [--json]`, run: listAudit },
    verify: { usage: '[--expect N:HASH] [--archive FILE] [--json]', run: verifyAudit },
    key: { usage: '[--json]', run: printKey },
    archive: { usage: '--before WHEN --output FILE [--json]', run: archive, forPersons: 'archive the audit' },
    export: { usage: `[--output FILE] ${FILTERS}`, run: exportAudit },
  },
})

export const auditCommand: Command = {
  ...filteredCommand,
  async run(call, io) {
    checkOptions(call)
    return await filteredCommand.run(call, io)
  },
}

function checkOptions(call: CommandCall): void {
  const [name = 'list'] = call.words
  if (call.has('output') && name !== 'export' && name !== 'archive') {
    throw usageFailure('--output requires the subcommand export.', 'Usage: foreword audit export --output FILE')
  }
  const belongs = (option: string, to: string, usage: string) => {
    if (!call.has(option) || name === to) return
    throw usageFailure(`--${option} requires the subcommand ${to}.`, `Usage: foreword audit ${usage}`)
  }
  belongs('expect', 'verify', 'verify --expect N:HASH')
  belongs('archive', 'verify', 'verify --archive FILE')
  belongs('before', 'archive', 'archive --before WHEN --output FILE')
  const filter =
    name === 'verify' || name === 'key' || name === 'archive'
      ? Object.keys(filterOptions).find((option) => call.has(option))
      : undefined
  if (filter !== undefined) {
    throw usageFailure(`--${filter} cannot be used with ${name}, which is about the whole chain.`, 'Leave it out.')
  }
}

const USUAL = 50

async function listAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = { last: USUAL, ...readFilter(call) }
  const records = await withStore(
    await findHomeStore(call.home, io),
    async (store) => store.audit(await resolveSession(store, filter)),
    () => [],
  )
  if (call.json) for (const record of records) print(io, safeForTerminal(JSON.stringify(record), io.stdout))
  else if (records.length === 0) note(io, 'No matching records.')
  else print(io, auditTable(records, io))
  return 0
}

function auditTable(records: readonly AuditRecord[], io: Io): string {
  const most = Math.max(24, width(io) - 60)
  const now = new Date()
  const rows = records.map((record) => ({
    record: String(record.number),
    time: exactLine(timeText(record.time, now)),
    outcome: outcomeText(record),
    tool: singleLine(exactLine(record.tool ?? ''), 40),
    call: singleLine(shortCall(record), most),
    rule: singleLine(exactLine(record.rule ?? ''), 60),
    by: singleLine(exactLine(record.by ?? ''), 80),
    exit: String(record.exitCode ?? ''),
    ms: typeof record.durationMs === 'number' ? String(Math.round(record.durationMs)) : '',
    session: exactLine(record.session ?? ''),
  }))
  const spare = ['session', 'ms', 'exit', 'record', 'rule', 'by'] as const
  return rowTable(rows, io, { right: ['record', 'exit', 'ms'], spare })
}

/** The decision; for a call that ran, its result. */
function outcomeText({ kind, decision, ok }: AuditRecord): string {
  if (kind === 'damaged') return 'damaged'
  if (kind === 'change') return changeOutcome(decision, ok)
  if (kind === 'call' && typeof ok === 'boolean') return ok ? 'ran' : 'failed'
  return exactLine(decision ?? '')
}

/** A change that was only requested, was denied or failed has changed nothing. */
function changeOutcome(decision: AuditRecord['decision'], ok: boolean | undefined): string {
  if (ok === false) return 'failed'
  return decision === 'asked' || decision === 'denied' ? decision : 'changed'
}

function shortCall({ argv, command, input, reason }: AuditRecord): string {
  if (argv) return argvText(argv)
  return exactLine(command ?? input ?? reason ?? '')
}

/** Verifies the whole chain. Exit code 1 where it is broken. */
async function verifyAudit(call: CommandCall, io: Io): Promise<number> {
  const file = call.text('archive')
  if (file !== undefined) return await verifyArchive(call, file, io)
  const expect = await readExpectation(call.text('expect'))
  const report = await verifyStoredAudit(await findHomeStore(call.home, io), call.home, io, expect)
  printAnswer(report, () => reportLines(report).map(exactLine).join('\n'), call, io)
  return report.type === 'whole' ? 0 : 1
}

/** Verifies what was archived from this home. Exit code 1 where it is broken. */
async function verifyArchive(call: CommandCall, file: string, io: Io): Promise<number> {
  const { verifyAuditArchive } = await import('../../../session.ts')
  const { publicKey } = await requireKey(call.home)
  const opened = await open(file).catch((error: unknown) => {
    throw fileFailure(file, 'read', error)
  })
  const verdict = await verifyAuditArchive(opened.readLines(), { publicKey })
  const { archived } = verdict
  const end = archived ? `\nup to record ${archived.number}:${archived.hash}, archived at ${archived.time}` : ''
  printAnswer(verdict, () => exactLine(verdictText(verdict)) + end, call, io)
  return verdict.type === 'whole' ? 0 : 1
}

/** Moves the records before a time into a new file. The gateway must not run. */
async function archive(call: CommandCall, io: Io): Promise<number> {
  const [when, file] = [call.text('before'), call.text('output')]
  if (when === undefined || file === undefined) {
    const usage = 'Usage: foreword audit archive --before WHEN --output FILE'
    throw usageFailure('archive requires --before and --output.', usage)
  }
  const [{ archiveAudit }, { takeHomeCheckpoint }, configuration] = await Promise.all([
    import('../archive-audit.ts'),
    import('../../../runtime.ts'),
    loadValidConfiguration(call.home, io),
  ])
  const { environment } = io
  const home = { home: call.home, environment, capabilities: await programCapabilities(io), clock: systemClock }
  const kept = await findHomeStore(call.home, io)
  const done = await withClaim(call.home, io, () =>
    withWritableStore(kept, async (store) => {
      const archived = await archiveAudit({
        ...home,
        store,
        before: parseSince(when, Date.now()),
        file,
        write: (lines) =>
          writeFileOnce(
            file,
            Readable.from(lines).map((line: string) => `${line}\n`),
          ),
      })
      if (archived) await takeHomeCheckpoint({ ...home, configuration, store, warn: (text) => note(io, text) })
      return archived
    }),
  )
  const said = done ? `Archived the records up to ${done.number} in ${file}.` : 'There are no such records to archive.'
  return printAnswer({ archived: done ?? null }, () => said, call, io)
}

async function readExpectation(text: string | undefined): Promise<ChainPosition | undefined> {
  if (text === undefined) return undefined
  const { parseChainPosition } = await import('../../../session.ts')
  const expect = parseChainPosition(text)
  if (expect) return expect
  throw usageFailure(
    '--expect must be the number and the hash of a record, N:HASH.',
    '`foreword audit verify` prints the newest one as `head`.',
  )
}

function reportLines(report: AuditReport): readonly string[] {
  const { head, hint, archived, checkpoints } = report
  const { newest, targets, restores } = checkpoints
  return [
    verdictText(report),
    ...(hint === undefined ? [] : [hint]),
    ...(archived ? [`archived: up to record ${archived.number}, at ${archived.time}`] : []),
    ...(head ? [`head: ${head.number}:${head.hash}`] : []),
    newest ? `newest checkpoint: record ${newest.number} at ${newest.time}` : 'no checkpoint yet',
    ...targets.flatMap(targetLines),
    ...restores.map(
      ({ time, saved, before }) =>
        `restored at ${time}: a backup of ${saved}${before ? `, in place of ${countedText(before.number, 'record')}` : ''}`,
    ),
  ]
}

function targetLines({ target, checkpoints, newest, failure }: CheckpointTargetReport): readonly string[] {
  const count = checkpoints === undefined ? '' : `, ${countedText(checkpoints, 'checkpoint')}`
  const failed = failure
    ? `; failing${failure.since === undefined ? '' : ` since ${failure.since}`}: ${failure.message}`
    : ''
  if (newest === undefined) return failure ? [`  ${target}: nothing written yet${failed}`] : []
  return [`  ${target}: written up to record ${newest.number}${count}${failed}`]
}

function verdictText(verdict: AuditVerdict): string {
  if (verdict.type === 'broken') return `broken at record ${verdict.number}: ${verdict.why}`
  return `whole: ${countedText(verdict.records, 'record')}`
}

/** Prints the public key that checkpoints are signed with, for those who verify them elsewhere. */
async function printKey(call: CommandCall, io: Io): Promise<number> {
  const { id, publicKey } = await requireKey(call.home)
  return printAnswer({ id, publicKey }, () => `${id}\n${publicKey.trimEnd()}`, call, io)
}

async function requireKey(home: string) {
  const { readAuditKey } = await import('../../../runtime.ts')
  const key = await readAuditKey(home)
  if (key) return key
  throw new CommandFailure('not-found', `The home ${home} has no key for its audit yet.`, {
    hint: 'The gateway makes it at its first start.',
  })
}

async function exportAudit(call: CommandCall, io: Io): Promise<number> {
  const filter = readFilter(call)
  const file = call.text('output')
  await withStore(
    await findHomeStore(call.home, io),
    async (store) => {
      const { auditLines } = await import('../../../session.ts')
      await write(auditLines(store, await resolveSession(store, filter)), file, io)
    },
    () => write([], file, io),
  )
  if (file !== undefined) note(io, `Exported the audit to ${file}.`)
  return 0
}

async function write(lines: AsyncIterable<string> | Iterable<string>, file: string | undefined, io: Io): Promise<void> {
  const source = Readable.from(lines).map((line: string) => `${line}\n`)
  if (file !== undefined) return await writeNamedFile(file, source)
  const shown = source.map((line: string) => safeForTerminal(line, io.stdout))
  await pipeline(shown, io.stdout, { end: false })
}
