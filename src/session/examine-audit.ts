import { countedText } from '../context.ts'
import { defined, timeSlice } from '../platform.ts'
import { type AuditStore, type AuditVerdict, brokenVerdict, verifyAudit } from './audit.ts'
import { type AuditPosition, isArchivedBy } from './audit-archive.ts'
import {
  type AuditCheckpoint,
  type AuditKey,
  type ChainPosition,
  type CheckpointRestore,
  CUT_OFF,
  isSigned,
  parseCheckpoint,
} from './audit-checkpoint.ts'

/** The verdict about the chain and about what was signed of it. */
export type AuditReport = AuditVerdict & {
  /** What a broken audit does not match: its own hashes, a checkpoint, or the expected record. */
  readonly against?: 'chain' | 'checkpoints' | 'expected'
  readonly hint?: string
  /** The newest record; absent where there is none. */
  readonly head?: ChainPosition
  /** The last record that was archived; absent where the chain begins in the store. */
  readonly archived?: ChainPosition & { readonly time: string }
  readonly checkpoints: CheckpointReport
}

export interface CheckpointReport {
  /** Id of the key of this home; absent where it has none. */
  readonly key?: string
  /** The newest checkpoint that could be read; absent where there is none yet. */
  readonly newest?: ChainPosition & { readonly time: string }
  readonly targets: readonly CheckpointTargetReport[]
  /** Restored backups, oldest first. */
  readonly restores: readonly (CheckpointRestore & { readonly time: string })[]
}

/** Where checkpoints are written, and whether that works. */
export interface CheckpointTargetReport {
  /** As the configuration names it, without secrets. */
  readonly target: string
  /** How many were read; absent where the target cannot be read back. */
  readonly checkpoints?: number
  readonly newest?: ChainPosition & { readonly time: string }
  readonly failure?: TargetFailure
}

/** Why a checkpoint could not be written or read. */
export interface TargetFailure {
  /** ISO 8601; absent where that is unknown. */
  readonly since?: string | undefined
  readonly message: string
}

/** What one target is known to have. */
export interface CheckpointEvidence {
  readonly target: string
  /** Its lines; `undefined` where it cannot be read back. */
  readonly lines?: readonly string[] | undefined
  /** Number of the first of these lines, where those before it were not read. 1 unless given. */
  readonly firstLine?: number
  readonly written?: AuditCheckpoint | undefined
  /** Checkpoints that could not be written to it yet. */
  readonly waiting: readonly AuditCheckpoint[]
  readonly failure?: TargetFailure | undefined
}

export interface ExamineOptions {
  /** This record, with this hash, has to be in the chain. */
  readonly expect?: ChainPosition | undefined
  /** Id of the chain in the store; `undefined` where it has none. */
  readonly audit?: string | undefined
  /** The key of the home; `undefined` where it has none. */
  readonly key?: Pick<AuditKey, 'id' | 'publicKey'> | undefined
  /** Why the key or the note of the checkpoints cannot be used. */
  readonly fault?: string | undefined
  readonly evidence?: readonly CheckpointEvidence[] | undefined
  /** What the store says was archived. */
  readonly archived?: AuditPosition | undefined
  /** A checkpoint is taken after so many records, at the latest. Unknown where absent. */
  readonly everyRecords?: number | undefined
}

/**
 * Verifies the chain, and compares it with an expected record and with checkpoints. A chain that was cut off, rewritten or
 * emptied together with what the store notes about it is broken wherever a checkpoint of it can be read. `store` is
 * `undefined` where there is none.
 */
export async function examineAudit(store: AuditStore | undefined, options: ExamineOptions = {}): Promise<AuditReport> {
  const { expect, key, evidence = [], archived } = options
  const verdict = store ? await verifyChain(store, options) : ({ type: 'whole', records: 0 } as const)
  const head = await store?.auditHead()
  const read = await readAll(store, evidence, key)
  const report = { ...defined({ head, archived }), checkpoints: checkpointReport(evidence, read, key) }
  if (verdict.type === 'broken') return { ...verdict, against: 'chain', hint: CHANGED, ...report }
  const missed = expect && (await missedExpectation(store, expect, archived))
  if (missed) return { type: 'broken', ...missed, against: 'expected', ...report }
  const broken = await findBreak(store, options, read)
  return broken ? { type: 'broken', ...broken, against: 'checkpoints', ...report } : { ...verdict, ...report }
}

/** A chain goes on after what was archived only where the key of the home says so: else anybody could take its beginning away. */
async function verifyChain(store: AuditStore, { archived, audit, key }: ExamineOptions): Promise<AuditVerdict> {
  const isForged =
    archived && ((key && !isArchivedBy(key, archived)) || (audit !== undefined && archived.audit !== audit))
  if (isForged) return brokenVerdict(1, 'what the store says was archived was changed or forged')
  return verifyAudit(store, archived)
}

/** What checkpoints say against the chain; `undefined` where nothing does. Reads only the records that they name. */
export async function findCheckpointBreak(
  store: AuditStore | undefined,
  options: Omit<ExamineOptions, 'expect'>,
): Promise<CheckpointBreak | undefined> {
  return findBreak(store, options, await readAll(store, options.evidence ?? [], options.key))
}

async function readAll(
  store: AuditStore | undefined,
  evidence: readonly CheckpointEvidence[],
  key: ExamineOptions['key'],
): Promise<readonly ReadEvidence[]> {
  const read: ReadEvidence[] = []
  for (const each of evidence) read.push(await readEvidence(store, each, key))
  return read
}

/** Whether the chain has this record. Of what was archived it is known only of the last; those before it were proved then. */
async function hasRecord(
  store: AuditStore | undefined,
  { number, hash }: ChainPosition,
  archived?: ChainPosition,
): Promise<boolean> {
  if (archived && number <= archived.number) return number < archived.number || hash === archived.hash
  const [record] = (await store?.audit({ after: number - 1, limit: 1 })) ?? []
  return record?.number === number && record.hash === hash
}

/** Where the chain does not match a checkpoint or an expectation, in words. */
export interface CheckpointBreak {
  /** Of the first record in doubt. */
  readonly number: number
  readonly why: string
  readonly hint: string
}

const CHANGED =
  'Something changed it outside Foreword. Keep a copy of the store, and look at the records with `foreword audit list`.'

const COMPARE =
  'Keep a copy of the home as it is now. Compare it with your newest backup and with the other places of your checkpoints.'

async function missedExpectation(
  store: AuditStore | undefined,
  expect: ChainPosition,
  archived: ChainPosition | undefined,
): Promise<CheckpointBreak | undefined> {
  const { number } = expect
  if (archived && number < archived.number) {
    const hint = 'Verify the archive that has it with `foreword audit verify --archive FILE`, and look there.'
    return { number, why: `the expected record ${number} was archived`, hint }
  }
  if (await hasRecord(store, expect, archived)) return undefined
  const [record] = (await store?.audit({ after: Math.max(0, number - 1), limit: 1 })) ?? []
  const why =
    record?.number === number
      ? `record ${number} has the hash ${record.hash}, not the expected one: the audit was rewritten, or this is another one`
      : `the expected record ${number} is not in the audit: it was cut off or emptied, or this is another one`
  return { number, why, hint: COMPARE }
}

interface ReadCheckpoint {
  readonly place: string
  readonly checkpoint: AuditCheckpoint
}

interface ReadEvidence {
  /** From the last restore on, oldest first. */
  readonly current: readonly ReadCheckpoint[]
  readonly restores: CheckpointReport['restores']
  /** Lines of the target, those before a restore included. */
  readonly count: number
  readonly fault?: Omit<CheckpointBreak, 'number'> & { readonly number?: number }
}

async function readEvidence(
  store: AuditStore | undefined,
  { target, lines, firstLine = 1, written, waiting }: CheckpointEvidence,
  key: ExamineOptions['key'],
): Promise<ReadEvidence> {
  const work = store && timeSlice(store.clock)
  const noted = [...(written ? [written] : []), ...waiting]
  const found: ReadCheckpoint[] = []
  let fault: ReadEvidence['fault']
  for (const [index, line] of (lines ?? []).entries()) {
    if (work?.isOver()) await work.rest()
    const place = `line ${firstLine + index} of ${target}`
    if (line.endsWith(CUT_OFF)) {
      // A crash may cut off the last line. What is missing of it is found by the note of what was written.
      const whole = parseCheckpoint(line.slice(0, -CUT_OFF.length))
      if (whole) fault ??= lineFault(place, undefined, key)
      continue
    }
    const checkpoint = parseCheckpoint(line)
    if (checkpoint && (key === undefined || isSigned(checkpoint, key))) found.push({ place, checkpoint })
    else fault ??= lineFault(place, checkpoint, key)
  }
  fault ??= noKeyFault(found, key) ?? endFault(target, lines, written, found)
  for (const checkpoint of noted) {
    const place = `the note of checkpoints for ${target}`
    if (key && !isSigned(checkpoint, key)) fault ??= lineFault(place, checkpoint, key)
    else if (!found.some((each) => isSame(each.checkpoint, checkpoint))) found.push({ place, checkpoint })
  }
  const last = found.findLastIndex(({ checkpoint }) => checkpoint.restore !== undefined)
  return {
    current: found.slice(Math.max(0, last)),
    restores: found.flatMap(({ checkpoint: { restore, time } }) => (restore ? [{ ...restore, time }] : [])),
    count: lines === undefined ? 0 : found.filter(({ place }) => place.startsWith('line ')).length,
    ...defined({ fault }),
  }
}

function isSame(one: AuditCheckpoint, other: AuditCheckpoint): boolean {
  return one.signature === other.signature
}

function lineFault(
  place: string,
  checkpoint: AuditCheckpoint | undefined,
  key: ExamineOptions['key'],
): ReadEvidence['fault'] {
  const hint = `Keep a copy. Somebody other than this gateway wrote ${place}. ${COMPARE}`
  if (!checkpoint) return { why: `${place} is not a checkpoint`, hint }
  const { number } = checkpoint
  if (key && checkpoint.key !== key.id) {
    return {
      number,
      why: `${place} is signed with the key ${checkpoint.key}, and this home has the key ${key.id}: the data of this home were replaced, or the checkpoints are of another home`,
      hint: `Restore the backup that has that key. If you emptied this home yourself, move the old checkpoints aside. Each home needs a place of its own for them.`,
    }
  }
  return { number, why: `${place} was changed or forged: its signature does not match`, hint }
}

function noKeyFault(found: readonly ReadCheckpoint[], key: ExamineOptions['key']): ReadEvidence['fault'] {
  const last = found.at(-1)
  if (key !== undefined || last === undefined) return undefined
  const { number, time } = last.checkpoint
  return {
    number,
    why: `${last.place} was signed at ${time}, when the audit had ${recordsText(number)}, and the key of this home is gone`,
    hint: 'Restore a backup that has `data/audit-key.pem`. If you emptied this home yourself, move the old checkpoints aside.',
  }
}

function endFault(
  target: string,
  lines: CheckpointEvidence['lines'],
  written: AuditCheckpoint | undefined,
  found: readonly ReadCheckpoint[],
): ReadEvidence['fault'] {
  if (lines === undefined || written === undefined) return undefined
  if (found.some(({ checkpoint }) => isSame(checkpoint, written))) return undefined
  const { number, time } = written
  const what = lines.length === 0 ? `${target} is gone or empty` : `the end of ${target} was cut off`
  return {
    number,
    why: `${what}: the checkpoint of record ${number} was written there at ${time}`,
    hint: `Put ${target} back from a copy. ${COMPARE}`,
  }
}

async function findBreak(
  store: AuditStore | undefined,
  { audit, archived, fault: unusable, key, everyRecords = Infinity }: ExamineOptions,
  read: readonly ReadEvidence[],
): Promise<CheckpointBreak | undefined> {
  const records = (await store?.auditHead())?.number ?? 0
  // What a checkpoint says about the chain is more than what is wrong with a line.
  const faults: CheckpointBreak[] = []
  for (const { current, fault } of read) {
    if (fault) faults.push({ number: 1, ...fault })
    const work = store && timeSlice(store.clock)
    for (const { place, checkpoint } of current) {
      if (work?.isOver()) await work.rest()
      const found = await findChainBreak(store, { audit, archived, records }, place, checkpoint)
      if (found) return found
    }
  }
  if (unusable !== undefined) return { number: 1, why: unusable, hint: COMPARE }
  const hasNone = read.length > 0 && read.every(({ current }) => current.length === 0)
  if (key && hasNone && records > everyRecords * KILLED) faults.push(noCheckpoint(records, everyRecords))
  return faults[0]
}

/** A process that is killed while it writes its first checkpoint has written more records than one waits for, but not many. */
const KILLED = 3

function noCheckpoint(records: number, everyRecords: number): CheckpointBreak {
  return {
    number: 1,
    why: `the audit has ${recordsText(records)} and no checkpoint, though one is taken after every ${everyRecords}: they were removed, or no place was named for them before`,
    hint: `Put the checkpoints back from a copy. If you named a place for them only now, start the gateway once. ${COMPARE}`,
  }
}

async function findChainBreak(
  store: AuditStore | undefined,
  { audit, archived, records }: Pick<ExamineOptions, 'audit' | 'archived'> & { readonly records: number },
  place: string,
  checkpoint: AuditCheckpoint,
): Promise<CheckpointBreak | undefined> {
  const { number, time } = checkpoint
  const isOther = audit !== checkpoint.audit
  const hasIt = await hasRecord(store, checkpoint, archived)
  if (hasIt && !isOther) return undefined
  const said = `${place} says that at ${time} the audit had ${recordsText(number)}`
  if (hasIt) return { number, why: `${said}, and the store has another audit now`, hint: RESTORE }
  if (records === 0 || isOther) {
    // A gateway writes records of its own at its start, so a new audit is seldom empty for long.
    const now = records === 0 ? 'there is none now' : `now it is another audit with ${recordsText(records)}`
    return { number: 1, why: `the audit was emptied: ${said}, and ${now}`, hint: RESTORE }
  }
  if (number > records) {
    return {
      number: records + 1,
      why: `the end was cut off: ${said}, and it has ${recordsText(records)} now`,
      hint: RESTORE,
    }
  }
  const why = `the audit was rewritten: ${place} says that record ${number} had another hash at ${time}`
  return { number, why, hint: RESTORE }
}

const RESTORE =
  'Keep a copy of the home as it is now, then restore your newest backup with `foreword restore FILE --replace`. A restore is recorded, so that it is not taken for this.'

function recordsText(count: number): string {
  return countedText(count, 'record')
}

function checkpointReport(
  evidence: readonly CheckpointEvidence[],
  read: readonly ReadEvidence[],
  key: ExamineOptions['key'],
): CheckpointReport {
  const all = read.flatMap(({ current }) => current.map(({ checkpoint }) => checkpoint))
  const restores = new Map(read.flatMap((each) => each.restores.map((restore) => [restore.time, restore] as const)))
  return {
    ...defined({ key: key?.id, newest: newestOf(all) }),
    targets: evidence.map(({ target, lines, written, failure }, index) => ({
      target,
      ...(lines === undefined ? {} : { checkpoints: read[index]!.count }),
      ...defined({ newest: newestOf(written ? [written] : []), failure }),
    })),
    restores: [...restores.values()].toSorted((one, other) => (one.time < other.time ? -1 : 1)),
  }
}

function newestOf(all: readonly AuditCheckpoint[]): CheckpointReport['newest'] {
  const newest = all.toSorted((one, other) => (one.time < other.time ? -1 : 1)).at(-1)
  return newest && { number: newest.number, hash: newest.hash, time: newest.time }
}
