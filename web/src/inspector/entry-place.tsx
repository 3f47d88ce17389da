import type { ReactNode } from 'react'
import { type Manifest, type ManifestEntry, placeSentence } from '../../../src/context.ts'
import { useAccount, usePreviousCall } from './previous-call.ts'
import type { Inspected } from './share-late-panel.tsx'

interface EntryPlaceProps extends Inspected {
  readonly entry: ManifestEntry
  /** By our counter, as the account of the call before is. */
  readonly counted: Manifest
}

/** The position of a candidate in the previous call. */
export function EntryPlace({ entry, counted, ...inspected }: EntryPlaceProps): ReactNode {
  const before = useAccount(usePreviousCall(inspected))
  if (before === undefined) return null
  const isSame = (each: ManifestEntry) => each.id === entry.id && each.layer === entry.layer && each.slot === entry.slot
  const own = counted.entries.find(isSame) ?? entry
  return <p className="text-soft">{placeSentence(own, counted, before)}</p>
}
