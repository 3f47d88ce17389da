import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { waitUntil } from './conversation.ts'

/**
 * Resolves when what was done on the page has come to its end: the page asks for nothing and draws nothing more (`data-idle` of
 * the document), the gateway has nothing to do, and the page shows everything of its session. A turn that waits for a person has
 * come to its end in this sense. For a state in the middle wait for its words.
 */
export async function idle(page: Page, gateway: Pick<RealGateway, 'curl' | 'idle'>): Promise<void> {
  await page.locator('html[data-idle=true]').waitFor()
  await gateway.idle()
  const session = /^\/sessions\/([^/]+)/.exec(new URL(page.url()).pathname)?.[1]
  const entries = session === undefined ? 0 : await entriesOf(gateway, session)
  const isIdle = `idle === 'true' && seq >= ${entries}`
  await waitUntil(page, `(({ idle, seq = 0 }) => ${isIdle})(document.documentElement.dataset)`)
}

/**
 * What was on the page is not on it any more once everything has come to its end. A list that is read again is empty for a
 * moment, and a look into that moment would find whatever comes back gone.
 */
export async function isGone(page: Page, gateway: Pick<RealGateway, 'curl' | 'idle'>, locator: Locator): Promise<void> {
  await idle(page, gateway)
  assert.deepEqual(await locator.allInnerTexts(), [])
}

/** 0 for a session that is not there: the page shows that. */
async function entriesOf({ curl }: Pick<RealGateway, 'curl'>, session: string): Promise<number> {
  try {
    return (await curl<{ readonly entries: number }>(`/api/sessions/${session}`)).entries
  } catch {
    return 0
  }
}
