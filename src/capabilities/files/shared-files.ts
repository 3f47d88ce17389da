import type { FileLibrary, OfOwner } from '../../capability.ts'
import { keyedQueue } from '../../platform.ts'
import type { BlobStore, FileOwner, SessionStore } from '../../session.ts'
import { collectionName, unindexed } from './library.ts'

interface SharedFilesParts {
  /** Those of the owner of the gateway. */
  readonly shared: OfOwner
  readonly store: SessionStore
  readonly blobs: Pick<BlobStore, 'put'>
  readonly library: Pick<FileLibrary, 'keep' | 'remove'>
}

/**
 * The files of what the owner of a gateway shares, in the home of a person: copies, so that they are read, indexed and searched as
 * their own are. They are compared whenever something asks for them.
 */
export function copySharedFiles({ shared, store, blobs, library }: SharedFilesParts) {
  const queue = keyedQueue<string>()

  async function bring(owner: FileOwner): Promise<boolean> {
    if (await store.record(owner.type, owner.id)) return false
    const there = (await shared.files(owner)) ?? []
    const wanted = new Map(there.flatMap((row) => (row.state.type === 'ready' ? [[row.id, row] as const] : [])))
    let removed = 0
    for (const { id } of await store.files({ owner })) {
      if (wanted.delete(id)) continue
      removed += 1
      await library.remove(id)
    }
    for (const row of wanted.values()) {
      const text = await shared.text(row)
      if (text !== undefined) await store.putContent(text)
      await blobs.put(shared.bytes(row), {
        maxBytes: row.bytes,
        keep: () => library.keep({ ...row, state: unindexed(row.state) }),
      })
    }
    return removed + wanted.size > 0
  }

  return {
    /**
     * Resolves when the files of a record that is shared are here, and those of one that is no longer shared are gone, with whether
     * anything has changed by that.
     */
    bring: async (owner: FileOwner): Promise<boolean> =>
      owner.type !== 'session' && queue.add(collectionName(owner), () => bring(owner)),
  }
}
