import { type Clock, defined, errorMessage, serialQueue } from '../../platform.ts'
import {
  type AuditCheckpoint,
  type AuditFacts,
  type AuditKey,
  type ChainPosition,
  findCheckpointBreak,
  type SessionStore,
} from '../../session.ts'
import { makeAuditKey, readAuditKey } from './audit-key.ts'
import {
  type CheckpointNote,
  noteFault,
  readCheckpointNote,
  type TargetNote,
  writeCheckpointNote,
} from './checkpoint-note.ts'
import type { CheckpointTarget } from '../checkpoints/checkpoint-targets.ts'
import { AUDIT_ID, examineHomeAudit, homeEvidence } from './home-audit.ts'

/** Takes checkpoints of the audit of one home, for the process that has claimed it. Nothing of it delays or fails a turn. */
export type CheckpointService = Awaited<ReturnType<typeof openCheckpoints>>

export interface CheckpointServiceOptions {
  readonly home: string
  readonly store: SessionStore
  readonly targets: readonly CheckpointTarget[]
  /** A checkpoint is taken after so many records, and after so many ms where there are new ones. */
  readonly everyRecords: number
  readonly everyMs: number
  readonly clock: Clock
  readonly warn: (text: string) => void
}

/** Between two attempts to write what waits, ms. */
const RETRY_MS = 30_000
/** How long targets may take when the gateway stops, ms. What could not be written waits for the next start. */
const CLOSE_MS = 3_000
/** How much of a target is compared with the chain at a start, lines. `foreword audit verify` reads all of it. */
const RECENT_LINES = 1_000

/** Makes the key of a home that has none, and begins to take checkpoints. Where that fails, it warns and takes none. */
export async function openCheckpoints(options: CheckpointServiceOptions) {
  const { home, store, targets, clock, everyRecords, everyMs } = options
  const lasting: string[] = []
  const warn = (text: string) => {
    lasting.push(text)
    options.warn(text)
  }
  const queue = serialQueue()
  const closing = new AbortController()
  let state: ServiceState | undefined
  let key: AuditKey | undefined
  try {
    state = await openState({ ...options, warn })
    key = state.key
  } catch (error) {
    warn(`No checkpoints of the audit are taken: ${errorMessage(error)}`)
  }
  let records = 0
  let queued: Promise<void> | undefined

  const work = async (task: (opened: ServiceState) => Promise<void>) => {
    try {
      if (state) await task(state)
    } catch (error) {
      warn(`The checkpoint of the audit failed: ${errorMessage(error)}`)
    }
  }
  const take = () =>
    (queued ??= queue.add(() => {
      queued = undefined
      records = 0
      return work((opened) => takeCheckpoint(opened, options, closing.signal))
    }))
  void queue.add(() => work(() => compareAtStart({ ...options, warn })))
  void take()
  const timers = [
    clock.every(everyMs, () => void take(), { idle: true }),
    clock.every(RETRY_MS, () => state && isWaiting(state.note, targets) && void take(), { idle: true }),
  ]

  return {
    key,
    noteRecords(count: number) {
      records += count
      if (records >= everyRecords) void take()
    },
    /** Takes a checkpoint where there are records that none has, and writes those that wait. Never rejects. */
    take,
    idle: queue.idle,
    warnings: () => [...new Set([...lasting, ...(state ? failures(state.note, targets) : [])])],
    verify: (asked: { readonly expect?: ChainPosition | undefined } = {}) =>
      examineHomeAudit({ home, targets, store, everyRecords, ...asked }),
    /** Takes the last checkpoint. Waits at most some seconds for its targets. */
    async close() {
      for (const stop of timers) stop()
      const cancel = clock.timer(CLOSE_MS, () => closing.abort(new Error('the gateway stopped')))
      await take()
      await queue.idle()
      cancel()
    },
  }
}

interface ServiceState {
  readonly key: AuditKey
  readonly audit: string
  note: CheckpointNote
}

async function openState({ home, store, clock, warn }: CheckpointServiceOptions): Promise<ServiceState> {
  const kept = await readAuditKey(home)
  const found = await readCheckpointNote(home)
  const fault = kept && (found ? await noteFault(found, kept, store) : 'was gone')
  if (fault) await recordProblem({ store, clock, warn }, `The note of the checkpoints ${fault} at the start.`)
  let note = found ?? { targets: {} }
  const sign = async (key: AuditKey) => (note = await writeCheckpointNote(home, note, { key, store }))
  // The note comes first: a key without it means that somebody removed the note.
  const key = kept ?? (await makeAuditKey(home, sign))
  if (kept && (fault || note.signature === undefined)) await sign(kept)
  return { key, audit: await ensureAuditId(store, clock), note }
}

export async function ensureAuditId(store: SessionStore, clock: Clock): Promise<string> {
  const known = await store.value(AUDIT_ID)
  if (typeof known === 'string') return known
  const made = clock.newId('audit')
  await store.putValue(AUDIT_ID, made)
  return made
}

/** What was done to the chain while no gateway ran is recorded before a new checkpoint is taken over it. */
async function compareAtStart(options: CheckpointServiceOptions): Promise<void> {
  const { store } = options
  const found = await findCheckpointBreak(store, await homeEvidence(options, { lines: RECENT_LINES }))
  if (found) await recordProblem(options, `The audit does not match its checkpoints: ${found.why}.`)
}

type Recording = Pick<CheckpointServiceOptions, 'store' | 'clock' | 'warn'>

async function recordProblem({ store, clock, warn }: Recording, reason: string): Promise<void> {
  warn(`${reason} See \`foreword audit verify\`.`)
  await store.transaction([{ type: 'audit', facts: { ...change, ok: false, reason }, time: clock.time() }])
}

const change = { kind: 'change', rule: 'audit.checkpoints' } as const satisfies AuditFacts

async function takeCheckpoint(
  state: ServiceState,
  options: CheckpointServiceOptions,
  signal: AbortSignal,
): Promise<void> {
  const { home, store, targets, clock } = options
  const head = await store.auditHead()
  const time = clock.time()
  const made = head && state.key.signCheckpoint({ audit: state.audit, ...head, time })
  const before = state.note.targets
  const written = await Promise.all(
    targets.map(async (target) => {
      const known = Object.hasOwn(before, target.name) ? before[target.name]! : { waiting: [] }
      return [target.name, await writeTo(target, withCheckpoint(known, made), { time, signal, clock })] as const
    }),
  )
  const noted = { ...before, ...Object.fromEntries(written) }
  if (JSON.stringify(noted) === JSON.stringify(before)) return
  state.note = await writeCheckpointNote(home, { targets: noted }, { key: state.key, store })
  for (const [name, { failure }] of written) {
    const failed = before[name]?.failure
    if ((failed === undefined) !== (failure === undefined)) await recordTurn(options, name, failure?.message)
  }
}

/** A newer checkpoint proves what an older one does; only restores are all written. */
function withCheckpoint(known: TargetNote, made: AuditCheckpoint | undefined): TargetNote {
  const newest = known.waiting.at(-1) ?? known.written
  if (!made || (newest?.number === made.number && newest.hash === made.hash && newest.audit === made.audit))
    return known
  return { ...known, waiting: [...known.waiting.filter(({ restore }) => restore !== undefined), made] }
}

async function writeTo(
  target: CheckpointTarget,
  known: TargetNote,
  { time, signal, clock }: { readonly time: string; readonly signal: AbortSignal; readonly clock: Clock },
): Promise<TargetNote> {
  let { written } = known
  const waiting = [...known.waiting]
  try {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      signal.throwIfAborted()
      await target.append(JSON.stringify(next), signal, clock)
      written = next
      waiting.shift()
    }
    return { ...defined({ written }), waiting }
  } catch (error) {
    const failure = { since: known.failure?.since ?? time, message: errorMessage(error) }
    return { ...defined({ written }), waiting, failure }
  }
}

/** A target that begins to fail, or works again, has a record. */
async function recordTurn({ store, clock, warn }: Recording, name: string, failure: string | undefined): Promise<void> {
  const reason = failure === undefined ? `Checkpoints are written to ${name} again.` : failureText(name, failure)
  if (failure !== undefined) warn(reason)
  await store.transaction([
    { type: 'audit', facts: { ...change, ok: failure === undefined, reason }, time: clock.time() },
  ])
}

function failures({ targets }: CheckpointNote, configured: readonly CheckpointTarget[]): readonly string[] {
  return configured.flatMap(({ name }) => {
    const failure = targets[name]?.failure
    return failure ? [failureText(name, failure.message)] : []
  })
}

function failureText(name: string, message: string): string {
  return `A checkpoint of the audit could not be written to ${name}: ${message}. It is tried again.`
}

function isWaiting({ targets }: CheckpointNote, configured: readonly CheckpointTarget[]): boolean {
  return configured.some(({ name }) => (targets[name]?.waiting.length ?? 0) > 0)
}
