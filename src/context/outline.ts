import type { Manifest, ManifestEntry } from './manifest.ts'

/**
 * A manifest as text, one line a candidate: slot, id, form, tokens, tokens in full, outcome, reason. What people and
 * golden tests read.
 */
export function outline(manifest: Manifest): string {
  const { window, reserve, margin, available } = manifest.budget
  const safety = margin > 0 ? `, margin ${margin}` : ''
  const head = `window ${window}, reserve ${reserve}${safety}: used ${manifest.used} of ${available}`
  return [head, ...manifest.entries.map(line)].join('\n')
}

function line({ slot, id, form, tokens, fullTokens, outcome, reason }: ManifestEntry): string {
  const columns = [
    slot.padEnd(12),
    id.padEnd(18),
    (form ?? '-').padEnd(20) + String(tokens).padStart(7),
    String(fullTokens).padStart(6),
    ` ${outcome.padEnd(8)}`,
    ` ${reason?.code ?? ''}`,
  ]
  return columns.join(' ').trimEnd()
}
