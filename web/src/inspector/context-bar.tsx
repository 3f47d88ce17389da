import type { ReactNode } from 'react'
import type { Manifest } from '../../../src/context.ts'
import { BarKeys } from './bar-keys.tsx'
import { type BarSegment, barSegments, segmentWords } from './bar-segments.ts'

interface ContextBarProps {
  readonly manifest: Manifest
  /** Name of the bar for screen readers. */
  readonly label?: string
  /** Opens a piece. Absent: the bar is only looked at. */
  onOpen?(segment: BarSegment): void
}

/** The window of a call to scale: what is sent in reading order, the free room, the margin, and the room for the answer. */
export function ContextBar({ manifest, label = 'Pieces of the call', onOpen }: ContextBarProps): ReactNode {
  const segments = barSegments(manifest)
  const bar = (
    <div
      role="img"
      aria-label={segments.map(segmentWords).join(', ')}
      className="flex h-3 w-full overflow-hidden rounded-full border border-line bg-ground"
    >
      {segments.map(({ id, tokens, color, lighter, ...segment }) => (
        <span
          key={id}
          title={segmentWords({ ...segment, tokens })}
          data-tokens={tokens}
          style={{ flexGrow: tokens, flexBasis: 0, background: color, opacity: lighter ? 0.75 : 1 }}
        />
      ))}
    </div>
  )
  if (!onOpen) return bar
  return (
    <div className="relative">
      {bar}
      <BarKeys label={label} segments={segments} onOpen={onOpen} />
    </div>
  )
}
