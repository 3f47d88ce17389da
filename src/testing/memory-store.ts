import {
  type AuditRecord,
  type CallListener,
  callSum,
  endedCalls,
  type Entry,
  type EntryListener,
  type RecentTurns,
  type RecentTurnsOptions,
  matchesSession,
  type SessionStore,
  type MessageBody,
  type StoreDriver,
  toolSumsOf,
  StoreError,
  type TurnRow,
  turnRowAfter,
  withEdits,
} from '../session.ts'
import {
  append,
  applyWrite,
  bind,
  changeRow,
  copyTables,
  deleteSession,
  compositeKey,
  requireRow,
  sessionLog,
  putContent,
  putNew,
  putValue,
  putVersion,
  sessionRow,
  type StoredLog,
  type Tables,
  withdrawSession,
} from './memory-store-tables.ts'

/**
 * A store in plain maps, for tests and as an example of a driver. Its data is lost with the driver. It
 * cannot be backed up or compacted.
 */
export function memoryDriver(): StoreDriver {
  const kept = new Map<string, Kept>()
  return {
    name: 'memory',
    async open({ folder, readOnly = false, inMemory = false }) {
      const data = (inMemory ? undefined : kept.get(folder)) ?? { tables: copyTables() }
      if (!inMemory) kept.set(folder, data)
      return openMemoryStore(data, readOnly)
    },
    exists: async (folder) => kept.has(folder),
    location: () => 'the memory of this process',
    owns: () => false,
  }
}

/** Tables are replaced, never changed. A failed write leaves the previous ones. */
interface Kept {
  tables: Tables
}

function openMemoryStore(kept: Kept, readOnly: boolean): SessionStore {
  const listeners = new Set<EntryListener>()
  const callListeners = new Set<CallListener>()
  let closed = false

  return {
    append: (session, bodies, time) =>
      write(
        (tables) => append(tables, session, bodies, time),
        (entries) => [entries],
      ),
    async transaction(writes) {
      await write(
        (tables) => writes.map((each) => applyWrite(tables, each)),
        (entries) => entries,
      )
      for (const id of endedCalls(writes)) tellCall(id)
    },
    watch(listener) {
      const own: EntryListener = (entries) => listener(entries)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    watchCalls(listener) {
      const own: CallListener = (call) => listener(call)
      callListeners.add(own)
      return () => void callListeners.delete(own)
    },
    entries: read((tables, session, options = {}) => {
      const { after = 0, upTo = ALL, types, turn, last, limit = ALL } = options
      const found = sessionLog(tables, session).entries.filter(
        (entry) =>
          entry.seq > after &&
          entry.seq <= upTo &&
          (types?.includes(entry.type) ?? true) &&
          (turn === undefined || ('turn' in entry && entry.turn === turn)),
      )
      return last === undefined ? found.slice(0, limit) : newest(found, last)
    }),
    inputByKey: read((tables, session, key) =>
      sessionLog(tables, session).entries.find((entry) => entry.type === 'input' && entry.idempotencyKey === key),
    ),
    recentTurns: read((tables, session, options) => recentTurns(sessionLog(tables, session), options)),
    unfinishedTurns: read((tables) =>
      [...tables.sessions.values()]
        .flatMap(({ turns }) => turns.filter(({ state }) => state === 'queued' || state === 'running'))
        .toSorted(
          (one, other) =>
            compareTexts(one.inputTime, other.inputTime) ||
            compareTexts(one.session, other.session) ||
            one.ordinal - other.ordinal,
        ),
    ),
    turn: read((tables, session, id) => sessionLog(tables, session).turns.find(({ turn }) => turn === id)),
    turns: read((tables, session, { limit = ALL, before = ALL } = {}) =>
      sessionLog(tables, session)
        .turns.filter(({ ordinal }) => ordinal < before)
        .toReversed()
        .slice(0, limit),
    ),
    sessions: read((tables, { limit = ALL, offset = 0, beginning, ...filter } = {}) => {
      const rows = [...tables.sessions.keys()]
        .map((id) => sessionRow(tables, id)!)
        .filter((row) => matchesSession(row, filter))
      const listed =
        beginning === undefined
          ? rows.toSorted((one, other) => compareTexts(other.updated, one.updated) || compareTexts(other.id, one.id))
          : rows.filter(({ id }) => id.startsWith(beginning)).toSorted((one, other) => compareTexts(one.id, other.id))
      return listed.slice(offset, offset + limit)
    }),
    sessionFolders: read((tables) => {
      const folders = [...tables.sessions.values()].flatMap(({ session: { folder } }) => folder ?? [])
      return Array.from(
        Map.groupBy(folders, (folder) => folder),
        ([folder, all]) => ({
          folder,
          sessions: all.length,
        }),
      ).toSorted((one, other) => compareTexts(one.folder, other.folder))
    }),
    session: read(sessionRow),
    deleteSession: (id) => write((tables) => deleteSession(tables, id)),
    withdrawSession: (id) => write((tables) => withdrawSession(tables, id)),
    bind: (binding, session) => write((tables) => bind(tables, binding, session)),
    bound: read((tables, binding) => tables.bindings.get(compositeKey(binding.channel, binding.conversation))),

    putContent: (text, holds) => write((tables) => putContent(tables, text, holds)),
    content: read((tables, hash) => tables.contents.get(hash)),
    contentWasRemoved: read((tables, hash) => tables.holders.get(hash)?.length === 0),

    async putCall(record) {
      await write((tables) => putNew(tables.calls, record, 'call'))
      if (record.outcome) tellCall(record.id)
    },
    async finishCall(id, outcome) {
      await write((tables) => changeRow(tables.calls, id, { outcome }, 'call'))
      tellCall(id)
    },
    call: read((tables, id) => tables.calls.get(id)),
    calls: read((tables, session, { last, after, limit = ALL } = {}) => {
      if (after !== undefined) requireRow(tables.calls, after, 'call')
      const made = [...tables.calls.values()].filter((call) => call.session === session)
      if (last !== undefined) return newest(made, last)
      const first = after === undefined ? 0 : made.findIndex(({ id }) => id === after) + 1
      return made.slice(first, first + limit)
    }),
    findCalls: read((tables, { limit, beginning }) => {
      const made = [...tables.calls.values()]
      const found =
        beginning === undefined
          ? made.toReversed()
          : made.filter(({ id }) => id.startsWith(beginning)).toSorted((one, other) => compareTexts(one.id, other.id))
      return found.slice(0, limit)
    }),

    putValue: (key, value) => write((tables) => putValue(tables, key, value)),
    callSums: read(
      (
        tables,
        {
          from = '',
          before,
          after = { time: '', number: 0 },
          limit,
          session,
          parts = false,
          ids = false,
          records = false,
        },
      ) =>
        [...tables.calls.values()]
          .map((record, index) => ({ ...callSum(record), number: index + 1, record }))
          .filter(({ time }) => time >= from && (before === undefined || time < before))
          .filter((call) => session === undefined || call.session === session)
          .toSorted((one, other) => compareTexts(one.time, other.time) || one.number - other.number)
          .filter(({ time, number }) => time > after.time || (time === after.time && number > after.number))
          .slice(0, limit)
          .map(({ parts: made, record, ...sum }) => ({
            ...sum,
            ...(parts ? { parts: made } : {}),
            ...(ids ? { id: record.id } : {}),
            ...(records ? { record } : {}),
          })),
    ),
    toolSums: read((tables, { from = '', before }) => {
      const sums = [...tables.sessions.values()]
        .flatMap(({ entries }) => entries)
        .filter(({ time }) => time >= from && (before === undefined || time < before))
        .flatMap(toolSumsOf)
      return [...Map.groupBy(sums, ({ tool }) => tool)]
        .map(([tool, of]) => ({ tool, results: of.length, tokens: of.reduce((sum, { tokens }) => sum + tokens, 0) }))
        .toSorted((one, other) => compareTexts(one.tool, other.tool))
    }),
    value: read((tables, key) => {
      const json = tables.values.get(key)
      return json === undefined ? undefined : (JSON.parse(json) as unknown)
    }),

    putRecord: (given, time) => write((tables) => putVersion(tables, given, time)),
    record: read((tables, kind, id) => tables.records.get(compositeKey(kind, id))?.at(-1)),
    recordVersions: read((tables, kind, id) => tables.records.get(compositeKey(kind, id))?.toReversed() ?? []),
    records: read((tables, kind) =>
      [...tables.records.values()]
        .map((versions) => versions.at(-1)!)
        .filter((version) => version.kind === kind && version.value !== null),
    ),
    removedRecords: read((tables, kind) =>
      [...tables.records.values()]
        .map((versions) => versions.at(-1)!)
        .filter((version) => version.kind === kind && version.value === null),
    ),

    putFile: (row) => write((tables) => putNew(tables.files, row, 'file')),
    setFileState: (id, state) => write((tables) => changeRow(tables.files, id, { state }, 'file')),
    setFileOwner: (id, owner) => write((tables) => changeRow(tables.files, id, { owner }, 'file')),
    file: read((tables, id) => tables.files.get(id)),
    files: read((tables, { owner, state, hash } = {}) =>
      [...tables.files.values()].filter(
        (row) =>
          (owner === undefined || (row.owner.type === owner.type && row.owner.id === owner.id)) &&
          (state === undefined || row.state.type === state) &&
          (hash === undefined || row.hash === hash),
      ),
    ),
    deleteFile: (id) => write((tables) => tables.files.delete(id)),

    audit: read((tables, options = {}) => {
      const { session, turn, tool, decision, since = '', until, after = 0, before = ALL, last, limit = ALL } = options
      const wanted = Object.entries({ session, turn, tool, decision }).filter(([, value]) => value !== undefined)
      const found = tables.audit.filter(
        (record) =>
          record.number > after &&
          record.number < before &&
          record.time >= since &&
          (until === undefined || record.time < until) &&
          wanted.every(([name, value]) => record[name as keyof AuditRecord] === value),
      )
      return last === undefined ? found.slice(0, limit) : newest(found, last)
    }),
    auditHead: read((tables) => {
      const head = tables.audit.at(-1)
      return head && { number: head.number, hash: head.hash }
    }),

    async close() {
      closed = true
    },
  }

  function read<Parameters extends readonly unknown[], Result>(
    look: (tables: Tables, ...parameters: Parameters) => Result,
  ): (...parameters: Parameters) => Promise<Result> {
    return async (...parameters) => {
      assertOpen()
      return look(kept.tables, ...parameters)
    }
  }

  /** Writes all or nothing. Listeners get the entries before the promise resolves. */
  async function write<Result>(
    work: (tables: Tables) => Result,
    entriesOf: (result: Result) => readonly (readonly Entry[])[] = () => [],
  ): Promise<Result> {
    assertOpen()
    if (readOnly) throw new StoreError('readonly', 'the store was opened for reading: write through the gateway')
    const tables = copyTables(kept.tables)
    const result = work(tables)
    kept.tables = tables
    for (const entries of entriesOf(result)) if (entries.length > 0) for (const tell of listeners) tell(entries)
    return result
  }

  function tellCall(call: string): void {
    for (const tell of callListeners) tell(call)
  }

  function assertOpen(): void {
    if (closed) throw new StoreError('closed', 'the store is closed')
  }
}

const ALL = Number.MAX_SAFE_INTEGER

function newest<Item>(items: readonly Item[], count: number): readonly Item[] {
  return count === 0 ? [] : items.slice(-count)
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

/** Reads the whole log. A store for production reads backwards. */
function recentTurns(
  { entries, turns }: Omit<StoredLog, 'session'>,
  { limit, notBefore, upTo = Number.MAX_SAFE_INTEGER, known: isKnown, except }: RecentTurnsOptions,
): RecentTurns {
  const read = entries.filter(({ seq }) => seq <= upTo)
  const ofTurn = (turn: string) => read.filter((entry) => 'turn' in entry && entry.turn === turn)
  const answered = turns.find(({ turn, firstSeq }) => turn === except && firstSeq <= upTo)
  const leaf = answered ? ordinalBefore(turns, answered) : headOrdinal(turns, read)
  const rows = withTokensBefore(turnsUpTo(turns, leaf).map((row) => turnRowAfter(row, ofTurn(row.turn))))

  const seen = newestTurns(rows, limit, notBefore).filter(({ state }) => state !== 'queued')
  const oldest = seen[0]
  if (oldest === undefined) return { turns: [], earlier: { turns: 0, tokens: 0 }, undone: [] }
  const turnMessages = (turn: string) =>
    withEdits(ofTurn(turn)).flatMap((entry): MessageBody[] => {
      if (entry.type !== 'input' && entry.type !== 'message') return []
      const { session: _session, seq: _seq, time: _time, ...body } = entry
      return [body]
    })
  const before = rows.filter(({ ordinal }) => ordinal < oldest.ordinal)
  return {
    turns: seen
      .filter(({ state }) => state !== 'undone')
      .map((row) => ({ row, messages: isKnown?.(row.turn) === true ? [] : turnMessages(row.turn) })),
    earlier: {
      turns: before.filter(({ state }) => state !== 'undone').length,
      tokens: oldest.tokensBefore,
    },
    undone: seen
      .filter(({ state }) => state === 'undone')
      .map(({ turn }) => ({ turn, tokens: turnMessages(turn).reduce((sum, { tokens }) => sum + tokens.full, 0) })),
  }
}

/** The turn of this ordinal and the turns that lead to it, oldest first. */
function turnsUpTo(turns: readonly TurnRow[], ordinal: number): readonly TurnRow[] {
  const row = turns[ordinal - 1]
  const found: TurnRow[] = []
  for (let next = row; next !== undefined; next = turns[ordinalBefore(turns, next) - 1]) found.push(next)
  return found.toReversed()
}

/** 0: it follows no turn. */
function ordinalBefore(turns: readonly TurnRow[], { ordinal, parent }: TurnRow): number {
  return parent === undefined ? ordinal - 1 : (turns.find(({ turn }) => turn === parent)?.ordinal ?? 0)
}

function headOrdinal(turns: readonly TurnRow[], entries: readonly Entry[]): number {
  const moved = entries.findLast((entry) => entry.type === 'branch' || entry.type === 'input')
  const head = moved?.type === 'branch' ? moved.head : moved?.type === 'input' ? moved.turn : null
  return turns.find(({ turn }) => turn === head)?.ordinal ?? 0
}

/** With the tokens of all turns before each row, at that moment. */
function withTokensBefore(rows: readonly TurnRow[]): readonly TurnRow[] {
  let tokensBefore = 0
  return rows.map((row) => {
    const placed = { ...row, tokensBefore }
    tokensBefore += row.tokens
    return placed
  })
}

/** The newest rows in ascending order, up to and including the one that passes the limit of tokens. */
function newestTurns(rows: readonly TurnRow[], limit: number, notBefore: string | undefined): readonly TurnRow[] {
  let sum = 0
  const last = rows.findLastIndex((row) => {
    if (row.state !== 'queued') sum += row.leastTokens
    return sum > limit || row.turn === notBefore
  })
  return rows.slice(Math.max(0, last))
}
