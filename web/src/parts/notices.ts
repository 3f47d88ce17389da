import { navigate } from 'wouter/use-browser-location'
import type { ListedSession } from '../api/resources.ts'
import { followSessionChanges } from '../api/session-changes.ts'
import { showToast } from './toasts.tsx'
import { t } from '../language/language.ts'

/** A turn that took longer is reported when it ends, ms. */
const LONG_MS = 30_000

const KEY = 'foreword-notices'

/** Whether this browser reports what happens while the page is hidden; `blocked` where the browser does not let it. */
export type NoticesChoice = 'on' | 'off' | 'blocked'

export function chosenNotices(): NoticesChoice {
  if (!('Notification' in globalThis) || Notification.permission === 'denied') return 'blocked'
  return localStorage.getItem(KEY) === 'on' && Notification.permission === 'granted' ? 'on' : 'off'
}

/** Asks the person where the browser wants that. Call it for a click only. */
export async function chooseNotices(on: boolean): Promise<NoticesChoice> {
  localStorage.setItem(KEY, on ? 'on' : 'off')
  if (on && 'Notification' in globalThis) await Notification.requestPermission()
  return chosenNotices()
}

/** Reports questions that wait and long turns that end while the page is hidden. Offers to do so at the first long turn. */
export function followNotices(): void {
  const states = new Map<string, ListedSession['state']>()
  /** When the running turn of a session was first seen, and what waits for it to become long. */
  const running = new Map<string, { readonly since: number; readonly timer: ReturnType<typeof setTimeout> }>()
  followSessionChanges((change) => {
    if (change.type !== 'session') return
    const { id, state } = change.session
    const isNew = states.get(id) !== state
    states.set(id, state)
    if (!isNew) return
    const turn = running.get(id)
    if (state === 'works') {
      if (turn === undefined) running.set(id, { since: Date.now(), timer: setTimeout(offer, LONG_MS) })
    } else if (state === 'waits') {
      void report(change.session, (name) => t`“${name}” waits for your decision.`)
    } else {
      clearTimeout(turn?.timer)
      running.delete(id)
      if (turn !== undefined && Date.now() - turn.since >= LONG_MS)
        void report(change.session, (name) =>
          state === 'failed' ? t`“${name}” has failed.` : t`“${name}” has answered.`,
        )
    }
  })
}

/** Once for each browser, and only to somebody who looks at the page. */
function offer(): void {
  if (document.hidden || localStorage.getItem(KEY) !== null || chosenNotices() !== 'off') return
  localStorage.setItem(KEY, 'off')
  showToast({
    text: t`This takes a while. A notification can say when it ends.`,
    action: { label: t`Notify me`, run: () => void chooseNotices(true) },
    ms: LONG_MS,
  })
}

async function report({ id, title, opening }: ListedSession, body: (name: string) => string): Promise<void> {
  if (!document.hidden || chosenNotices() !== 'on') return
  const path = `/sessions/${encodeURIComponent(id)}`
  const options = { body: body(title ?? opening ?? id), tag: id, icon: '/app/icon-192.png', data: path }
  // A phone shows only what the worker of an installed page reports.
  const worker = await navigator.serviceWorker?.getRegistration()
  if (worker) return worker.showNotification('Foreword', options)
  const notice = new Notification('Foreword', options)
  notice.addEventListener('click', () => {
    globalThis.focus()
    navigate(path)
  })
}
