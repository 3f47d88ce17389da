import type { Connection, Io } from '../../capability.ts'
import type { FileRow } from '../../session.ts'
import { ask, pathTo } from '../answer.ts'
import { exactLine } from '../exact-text.ts'
import { CommandFailure } from '../failure.ts'
import { type StatusLine, statusLine } from '../status-line.ts'
import { type Belonging, sendFile } from './send-file.ts'

/** What became of one path. */
export type HandedIn =
  | { readonly path: string; readonly row: FileRow & { readonly repeated?: true } }
  | { readonly path: string; readonly failure: CommandFailure }

/** How long one question waits for a file to be read, ms. A terminal is told in between. */
const WAIT = 1_000

/**
 * Hands files in and waits until each is read, telling a terminal how far it is. `onDone` is told of each in the order of
 * the paths. One that cannot be handed in keeps no other one back.
 */
export async function handIn(
  connection: Connection,
  paths: readonly string[],
  belonging: Belonging,
  io: Io,
  onDone: (done: HandedIn) => void = () => {},
): Promise<readonly HandedIn[]> {
  const status = statusLine(io)
  try {
    const sent: HandedIn[] = []
    for (const [at, path] of paths.entries()) {
      const place = paths.length > 1 ? ` (${at + 1} of ${paths.length})` : ''
      sent.push(
        await send(connection, path, belonging, (part) => status.say(`${exactLine(path)}: sending${part}${place}`)),
      )
    }
    const done: HandedIn[] = []
    for (const each of sent) {
      const read =
        'row' in each ? { ...each, row: { ...each.row, ...(await settled(connection, each.row, status)) } } : each
      status.clear()
      onDone(read)
      done.push(read)
    }
    return done
  } finally {
    status.clear()
  }
}

async function send(
  connection: Connection,
  path: string,
  belonging: Belonging,
  tell: (part: string) => void,
): Promise<HandedIn> {
  tell('')
  try {
    const row = await sendFile(connection, path, belonging, ({ bytes, of }) => {
      if (of > 0) tell(` ${Math.min(100, Math.floor((bytes / of) * 100))} %`)
    })
    return { path, row }
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { path, failure: error }
  }
}

async function settled(connection: Connection, row: FileRow, status: StatusLine): Promise<FileRow> {
  let known = row
  for (const since = Date.now(); known.state.type === 'processing';) {
    const seconds = Math.floor((Date.now() - since) / 1000)
    status.say(`${exactLine(row.name)}: reading${seconds > 0 ? `, ${seconds} s` : ''}`)
    known = await ask<FileRow>(connection, pathTo('/api/files/', row.id, `?wait=${WAIT}`))
  }
  return known
}
