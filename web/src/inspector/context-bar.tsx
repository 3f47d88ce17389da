import type { ReactNode } from 'react'
import type { Manifest } from '../../../src/context.ts'
import { count } from '../parts/numbers.ts'
import { type BarSegment, barSegments } from './bar-segments.ts'

interface ContextBarProps {
  readonly manifest: Manifest
  /** The segment that is marked, by its id. */
  readonly marked?: string | undefined
}

/** The window of a call to scale: what is sent in reading order, the free room, the margin, and the room for the answer. */
export function ContextBar({ manifest, marked }: ContextBarProps): ReactNode {
  const segments = barSegments(manifest)
  return (
    <div
      role="img"
      aria-label={segments.map(({ title, tokens }) => `${title}: ${count(tokens)} tokens`).join(', ')}
      className="flex h-3 w-full overflow-hidden rounded-full border border-line bg-ground"
    >
      {segments.map((segment) => (
        <Segment key={segment.id} segment={segment} marked={segment.id === marked} />
      ))}
    </div>
  )
}

function Segment({ segment, marked }: { readonly segment: BarSegment; readonly marked: boolean }): ReactNode {
  const { title, tokens, color, lighter } = segment
  return (
    <span
      title={`${title}: ${count(tokens)} tokens`}
      data-tokens={tokens}
      className={marked ? 'outline-2 -outline-offset-2 outline-ink' : ''}
      style={{ flexGrow: tokens, flexBasis: 0, background: color, opacity: lighter ? 0.75 : 1 }}
    />
  )
}
