import {
  type AuditRecord,
  nextAuditRecord,
  type Binding,
  type CallRecord,
  CHAIN_START,
  parseChoices,
  contentHash,
  type Entry,
  type EntryBody,
  type FileRow,
  labelRow,
  nextVersion,
  planAppend,
  type RecordChange,
  type RecordVersion,
  type SessionRow,
  type StoredSession,
  StoreError,
  type TurnRow,
  type Write,
} from '../session.ts'

/** The data of a store in memory. */
export interface Tables {
  readonly sessions: Map<string, StoredLog>
  /** By channel and conversation. */
  readonly bindings: Map<string, string>
  readonly calls: Map<string, CallRecord>
  readonly contents: Map<string, string>
  /** The sessions whose words a content has, by its hash. The list is empty if the content was removed with one of them. */
  readonly holders: Map<string, readonly string[]>
  /** Sessions whose contents are not accepted any more. */
  readonly refused: Set<string>
  readonly values: Map<string, string>
  /** Versions of each record, oldest first, in the order in which the records were made. */
  readonly records: Map<string, readonly RecordVersion[]>
  readonly files: Map<string, FileRow>
  readonly audit: AuditRecord[]
}

export interface StoredLog {
  readonly session: StoredSession
  readonly entries: readonly Entry[]
  /** By their ordinal. */
  readonly turns: readonly TurnRow[]
}

/** Copies tables; those that are not given are empty. Rows are never changed, so copies of the maps are enough. */
export function copyTables(tables: Partial<Tables> = {}): Tables {
  return {
    sessions: new Map(tables.sessions),
    bindings: new Map(tables.bindings),
    calls: new Map(tables.calls),
    contents: new Map(tables.contents),
    holders: new Map(tables.holders),
    refused: new Set(tables.refused),
    values: new Map(tables.values),
    records: new Map(tables.records),
    files: new Map(tables.files),
    audit: [...(tables.audit ?? [])],
  }
}

/** Returns the entries that it wrote. */
export function applyWrite(tables: Tables, write: Write): readonly Entry[] {
  switch (write.type) {
    case 'append':
      return append(tables, write.session, write.bodies, write.time)
    case 'call':
      putNew(tables.calls, write.record, 'call')
      break
    case 'call-outcome':
      changeRow(tables.calls, write.id, { outcome: write.outcome }, 'call')
      break
    case 'content':
      putContent(tables, write.text)
      break
    case 'value':
      putValue(tables, write.key, write.value)
      break
    case 'binding':
      bind(tables, write.binding, write.session)
      break
    case 'record':
      putVersion(tables, write.change, write.time)
      break
    case 'file':
      putNew(tables.files, write.row, 'file')
      break
    case 'file-state':
      changeRow(tables.files, write.id, { state: write.state }, 'file')
      break
    case 'file-owner':
      changeRow(tables.files, write.id, { owner: write.owner }, 'file')
      break
    case 'audit': {
      const head = tables.audit.at(-1)
      const facts = copyValue(write.facts)
      tables.audit.push(nextAuditRecord(head?.hash ?? CHAIN_START, tables.audit.length + 1, write.time, facts))
    }
  }
  return []
}

/** `planAppend` makes all decisions, as in every driver. */
export function append(tables: Tables, id: string, bodies: readonly EntryBody[], time: string): readonly Entry[] {
  if (bodies.length === 0) return []
  const { entries, turns } = sessionLog(tables, id)
  const target = {
    session: tables.sessions.get(id)?.session,
    turn: (turn: string) => turns.find((row) => row.turn === turn),
    turnsAfter: (ordinal: number) => turns.filter((row) => row.ordinal > ordinal),
    turnByKey: (key: string) =>
      entries.flatMap((entry) => (entry.type === 'input' && entry.idempotencyKey === key ? [entry.turn] : []))[0],
  }
  const plan = planAppend(target, id, copyValue(bodies), time)
  const planned = new Map(plan.turns.map(({ row }) => [row.turn, row]))
  const moved = turns.map((row) => {
    const gained = plan.shifts.reduce((sum, { ordinal, tokens }) => sum + (ordinal < row.ordinal ? tokens : 0), 0)
    return planned.get(row.turn) ?? (gained === 0 ? row : { ...row, tokensBefore: row.tokensBefore + gained })
  })
  const added = plan.turns.flatMap(({ row, isNew }) => (isNew ? [row] : []))
  tables.sessions.set(id, {
    session: plan.session,
    entries: [...entries, ...plan.entries],
    turns: [...moved, ...added],
  })
  return plan.entries
}

const NO_LOG = { entries: [], turns: [] }

/** The log of a session, empty if the session does not exist. */
export function sessionLog(tables: Tables, id: string): Omit<StoredLog, 'session'> {
  return tables.sessions.get(id) ?? NO_LOG
}

export function sessionRow(tables: Tables, id: string): SessionRow | undefined {
  const found = tables.sessions.get(id)?.session
  if (found === undefined) return undefined
  const { title, created, updated, turns, entries, model, head } = found
  const bound = [...tables.bindings].find(([, session]) => session === id)?.[0].split('\n')
  return {
    id,
    title: title ?? undefined,
    binding: bound && { channel: bound[0]!, conversation: bound[1]! },
    created,
    updated,
    turns,
    entries,
    ...(head === null ? {} : { head: head === '' ? null : head }),
    model: model ?? undefined,
    choices: parseChoices(found),
    ...labelRow(found),
  }
}

export function deleteSession(tables: Tables, id: string): boolean {
  removeHeldContents(tables, id)
  tables.refused.delete(id)
  removeWhere(tables.bindings, (session) => session === id)
  removeWhere(tables.calls, ({ session }) => session === id)
  removeWhere(tables.files, ({ owner }) => owner.type === 'session' && owner.id === id)
  return tables.sessions.delete(id)
}

export function withdrawSession(tables: Tables, id: string): number {
  requireRow(tables.sessions, id, 'session')
  tables.refused.add(id)
  return removeHeldContents(tables, id)
}

export function bind(tables: Tables, { channel, conversation }: Binding, session: string): void {
  requireRow(tables.sessions, session, 'session')
  removeWhere(tables.bindings, (bound) => bound === session)
  tables.bindings.set(compositeKey(channel, conversation), session)
}

export function putContent(tables: Tables, text: string, holds?: readonly string[]): string {
  const hash = contentHash(text)
  const holders = tables.holders.get(hash) ?? []
  if (holds === undefined || holds.every((id) => tables.sessions.has(id) && !tables.refused.has(id))) {
    tables.contents.set(hash, text)
    if (holds) tables.holders.set(hash, [...new Set([...holders, ...holds])])
  } else if (holders.length === 0) tables.holders.set(hash, [])
  return hash
}

function removeHeldContents(tables: Tables, session: string): number {
  const held = [...tables.holders].filter(([, holders]) => holders.includes(session))
  for (const [hash] of held) {
    tables.contents.delete(hash)
    tables.holders.set(hash, [])
  }
  return held.length
}

export function putValue(tables: Tables, key: string, value: unknown): void {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new StoreError('invalid', `the value ${key} has no JSON: use null for nothing`)
  tables.values.set(key, json)
}

export function putVersion(tables: Tables, given: RecordChange, time: string): RecordVersion {
  const key = compositeKey(given.kind, given.id)
  const versions = tables.records.get(key) ?? []
  const version = nextVersion(given, versions.at(-1), time)
  tables.records.set(key, [...versions, version])
  return version
}

/** Puts a row that must be new. */
export function putNew<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row, what: string): void {
  if (rows.has(row.id)) throw new StoreError('conflict', `There is a ${what} ${row.id} already.`)
  rows.set(row.id, copyValue(row))
}

/** Changes a row that must exist. */
export function changeRow<Row>(rows: Map<string, Row>, id: string, changes: Partial<Row>, what: string): void {
  rows.set(id, { ...requireRow(rows, id, what), ...copyValue(changes) })
}

export function requireRow<Row>(rows: ReadonlyMap<string, Row>, id: string, what: string): Row {
  const row = rows.get(id)
  if (row === undefined) throw new StoreError('not-found', `there is no ${what} ${id}`)
  return row
}

export function compositeKey(first: string, second: string): string {
  return `${first}\n${second}`
}

function removeWhere<Row>(rows: Map<string, Row>, goes: (row: Row) => boolean): void {
  for (const [key, row] of rows) if (goes(row)) rows.delete(key)
}

/** A copy for the store, since the caller may change its own value later. */
function copyValue<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
