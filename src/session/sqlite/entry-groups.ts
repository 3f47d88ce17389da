import type { Manifest, ManifestEntry } from '../../context.ts'
import { contentHash } from '../content.ts'

/** Entries of a manifest that are one content. */
const GROUP = 32

/**
 * A manifest whose entries are contents of their own. The calls of another program account for all that was said before, again and
 * again: groups that come back are stored once.
 */
export interface GroupedManifest extends Omit<Manifest, 'entries'> {
  /** `sha256:HASH` of each group, in order. */
  readonly entryGroups: readonly string[]
}

/** Takes the entries out of a manifest. `contents`: what has to be stored beside it, by its hash. */
export function groupEntries({ entries, ...rest }: Manifest): {
  readonly manifest: GroupedManifest
  readonly contents: readonly { readonly hash: string; readonly text: string }[]
} {
  const contents: { readonly hash: string; readonly text: string }[] = []
  for (let at = 0; at < entries.length; at += GROUP) {
    const text = JSON.stringify(entries.slice(at, at + GROUP))
    contents.push({ hash: contentHash(text), text })
  }
  return { manifest: { ...rest, entryGroups: contents.map(({ hash }) => `sha256:${hash}`) }, contents }
}

/** Puts the entries back. What is gone with a session of the same words is left out. */
export function joinEntries(
  manifest: Manifest | GroupedManifest,
  read: (hash: string) => string | undefined,
): Manifest {
  if (!('entryGroups' in manifest)) return manifest
  const { entryGroups, ...rest } = manifest
  const entries = entryGroups.flatMap((reference) => {
    const text = read(reference.replace('sha256:', ''))
    return text === undefined ? [] : (JSON.parse(text) as readonly ManifestEntry[])
  })
  return { ...rest, entries }
}
