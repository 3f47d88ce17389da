/**
 * A store of your own: everything that is written is a line of JSON in one file. Opening the store writes all of it again,
 * into a store in memory. Name the file in config.json, and choose the store by its name:
 * `"capabilities": ["./08-own-store.ts"], "store": "json-lines"`.
 */
import { capability } from 'foreword/capability'
import { errorMessage, serialQueue } from 'foreword/platform'
import { type SessionStore, type StoreDriver, StoreError } from 'foreword/session'
import { memoryDriver } from 'foreword/testing'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'sessions.jsonl'

/** Every method of a store that writes. */
const writing = [
  'append',
  'transaction',
  'deleteSession',
  'withdrawSession',
  'bind',
  'putContent',
  'putCall',
  'finishCall',
  'putValue',
  'putRecord',
  'putFile',
  'setFileState',
  'setFileOwner',
  'deleteFile',
] as const

export const jsonLines: StoreDriver = {
  name: 'json-lines',
  async open({ folder, readOnly = false, inMemory = false }) {
    const memory = await memoryDriver().open({ folder, inMemory: true })
    if (inMemory) return memory
    const file = join(folder, FILE)
    const size = await replay(file, memory)
    return readOnly ? readOnlyStore(memory) : loggedStore(memory, await open(file, size === 0 ? 'w' : 'r+'), size)
  },
  async exists(folder) {
    return (await readIfThere(join(folder, FILE))) !== ''
  },
  location: (folder) => join(folder, FILE),
  owns: (name) => name === FILE,
}

export default capability({ name: 'json-lines', stores: [jsonLines] })

/** Carries out every line again. Answers the size of the whole lines: one without an end was never acknowledged. */
async function replay(file: string, memory: SessionStore): Promise<number> {
  const text = await readIfThere(file)
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  for (const line of whole.split('\n').slice(0, -1)) {
    const [method, ...parameters] = JSON.parse(line) as [(typeof writing)[number], ...unknown[]]
    // What the store refused when it was written is refused again.
    await callOf(memory, method)(...parameters).catch(() => undefined)
  }
  return Buffer.byteLength(whole)
}

/** A line is on disk before it is carried out. */
function loggedStore(memory: SessionStore, file: FileHandle, begin: number): SessionStore {
  const queue = serialQueue()
  let size = begin
  let closed = false

  async function write(line: Buffer): Promise<void> {
    if (closed) throw new StoreError('closed', 'The store is closed.')
    try {
      // Removes what is left of a line that could not be written.
      await file.truncate(size)
      await file.write(line, 0, line.length, size)
      await file.sync()
      size += line.length
    } catch (cause) {
      throw new StoreError('io', `The store cannot be written: ${errorMessage(cause)}`, { cause })
    }
  }

  const store = changed(
    memory,
    (method, call) =>
      (...parameters) =>
        queue.add(async () => {
          const given = parameters.filter((each) => each !== undefined)
          await write(Buffer.from(`${JSON.stringify([method, ...given])}\n`))
          return call(...parameters)
        }),
  )
  return {
    ...store,
    close: () =>
      queue.add(async () => {
        if (!closed) await file.close()
        closed = true
        await memory.close()
      }),
  }
}

function readOnlyStore(memory: SessionStore): SessionStore {
  return changed(memory, () => () => Promise.reject(new StoreError('readonly', 'The store was opened for reading.')))
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

type Call = (...parameters: readonly unknown[]) => Promise<unknown>

function callOf(store: SessionStore, method: (typeof writing)[number]): Call {
  return store[method] as Call
}

function changed(store: SessionStore, change: (method: (typeof writing)[number], call: Call) => Call): SessionStore {
  return { ...store, ...Object.fromEntries(writing.map((method) => [method, change(method, callOf(store, method))])) }
}
