import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** How far from the end a reader still follows it, in pixels. */
const FOLLOW_PX = 120

interface FollowedEnd {
  /** Whether the reader has left the end. */
  readonly away: boolean
  /** To be called for every movement of the scroller. */
  onScroll(): void
  toEnd(): void
}

/**
 * Keeps a scroller at its end for as long as the reader is there: while rows come, grow and are measured, and while the window
 * changes. A reader who moves away is never pulled back. `rows` is what the scroller shows.
 */
export function useFollowEnd(scroller: RefObject<HTMLElement | null>, rows: readonly unknown[]): FollowedEnd {
  const following = useRef(true)
  const last = useRef({ top: 0, bottom: 0 })
  const [away, setAway] = useState(false)
  const shown = rows.length > 0

  /**
   * Rows that grow below leave the place as it is: only a reader moves up. A window that becomes higher moves its upper edge,
   * where nothing is below, and its lower one stays.
   */
  const look = useCallback((): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = scroller.current ?? {}
    const { top, bottom } = last.current
    const near = scrollHeight - scrollTop - clientHeight < FOLLOW_PX
    const movedUp = scrollTop < top - 1 && scrollTop + clientHeight < bottom - 1
    following.current = near || (following.current && !movedUp)
    last.current = { top: scrollTop, bottom: scrollTop + clientHeight }
    setAway(!following.current)
  }, [scroller])

  const toEnd = useCallback((): void => {
    const element = scroller.current
    if (element === null) return
    following.current = true
    element.scrollTop = element.scrollHeight
    last.current = { top: element.scrollTop, bottom: element.scrollTop + element.clientHeight }
    setAway(false)
  }, [scroller])

  const follow = useCallback((): void => {
    // The reader may have moved, and the event of it not have come.
    look()
    if (following.current) toEnd()
  }, [look, toEnd])

  useLayoutEffect(follow, [follow, rows])

  useEffect(() => {
    const element = scroller.current
    const list = element?.firstElementChild?.firstElementChild
    if (!shown || !element || !list) return
    // The list of rows on the screen has the height of all, which it corrects as soon as it has measured some.
    const measured = new MutationObserver(follow)
    measured.observe(list, { attributes: true, attributeFilter: ['style'] })
    const resized = new ResizeObserver(follow)
    resized.observe(element)
    return () => {
      measured.disconnect()
      resized.disconnect()
    }
  }, [follow, scroller, shown])

  return { away, onScroll: look, toEnd }
}
