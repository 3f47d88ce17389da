import type { Manifest, ManifestEntry } from './manifest.ts'

/**
 * A manifest as text, one line a candidate: slot, id, form, tokens, tokens in full, outcome, reason. What people and
 * golden tests read. `nameOf` gives what stands in the place of the id.
 */
export function outline(
  manifest: Manifest,
  nameOf: (entry: ManifestEntry, manifest: Manifest) => string = ({ id }) => id,
): string {
  const { window, reserve, margin, available } = manifest.budget
  const safety = margin > 0 ? `, margin ${margin}` : ''
  const head = `window ${window}, reserve ${reserve}${safety}: used ${manifest.used} of ${available}`
  // As wide as the longest id that fits a column, so that outlines with short ids keep their look.
  let width = NARROWEST
  const names = manifest.entries.map((entry) => nameOf(entry, manifest))
  for (const { length } of names) if (length > width && length <= WIDEST) width = length
  return [head, ...manifest.entries.map((entry, index) => line(entry, names[index]!.padEnd(width)))].join('\n')
}

/** Characters of the column of ids. An id that is longer than the widest column moves its own line only. */
const [NARROWEST, WIDEST] = [18, 30]

function line({ slot, form, tokens, fullTokens, outcome, reason }: ManifestEntry, name: string): string {
  const columns = [
    slot.padEnd(12),
    name,
    (form ?? '-').padEnd(20) + String(tokens).padStart(7),
    String(fullTokens).padStart(6),
    ` ${outcome.padEnd(8)}`,
    ` ${reason?.code ?? ''}`,
  ]
  return columns.join(' ').trimEnd()
}
