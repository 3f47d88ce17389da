import type { ReactNode } from 'react'
import { type Manifest, type ManifestEntry, placeSentence } from '../../../src/context.ts'
import { useAccount, usePreviousCall } from './previous-call.ts'
import type { Inspected } from './share-late-panel.tsx'

interface EntryPlaceProps extends Inspected {
  readonly entry: ManifestEntry
  readonly manifest: Manifest
}

/** The position of a candidate in the previous call. */
export function EntryPlace({ entry, manifest, ...inspected }: EntryPlaceProps): ReactNode {
  const before = useAccount(usePreviousCall(inspected))
  if (before === undefined) return null
  return <p className="text-soft">{placeSentence(entry, manifest, before)}</p>
}
