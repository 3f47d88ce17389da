import { type RefObject, useEffect, useRef } from 'react'
import type { VirtualizerHandle } from 'virtua'
import { hasTurn } from '../api/turns.ts'
import { markWords, unmarkWords } from '../parts/marked-words.ts'
import { type ShownPlace, shownPlace } from '../parts/asked.ts'
import { showToast } from '../parts/toasts.tsx'
import type { FollowedConversation } from './use-conversation.ts'
import { t } from '../language/language.ts'

/** How often a place is looked for while the list draws it, and how many times. */
const [EVERY_MS, MOST_TIMES] = [50, 40]

/**
 * Brings a turn or the card of a tool before the reader when another part of the page asks for it. A turn that was not read
 * yet is read if the session has it: nothing is read for one that is gone.
 */
export function useShownPlace(
  session: string | undefined,
  followed: FollowedConversation,
  list: RefObject<VirtualizerHandle | null>,
): void {
  const asked = shownPlace.useAsked()
  const place = asked?.session === undefined || asked.session === session ? asked : undefined
  const at = followed.conversation.turns.findIndex(({ id }) => id === place?.turn)
  useReadTo(session, followed, at < 0 ? place : undefined)

  useEffect(() => {
    if (place === undefined || at < 0) return undefined
    list.current?.scrollToIndex(at, { align: 'start' })
    let times = 0
    const timer = setInterval(() => {
      const element = elementOf(place)
      times += 1
      if (element === null && times < MOST_TIMES) return
      clearInterval(timer)
      shownPlace.ask(undefined)
      if (element === null) return
      const details = element.querySelector('details')
      if (details && element.tagName === 'SECTION') details.open = true
      const marked = markWords(element, place.words ?? []).filter((one) => one.checkVisibility())
      const inAnswer = place.ofAnswer ? marked.find((one) => one.closest('[data-said]') === null) : undefined
      const shown = inAnswer ?? marked[0] ?? element
      shown.scrollIntoView({ block: 'center' })
      element.focus({ preventScroll: true })
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [place, at])

  useEffect(() => unmarkWords, [session])
}

/** Reads earlier pages until the turn of a place is among what was read, or says why it will not be. */
function useReadTo(
  session: string | undefined,
  { conversation: { log, from }, loaded, loadEarlier }: FollowedConversation,
  place: ShownPlace | undefined,
): void {
  /** The place whose turn is known to exist. */
  const existing = useRef<ShownPlace>(undefined)
  useEffect(() => {
    if (session === undefined || place === undefined || !loaded) return undefined
    const giveUp = (text: string): void => {
      shownPlace.ask(undefined)
      showToast({ text })
    }
    let current = true
    const look = async (): Promise<void> => {
      if (log.some(({ id }) => id === place.turn)) {
        return giveUp(t`This turn is in another branch. Go to that branch to see it.`)
      }
      if (from <= 1) return giveUp(GONE)
      if (existing.current !== place) {
        const has = await hasTurn(session, place.turn)
        if (!current) return
        if (!has) return giveUp(GONE)
        existing.current = place
      }
      loadEarlier()
    }
    look().catch((failure: Error) => current && giveUp(failure.message))
    return () => {
      current = false
    }
  }, [session, place, loaded, from])
}

const GONE = t`This turn was not found. The session does not have it any more.`

/** The card of the call where there is one, otherwise the turn; `null`: not drawn yet. */
function elementOf({ turn, toolCallId }: ShownPlace): HTMLElement | null {
  const article = document.querySelector<HTMLElement>(placed(turn))
  return (toolCallId === undefined ? null : article?.querySelector<HTMLElement>(placed(toolCallId))) ?? article
}

function placed(id: string): string {
  return `[data-place="${CSS.escape(id)}"]`
}
