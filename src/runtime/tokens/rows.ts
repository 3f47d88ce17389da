import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { RuntimeError } from '../../capability.ts'
import { type Clock, errorMessage } from '../../platform.ts'
import type { AuditFacts, SessionStore } from '../../session.ts'
import { editValue } from '../edit-value.ts'
import { editFile } from '../home/edit-file.ts'
import { homeAt } from '../home/home.ts'

/** A short list of a gateway, such as that of its tokens. */
export interface Rows<Row> {
  /** The rows as they are now; those in a database as they were when they were read last. Throws where they cannot be read. */
  current(): readonly Row[]
  /** Changes them, whole or not at all. `facts` are in the audit before the change counts: where they cannot be recorded, nothing is changed. */
  edit(change: (rows: readonly Row[]) => readonly Row[], facts?: AuditFacts): Promise<void>
  /** Resolves when they can be asked for. Rejects where they cannot be read. */
  readonly ready: Promise<void>
  /** Reads those in a database again; absent: there is none. Never rejects: where they cannot be read, `current` throws why. */
  readonly refresh?: () => Promise<void>
}

/** Where the lists of a gateway are. */
export interface RowPlace {
  readonly home: string
  readonly store: Pick<SessionStore, 'transaction' | 'value' | 'gateways'>
  readonly clock: Clock
}

interface RowList<Row> {
  /** Its name in the folder for data, such as `tokens.json`. */
  readonly file: string
  readonly row: z.ZodType<Row>
}

/**
 * Opens a list of a gateway. It is a file of the home that only its owner can read, or, where several machines reach the store, a value in
 * the store, so that all gateways on it see the same. Other processes may change it at the same time.
 */
export function openRows<Row>(place: RowPlace, list: RowList<Row>): Rows<Row> {
  return place.store.gateways === undefined ? fileRows(place, list) : storedRows(place, list)
}

/** The list in a file. It is read again only where it has changed. */
function fileRows<Row>({ home, store, clock }: RowPlace, { file, row }: RowList<Row>): Rows<Row> {
  const path = join(homeAt(home).data, file)
  const parse = reader(row, path)
  let read: { readonly version: string; readonly rows: readonly Row[] } = { version: '', rows: [] }
  /** A home that had the list in a database before brings it with its store: it is a file from then on. */
  async function takeFromStore(): Promise<void> {
    if (existsSync(path)) return
    const kept = await store.value(keyOf(file))
    if (!Array.isArray(kept)) return
    await editFile({
      home,
      path,
      clock,
      change: () => `${JSON.stringify(kept, undefined, 2)}\n`,
      check: (text) => void parse(text),
    })
    await store.transaction([{ type: 'value', key: keyOf(file), value: null }])
  }
  return {
    ready: takeFromStore(),
    current() {
      const facts = statSync(path, { throwIfNoEntry: false })
      const version = facts === undefined ? '' : `${facts.ino} ${facts.ctimeMs} ${facts.mtimeMs} ${facts.size}`
      if (version !== read.version) read = { version, rows: version === '' ? [] : parse(textOf(path)) }
      return read.rows
    },
    async edit(change, facts) {
      await editFile({
        home,
        path,
        clock,
        change: (text) => `${JSON.stringify(change(parse(text)), undefined, 2)}\n`,
        async check(text) {
          parse(text)
          if (facts) await store.transaction([{ type: 'audit', facts, time: clock.time() }])
        },
      })
    },
  }
}

const keyOf = (file: string) => `gateway/${file}`

/** The list as a value of the store. A home that had it in a file before brings that with it; the file is gone from then on. */
function storedRows<Row>({ home, store, clock }: RowPlace, { file, row }: RowList<Row>): Rows<Row> {
  const key = keyOf(file)
  const path = join(homeAt(home).data, file)
  const parse = reader(row, `${key} in the store`)
  let rows: readonly Row[] | undefined
  let fault: unknown = new RuntimeError('storage', `${key} has not been read yet.`)

  /** `null`: a home had the list in a file meanwhile. */
  const rowsOf = (value: unknown): readonly Row[] => {
    if (Array.isArray(value)) return parse(JSON.stringify(value))
    return existsSync(path) ? reader(row, path)(textOf(path)) : []
  }

  function take(next: readonly Row[]): void {
    rows = next
    fault = undefined
  }

  async function read(): Promise<void> {
    try {
      take(rowsOf(await store.value(key)))
    } catch (error) {
      rows = undefined
      fault = error
    }
  }

  return {
    ready: read(),
    refresh: read,
    current() {
      if (rows === undefined) throw fault
      return rows
    },
    async edit(change, facts) {
      const also = facts ? [{ type: 'audit', facts, time: clock.time() } as const] : []
      take((await editValue(store, key, (was) => change(rowsOf(was)), also))!)
      // What it says no longer holds.
      rmSync(path, { force: true })
    },
  }
}

/** Rows that last as long as this process. */
export function memoryRows<Row>(): Rows<Row> {
  let rows: readonly Row[] = []
  return {
    ready: Promise.resolve(),
    current: () => rows,
    async edit(change) {
      rows = change(rows)
    },
  }
}

function reader<Row>(row: z.ZodType<Row>, place: string): (text: string) => readonly Row[] {
  const rows = z.array(row)
  return (text) => {
    try {
      return text.trim() === '' ? [] : rows.parse(JSON.parse(text))
    } catch (error) {
      throw damaged(place, error)
    }
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw damaged(path, error)
  }
}

function damaged(path: string, error: unknown): RuntimeError {
  const why = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error)
  const hint = 'Until it is corrected, it lets nobody in. The token of the owner works.'
  return new RuntimeError('storage', `${path} cannot be read: ${why}.`, { path }, { hint, cause: error })
}

/** The rows; none where they cannot be read: a file that nobody can read lets nobody in, and `current` says why. */
export function readable<Row>(rows: () => readonly Row[]): readonly Row[] {
  try {
    return rows()
  } catch {
    return []
  }
}
