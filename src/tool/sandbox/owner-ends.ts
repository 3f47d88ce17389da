import { join, sep } from 'node:path'
import { type HeldFolder, holdFolder, holdRealFolder } from '../../platform.ts'
import { type Lead, leadEnd, lookAt, searchFolder } from './owner-search.ts'
import { unlessClosed } from './unless-closed.ts'

/**
 * What the owner's entries in a folder lead to, absolute and also where it is missing, for one question after another. A program in the
 * sandbox can make no such entry, but it can exchange what an entry leads through: so each known one is followed for every question,
 * and where one is gone or leads elsewhere all is searched again.
 */
export function createOwnerEnds() {
  let known: { readonly folder: string; readonly time: number; readonly leads: readonly Lead[] } | undefined

  /** `now`: any monotonic time, ms. */
  return async function findEnds(folder: string, now: number): Promise<readonly string[]> {
    const root = await holdRealFolder(folder)
    try {
      const isRecent = known?.folder === folder && now - known.time < SEARCH_AGAIN_MS
      const same = isRecent && (await Promise.all(known!.leads.map((lead) => isAsBefore(root, folder, lead))))
      if (!same || same.includes(false)) {
        const leads: Lead[] = []
        const ignore = () => {}
        await searchFolder(root, folder, ignore, (lead) => leads.push(lead))
        known = { folder, time: now, leads }
      }
      return known!.leads.flatMap(({ end }) => (end ? [join(folder, ...end)] : []))
    } finally {
      await root.close()
    }
  }
}

async function isAsBefore(root: HeldFolder, folder: string, { entry, identity, names, end }: Lead): Promise<boolean> {
  const held = await unlessClosed(() => holdFolder(root.at('.'), entry.slice(0, -1)))
  try {
    const found = held && (await lookAt(held.at(entry.at(-1)!)))
    return found?.identity === identity && (await leadEnd(root, folder, names))?.join(sep) === end?.join(sep)
  } finally {
    await held?.close()
  }
}

/** After so long, ms, all folders are searched again for entries that the owner has made meanwhile. */
const SEARCH_AGAIN_MS = 10_000
