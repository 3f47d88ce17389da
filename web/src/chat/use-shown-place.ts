import { type RefObject, useEffect } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { shownPlace } from '../parts/shown-place.ts'
import type { FollowedConversation } from './use-conversation.ts'

/** How often a place is looked for while the list draws it, and how many times. */
const [EVERY_MS, MOST_TIMES] = [50, 40]

/** Brings a turn or the card of a tool before the reader when another part of the page asks for it. */
export function useShownPlace(
  { conversation: { turns }, loadEarlier }: FollowedConversation,
  list: RefObject<VirtualizerHandle | null>,
): void {
  const place = shownPlace.useAsked()
  useEffect(() => {
    if (place === undefined) return undefined
    const at = turns.findIndex(
      ({ id, parts }) => id === place || parts.some((part) => part.type === 'tool' && part.toolCallId === place),
    )
    if (at < 0) {
      loadEarlier()
      return undefined
    }
    list.current?.scrollToIndex(at, { align: 'start' })
    let times = 0
    const timer = setInterval(() => {
      const element = document.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`)
      times += 1
      if (element === null && times < MOST_TIMES) return
      clearInterval(timer)
      shownPlace.ask(undefined)
      if (element === null) return
      const details = element.querySelector('details')
      if (details && element.tagName === 'SECTION') details.open = true
      element.scrollIntoView({ block: 'center' })
      element.focus()
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [place, turns])
}
