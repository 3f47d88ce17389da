import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { RuntimeError } from '../../capability.ts'
import { type Clock, errorMessage } from '../../platform.ts'
import { editFile } from '../home/edit-file.ts'

/** A short list in a file of the home that only its owner can read. */
export interface Rows<Row> {
  /** The rows as they are in the file now. The file is read again only where it has changed. Throws where it cannot be read. */
  current(): readonly Row[]
  /** Changes them, whole or not at all. `record` is called before: where it rejects, nothing is changed. */
  edit(change: (rows: readonly Row[]) => readonly Row[], record?: () => Promise<void>): Promise<void>
}

interface RowFile<Row> {
  readonly home: string
  readonly path: string
  readonly clock: Clock
  readonly row: z.ZodType<Row>
}

/** Rows in a file. Other processes may edit it at the same time. */
export function fileRows<Row>({ home, path, clock, row }: RowFile<Row>): Rows<Row> {
  const rows = z.array(row)
  let read: { readonly version: string; readonly rows: readonly Row[] } = { version: '', rows: [] }
  const parse = (text: string): readonly Row[] => {
    try {
      return text.trim() === '' ? [] : rows.parse(JSON.parse(text))
    } catch (error) {
      throw damaged(path, error)
    }
  }
  return {
    current() {
      const facts = statSync(path, { throwIfNoEntry: false })
      const version = facts === undefined ? '' : `${facts.ino} ${facts.ctimeMs} ${facts.mtimeMs} ${facts.size}`
      if (version !== read.version) read = { version, rows: version === '' ? [] : parse(textOf(path)) }
      return read.rows
    },
    async edit(change, record) {
      await editFile({
        home,
        path,
        clock,
        change: (text) => `${JSON.stringify(change(parse(text)), undefined, 2)}\n`,
        async check(text) {
          parse(text)
          await record?.()
        },
      })
    },
  }
}

/** Rows that last as long as this process. */
export function memoryRows<Row>(): Rows<Row> {
  let rows: readonly Row[] = []
  return {
    current: () => rows,
    async edit(change, record) {
      const changed = change(rows)
      await record?.()
      rows = changed
    },
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
