import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Caller, CapabilityHost } from '../../../capability.ts'
import { makePrivateFolder, writeFileAtomically } from '../../../platform.ts'
import type { ResponseObject, ResponseItem } from './response-schema.ts'

export interface KeptResponse {
  /** Whose token made it: nobody else finds it. */
  readonly by: string
  /** The id of that token; absent for the owner's. */
  readonly token?: string
  readonly response: ResponseObject
  readonly input: readonly ResponseItem[]
  /** The id of the response that it goes on after. */
  readonly previous?: string
}

export type KeptResponses = ReturnType<typeof openKeptResponses>

type Host = Pick<
  CapabilityHost<{ readonly keepDays: number }>,
  'settings' | 'home' | 'clock' | 'writes' | 'redact' | 'warn'
>

/** Each response is a file in `data/responses`, with the time of its last use. Known secrets are taken out. */
export function openKeptResponses({ settings: { keepDays }, home, clock, writes, redact, warn }: Host) {
  const folder = join(home.data, 'responses')
  const longestMs = keepDays * DAY_MS
  let swept = 0
  let warned = false

  return {
    /** Resolves once it is on disk. `false`: this home keeps none, or cannot write it. */
    async keep(kept: KeptResponse) {
      if (keepDays === 0 || !writes) return false
      const path = pathOf(kept.response.id)
      if (path === undefined) return false
      try {
        await makePrivateFolder(folder)
        await writeFileAtomically(path, redact(JSON.stringify(kept)))
        await touch(path)
      } catch (error) {
        if (!warned) warn(`Responses of /v1/responses cannot be kept in ${folder}: ${String(error)}`)
        warned = true
        return false
      }
      if (now() - swept > DAY_MS / 24) await sweep()
      return true
    },
    /** `undefined` where there is none for this caller, or none any more. */
    async find(id: string, caller: Caller) {
      const found = await read(id)
      if (!found || !isOf(found.kept, caller)) return undefined
      if (writes) await touch(found.path)
      return found.kept
    },
    /** Returns false where there is none for this caller. */
    async remove(id: string, caller: Caller) {
      const found = await read(id)
      if (!found || !isOf(found.kept, caller)) return false
      await rm(found.path, { force: true })
      return true
    },
    sweep,
  }

  function now(): number {
    return Date.parse(clock.time())
  }

  /** Ids come from callers: only those of this format name a file. */
  function pathOf(id: string): string | undefined {
    return /^resp_[\w-]{1,200}$/.test(id) ? join(folder, `${id}.json`) : undefined
  }

  async function read(id: string): Promise<{ readonly path: string; readonly kept: KeptResponse } | undefined> {
    const path = pathOf(id)
    if (path === undefined || (await isOver(path))) return undefined
    try {
      return { path, kept: JSON.parse(await readFile(path, 'utf8')) as KeptResponse }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }

  async function isOver(path: string): Promise<boolean> {
    try {
      return now() - (await stat(path)).mtimeMs > longestMs
    } catch (error) {
      if (isMissing(error)) return true
      throw error
    }
  }

  async function touch(path: string): Promise<void> {
    const seconds = now() / 1000
    // Removed meanwhile: then there is nothing to keep.
    await utimes(path, seconds, seconds).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
  }

  /** Removes responses that were last used longer ago than `keepDays`. */
  async function sweep(): Promise<void> {
    if (!writes) return
    swept = now()
    const names = await readdir(folder).catch((error: unknown) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const name of names) {
      const path = join(folder, name)
      if (await isOver(path)) await rm(path, { force: true })
    }
  }
}

/** By the id of the token: another one may have had its name. */
function isOf({ by, token }: KeptResponse, caller: Caller): boolean {
  return by === caller.by && token === caller.tokenId
}

const DAY_MS = 24 * 60 * 60 * 1000

function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ENOENT'
}
