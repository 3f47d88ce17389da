import { hash } from 'node:crypto'
import { RuntimeError, type FileLibrary } from '../../src/capability.ts'
import { type FileRow, type FileState } from '../../src/session.ts'

/** What a name that ends so is read as; everything else is text. */
const readings: Readonly<Record<string, FileState>> = {
  '.broken': { type: 'failed', code: 'unreadable', reason: 'It is broken. Hand in another one.' },
  '.slow': { type: 'processing' },
  '.png': { type: 'ready', reading: { kind: 'image', mediaType: 'image/png', width: 4, height: 3 } },
}

/** Bytes that a file of the scripted library may have. */
export const MOST_BYTES = 1_000

/** Files in memory. They are read at once, unless their names say otherwise. */
export function scriptedLibrary(time: string): FileLibrary {
  const rows = new Map<string, FileRow>()
  const contents = new Map<string, Buffer>()
  let count = 0

  async function file(id: string): Promise<FileRow> {
    const row = rows.get(id)
    if (!row) throw new RuntimeError('not-found', `There is no file ${id}.`, { file: id })
    return row
  }

  return {
    file,
    async add({ name, bytes, owner }) {
      const pieces: Uint8Array[] = []
      let size = 0
      for await (const piece of bytes) {
        size += piece.byteLength
        if (size > MOST_BYTES) {
          const facts = { store: 'too-large' }
          throw new RuntimeError('storage', `this has more than the ${MOST_BYTES} bytes that a file may have`, facts)
        }
        pieces.push(piece)
      }
      const whole = Buffer.concat(pieces)
      const id = `file-${++count}`
      const digest = hash('sha256', whole)
      const mediaType = 'application/octet-stream'
      const row = { id, name, time, owner, mediaType, bytes: size, hash: digest, state: stateOf(name, whole) }
      rows.set(id, row)
      contents.set(id, whole)
      return row
    },
    files: async (owner) =>
      [...rows.values()].filter((row) => !owner || (row.owner.type === owner.type && row.owner.id === owner.id)),
    async settled(id, signal) {
      const row = await file(id)
      if (row.state.type === 'processing' && signal && !signal.aborted) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      }
      return row
    },
    text: async ({ id, state }) =>
      state.type === 'ready' && state.reading.kind !== 'image' ? contents.get(id)!.toString('utf8') : undefined,
    bytes: async ({ id }) => contents.get(id)!,
    async give(id, owner) {
      rows.set(id, { ...(await file(id)), owner })
    },
    copy: async (row, owner) => ({ ...row, id: `copy-${row.id}`, owner }),
    async keep(row) {
      rows.set(row.id, row)
    },
    async remove(id) {
      rows.delete((await file(id)).id)
    },
    recover: async () => 0,
    idle: () => undefined,
    close: async () => {},
  }
}

function stateOf(name: string, bytes: Buffer): FileState {
  const ending = /\.\w+$/.exec(name)?.[0] ?? ''
  const known = readings[ending]
  if (known) return known
  const text = bytes.toString('utf8')
  const content = `sha256:${hash('sha256', text)}`
  const counted = { characters: text.length, tokens: text.length, counter: 'chars@1' }
  return { type: 'ready', reading: { kind: 'text', content, ...counted, indexed: true } }
}
