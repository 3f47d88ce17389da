import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivateFolder, syncFolder } from '../../session.ts'

/** A file of an inbox: `json` holds what waits, `done` is empty and remembers what was handled. */
export interface InboxFile {
  readonly name: string
  /** 1, 2, 3 … in the order of arrival, over restarts. */
  readonly number: number
  /** 32 hexadecimal digits that stand for an id. */
  readonly key: string
  readonly kind: 'json' | 'done'
}

const FORM = /^(\d{14})-([0-9a-f]{32})\.(json|done)$/

/** Sorted as texts, the names stand in the order of their numbers. */
export function nameOf(number: number, key: string, kind: InboxFile['kind']): string {
  return `${String(number).padStart(14, '0')}-${key}.${kind}`
}

/** In the order of their numbers. Makes the folder where there is none, and clears away what was being written. */
export async function inboxFiles(folder: string): Promise<readonly InboxFile[]> {
  await makePrivateFolder(folder)
  const names = await readdir(folder)
  for (const name of names) if (name.endsWith('.arriving')) await rm(join(folder, name), { force: true })
  return names.toSorted().flatMap((name): readonly InboxFile[] => {
    const [, number, key, kind] = FORM.exec(name) ?? []
    return key === undefined ? [] : [{ name, number: Number(number), key, kind: kind === 'done' ? 'done' : 'json' }]
  })
}

/** Whole or not at all, and on disk when it resolves. */
export async function writeIncoming(folder: string, name: string, content: string): Promise<void> {
  const beside = join(folder, `${name}.arriving`)
  try {
    const file = await open(beside, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, join(folder, name))
    await syncFolder(folder)
  } catch (error) {
    // Nobody will be told that it arrived, so it must not be found there either.
    for (const path of [beside, join(folder, name)]) await rm(path, { force: true }).catch(() => {})
    throw error
  }
}

/** An empty file, on disk when it resolves. */
export async function writeEmpty(folder: string, name: string): Promise<void> {
  const file = await open(join(folder, name), 'w', 0o600)
  await file.close()
  await syncFolder(folder)
}

/** Rejects where it is not what was written. */
export async function readIncoming(folder: string, name: string): Promise<{ id: string; value: unknown }> {
  const read: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'))
  if (typeof read !== 'object' || read === null || !('id' in read) || typeof read.id !== 'string') {
    throw new Error('it is no message')
  }
  return { id: read.id, value: 'value' in read ? read.value : undefined }
}

export async function removeIncoming(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}

export async function moveAside(folder: string, name: string): Promise<void> {
  await rename(join(folder, name), join(folder, `${name}.broken`))
}
