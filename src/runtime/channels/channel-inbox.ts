import { createHash } from 'node:crypto'
import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ChannelInbox } from '../../capability.ts'
import { errorMessage, makePrivateFolder, syncFolder, writeFileAtomically } from '../../platform.ts'

/** Ids of handled things that are remembered: a service repeats what is recent. */
const REMEMBERED = 1_000

/** What is known of a folder: file names by the key of an id, in the order of their numbers. */
interface InboxIndex {
  readonly waiting: Map<string, string>
  readonly handled: Map<string, string>
  newest: number
}

/** An inbox in a folder of its own, read when first needed. An unreadable file is put aside with a warning. */
export function openChannelInbox(folder: string, warn: (text: string) => void = () => {}): ChannelInbox {
  const arriving = new Map<string, Promise<void>>()
  let opening: Promise<InboxIndex> | undefined

  function index(): Promise<InboxIndex> {
    opening ??= readIndex(folder).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }

  async function keep(known: InboxIndex, key: string, content: string): Promise<void> {
    const name = fileName(++known.newest, key, 'json')
    await writeIncoming(folder, name, content)
    known.waiting.set(key, name)
  }

  async function broken(known: InboxIndex, key: string, name: string, error: unknown): Promise<void> {
    known.waiting.delete(key)
    const why = errorMessage(error)
    warn(`Could not read an incoming message: ${why}. It was moved to ${join(folder, name)}.broken.`)
    await rename(join(folder, name), join(folder, `${name}.broken`)).catch(() => {})
  }

  return {
    async accept(id, value) {
      const known = await index()
      const key = idKey(id)
      const content = JSON.stringify({ id, value })
      // A second call with it in the meantime returns `false` when it is on disk, or writes it.
      for (let under = arriving.get(key); under; under = arriving.get(key)) await under.catch(() => {})
      if (known.waiting.has(key) || known.handled.has(key)) return false
      const arrival = keep(known, key, content).finally(() => arriving.delete(key))
      arriving.set(key, arrival)
      await arrival
      return true
    },
    async waiting() {
      const known = await index()
      const found: { readonly id: string; readonly value: unknown }[] = []
      // What arrives side by side reaches the disk in any order.
      for (const [key, name] of [...known.waiting].toSorted(([, a], [, b]) => (a < b ? -1 : 1))) {
        try {
          const read = await readIncoming(folder, name)
          if (idKey(read.id) !== key) throw new Error('its content does not match its name')
          found.push(read)
        } catch (error) {
          if (known.waiting.get(key) === name) await broken(known, key, name, error)
        }
      }
      return found
    },
    async done(id) {
      const known = await index()
      const key = idKey(id)
      if (known.handled.has(key)) return
      const name = fileName(++known.newest, key, 'done')
      known.handled.set(key, name)
      try {
        const file = await open(join(folder, name), 'w', 0o600)
        await file.close()
        await syncFolder(folder)
      } catch (error) {
        known.handled.delete(key)
        throw error
      }
      const content = known.waiting.get(key)
      known.waiting.delete(key)
      if (content !== undefined) await removeIncoming(folder, content)
      await forgetOldest(folder, known)
    },
  }
}

async function readIndex(folder: string): Promise<InboxIndex> {
  const known: InboxIndex = { waiting: new Map(), handled: new Map(), newest: 0 }
  for (const { name, number, key, kind } of await inboxFiles(folder)) {
    known.newest = Math.max(known.newest, number)
    const files = kind === 'done' ? known.handled : known.waiting
    if (files.has(key)) await removeIncoming(folder, name)
    else files.set(key, name)
  }
  for (const [key, name] of known.waiting) {
    if (!known.handled.has(key)) continue
    known.waiting.delete(key)
    await removeIncoming(folder, name)
  }
  return known
}

async function forgetOldest(folder: string, { handled }: InboxIndex): Promise<void> {
  for (const [key, name] of handled) {
    if (handled.size <= REMEMBERED) return
    handled.delete(key)
    await removeIncoming(folder, name)
  }
}

/** An id may be any text, a file name may not. */
function idKey(id: string): string {
  return createHash('sha256').update(JSON.stringify(id)).digest('hex').slice(0, 32)
}

/** A file of an inbox: `json` contains what waits, `done` is empty and marks what was handled. */
interface InboxFile {
  readonly name: string
  /** 1, 2, 3 … in the order of arrival, over restarts. */
  readonly number: number
  /** 32 hexadecimal digits that represent an id. */
  readonly key: string
  readonly kind: 'json' | 'done'
}

const FORM = /^(\d{14})-([0-9a-f]{32})\.(json|done)$/

/** Sorted as texts, the names are in the order of their numbers. */
function fileName(number: number, key: string, kind: InboxFile['kind']): string {
  return `${String(number).padStart(14, '0')}-${key}.${kind}`
}

/** In the order of their numbers. Makes the folder where there is none, and clears away what was being written. */
async function inboxFiles(folder: string): Promise<readonly InboxFile[]> {
  await makePrivateFolder(folder)
  const names = await readdir(folder)
  for (const name of names) if (name.endsWith('.arriving')) await rm(join(folder, name), { force: true })
  return names.toSorted().flatMap((name): readonly InboxFile[] => {
    const [, number, key, kind] = FORM.exec(name) ?? []
    return key === undefined ? [] : [{ name, number: Number(number), key, kind: kind === 'done' ? 'done' : 'json' }]
  })
}

/** Whole or not at all, and on disk when it resolves. */
async function writeIncoming(folder: string, name: string, content: string): Promise<void> {
  const path = join(folder, name)
  const beside = `${path}.arriving`
  try {
    // Of a try that broke off.
    await rm(beside, { force: true })
    await writeFileAtomically(path, content, { beside })
  } catch (error) {
    // Its arrival will not be acknowledged, so it must not be found there either.
    await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

/** Rejects where it is not what was written. */
async function readIncoming(folder: string, name: string): Promise<{ id: string; value: unknown }> {
  const read: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'))
  if (typeof read !== 'object' || read === null || !('id' in read) || typeof read.id !== 'string') {
    throw new Error('it is no message')
  }
  return { id: read.id, value: 'value' in read ? read.value : undefined }
}

async function removeIncoming(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}
