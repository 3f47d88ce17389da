import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { Manifest } from '../../../src/context.ts'
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

interface BarKeysProps {
  readonly label: string
  readonly segments: readonly BarSegment[]
  onOpen(segment: BarSegment): void
}

/**
 * The pieces of a bar as buttons that lie over it: the arrow keys go from piece to piece, each says its name and its tokens, and
 * Enter or a click opens it. One of them is in the order of Tab.
 */
function BarKeys({ label, segments, onOpen }: BarKeysProps): ReactNode {
  const [current, setCurrent] = useState(0)
  const [named, setNamed] = useState<string>()
  const bar = useRef<HTMLDivElement>(null)
  const at = Math.min(current, segments.length - 1)

  const move = (event: KeyboardEvent): void => {
    const to = target(event.key, at, segments.length)
    if (to === undefined) return
    event.preventDefault()
    setCurrent(to)
    bar.current?.querySelectorAll('button')[to]?.focus()
  }

  return (
    <>
      <div
        ref={bar}
        role="toolbar"
        aria-label={label}
        className="absolute inset-0 flex overflow-hidden rounded-full"
        onKeyDown={move}
        onMouseLeave={() => setNamed(undefined)}
      >
        {segments.map((segment, index) => (
          <button
            key={segment.id}
            type="button"
            aria-label={segmentWords(segment)}
            tabIndex={index === at ? 0 : -1}
            className="min-w-0 cursor-pointer p-0 focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-ink"
            style={{ flexGrow: segment.tokens, flexBasis: 0 }}
            onClick={() => onOpen(segment)}
            onFocus={() => {
              setCurrent(index)
              setNamed(segmentWords(segment))
            }}
            onBlur={() => setNamed(undefined)}
            onMouseEnter={() => setNamed(segmentWords(segment))}
          />
        ))}
      </div>
      {named !== undefined && (
        <span
          aria-hidden
          className="pointer-events-none absolute start-0 bottom-full z-10 mb-1 max-w-full truncate rounded border border-line bg-raised px-1.5 py-0.5 text-xs text-ink"
        >
          {named}
        </span>
      )}
    </>
  )
}

/** The piece that a key leads to. */
function target(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
      return Math.min(length - 1, at + 1)
    case 'ArrowLeft':
      return Math.max(0, at - 1)
    case 'Home':
      return 0
    case 'End':
      return length - 1
    default:
      return undefined
  }
}
