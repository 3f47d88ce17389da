import type { Manifest } from '../../../src/context.ts'
import type { ReactNode } from 'react'
import { barSegments } from './bar-segments.ts'

/** The window of a call to scale: its slots in reading order, the free room, the margin, and the room for the answer. */
export function ContextBar({ manifest }: { readonly manifest: Manifest }): ReactNode {
  const segments = barSegments(manifest)
  const { window } = manifest.budget
  return (
    <div
      role="img"
      aria-label={segments.map(({ title, tokens }) => `${title}: ${tokens} tokens`).join(', ')}
      className="flex h-3 w-full overflow-hidden rounded-full border border-line bg-ground"
    >
      {segments.map(({ id, title, tokens, color }) => (
        <span
          key={id}
          title={`${title}: ${tokens.toLocaleString('en')} tokens`}
          style={{ width: `${(tokens / window) * 100}%`, background: color }}
        />
      ))}
    </div>
  )
}
