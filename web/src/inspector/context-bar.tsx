import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'
import type { Manifest } from '../../../src/context.ts'
import { type BarSegment, barSegments, isRoom, segmentWords } from './bar-segments.ts'
import { t } from '../language/language.ts'

interface ContextBarProps {
  /** In the tokens of its provider. */
  readonly manifest: Manifest
  /** Name of the bar for screen readers. */
  readonly label?: string
  /** Opens a piece. Absent: the bar is only looked at. */
  onOpen?(segment: BarSegment): void
}

/** From this share of the window on, a bar is drawn to the scale of the window: below it, nothing could be told apart. */
const LEAST_SHARE = 0.25

/** Whether a call is drawn without the room that is left in the window. */
export function isSmall({ total, window }: { readonly total: number; readonly window: number }): boolean {
  return total < window * LEAST_SHARE
}

/** The segments of a bar: all of the window where enough of it is used, else what is in it alone. */
function drawnSegments(manifest: Manifest): readonly BarSegment[] {
  const segments = barSegments(manifest)
  const { used, budget } = manifest
  return isSmall({ total: used, window: budget.window }) ? segments.filter((segment) => !isRoom(segment)) : segments
}

/** What a call reads to scale, in reading order; with the free room and the rest of the window where enough of it is used. */
export function ContextBar({ manifest, label = t`Pieces of the call`, onOpen }: ContextBarProps): ReactNode {
  const segments = drawnSegments(manifest)
  const bar = (
    <div
      role="img"
      aria-label={segments.map(segmentWords).join(', ') || t`nothing that is known`}
      className="flex h-2.5 w-full overflow-hidden rounded-full bg-sunken"
    >
      {segments.map(({ id, tokens, color, lighter, ...segment }) => (
        <span
          key={id}
          title={onOpen ? undefined : segmentWords({ ...segment, tokens })}
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

/** Where the name of a piece is shown: px from the edges of the window. */
interface NamePlace {
  readonly words: string
  readonly x: number
  readonly y: number
}

/**
 * The pieces of a bar as buttons that lie over it: the arrow keys go from piece to piece, each says its name and its tokens, and
 * Enter or a click opens it. One of them is in the order of Tab.
 */
function BarKeys({ label, segments, onOpen }: BarKeysProps): ReactNode {
  const [current, setCurrent] = useState(0)
  const [named, setNamed] = useState<NamePlace>()
  const bar = useRef<HTMLDivElement>(null)
  const at = Math.min(current, segments.length - 1)

  const move = (event: KeyboardEvent): void => {
    const to = target(event.key, at, segments.length)
    if (to === undefined) return
    event.preventDefault()
    setCurrent(to)
    bar.current?.querySelectorAll('button')[to]?.focus()
  }
  const name = (segment: BarSegment, x: number, element: Element): void =>
    setNamed({ words: segmentWords(segment), x, y: element.getBoundingClientRect().bottom })

  return (
    <>
      <div
        ref={bar}
        role="toolbar"
        aria-label={label}
        className="absolute -inset-y-1 inset-x-0 flex"
        onKeyDown={move}
        onPointerLeave={() => setNamed(undefined)}
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
            onFocus={({ currentTarget }) => {
              setCurrent(index)
              name(segment, currentTarget.getBoundingClientRect().left, currentTarget)
            }}
            onBlur={() => setNamed(undefined)}
            onPointerMove={({ clientX, currentTarget }: PointerEvent<HTMLElement>) =>
              name(segment, clientX, currentTarget)
            }
          />
        ))}
      </div>
      {named && (
        <span
          aria-hidden
          className="pointer-events-none fixed z-30 mt-1 w-max max-w-72 rounded border border-line bg-raised px-1.5 py-0.5 text-xs text-ink shadow-lg"
          style={{ top: named.y, ...besidePointer(named.x) }}
        >
          {named.words}
        </span>
      )}
    </>
  )
}

/** Between the pointer and the nearer edge there may be no room for a name: it grows towards the other one. */
function besidePointer(x: number): { readonly left: number } | { readonly right: number } {
  const { clientWidth } = document.documentElement
  return x < clientWidth / 2 ? { left: Math.max(8, x) } : { right: Math.max(8, clientWidth - x) }
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
