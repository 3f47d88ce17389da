import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { blankPage, closeBrowser, openedPage } from './browser.ts'
import { lastTurn, looksRight, send, waitUntil } from './conversation.ts'

after(closeBrowser)

/** Notifications of the system that are only written down, and a page that is hidden when the test says so. */
const system = `(() => {
  globalThis.reported = []
  globalThis.isHidden = false
  globalThis.asked = 0
  globalThis.Notification = class extends EventTarget {
    static permission = 'default'
    static async requestPermission() {
      asked += 1
      return (Notification.permission = 'granted')
    }
    constructor(title, { body }) {
      super()
      reported.push(title + ': ' + body)
    }
  }
  Object.defineProperty(document, 'hidden', { get: () => isHidden })
})()`

/** A page without a browser around it. */
const standalone = `(() => {
  const own = matchMedia
  globalThis.matchMedia = (query) => (query === '(display-mode: standalone)' ? { matches: true } : own(query))
})()`

test('a notification says that a question waits or a long turn has ended, while the page is hidden and the person wants it', async (t) => {
  const access = {
    global: { mode: 'full' },
    tools: { shell: { enabled: true, approval: 'ask', allowedPrefixes: ['echo'] } },
  }
  const released = Promise.withResolvers<void>()
  const { page, gateway } = await blankPage(
    t,
    {
      answer: async ({ newest }) => {
        if (newest === 'Ask') return { toolCalls: [{ name: 'shell', input: { cmd: 'echo hello' } }] }
        if (newest === 'Think') await released.promise
        return { text: 'Yes.' }
      },
    },
    { prepare: (home) => writeFile(join(home, 'tool-access.json'), JSON.stringify(access)) },
  )
  await page.clock.install()
  await page.addInitScript(system)
  await page.goto(gateway.url)
  await send(page, 'Think')
  const sessions = page.getByRole('complementary', { name: 'Sessions' })
  await sessions.getByText('Works: ').waitFor()
  assert.equal(await page.evaluate('asked'), 0, 'nobody is asked before something takes long')
  await page.clock.fastForward(31_000)
  await page.getByRole('button', { name: 'Notify me' }).click()
  await waitUntil(page, 'asked === 1')
  await page.evaluate('isHidden = true')
  released.resolve()
  await waitUntil(page, 'reported.length === 1')

  const { session } = await gateway.curl<{ readonly session: string }>('/api/messages', { text: 'Ask' })
  await waitUntil(page, 'reported.length === 2')
  await page.evaluate('isHidden = false')
  await gateway.say('Quick')
  await page.goto(`${gateway.url}/sessions/${session}`)
  await lastTurn(page).getByRole('button', { name: 'Approve once' }).waitFor()
  assert.deepEqual(await page.evaluate('reported'), [])
})

test('notifications are switched on and off in the settings, where the page says if the browser blocks them', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.addInitScript(system)
  await page.goto(`${gateway.url}/settings/appearance`)
  const notices = page.getByRole('region', { name: 'Notifications' })
  await notices.getByRole('button', { name: 'Notify me' }).click()
  await notices.getByText('Notifies you of questions that wait').waitFor()
  await looksRight(page, 'notifications')
  await notices.getByRole('button', { name: 'No notifications' }).click()
  await notices.getByText('Notifies you when a question waits').waitFor()
  await page.addInitScript(`Notification.permission = 'denied'`)
  await page.reload()
  await notices.getByText('This browser blocks notifications').waitFor()
})

test('an installed page says that the gateway is not reached, and loads again as soon as it answers', async (t) => {
  const { page, gateway } = await openedPage(t, {}, { browser: { serviceWorkers: 'allow', colorScheme: 'light' } })
  await page.getByLabel('Message', { exact: true }).waitFor()
  const manifest = await fetch(`${gateway.url}/app/manifest.webmanifest`)
  assert.equal(manifest.headers.get('content-type'), 'application/manifest+json')
  const { icons } = (await manifest.json()) as { readonly icons: readonly { readonly src: string }[] }
  for (const { src } of icons) assert.equal((await fetch(gateway.url + src)).status, 200, src)
  const registered = 'navigator.serviceWorker.getRegistrations().then((all) => all.length)'
  assert.equal(await page.evaluate(registered), 0, 'an ordinary page has no worker')

  await page.addInitScript(standalone)
  await page.reload()
  await waitUntil(page, 'navigator.serviceWorker.controller !== null')
  await gateway.stop()
  await page.reload()
  await page.getByRole('heading', { name: 'The gateway is not reached' }).waitFor()
  await looksRight(page, 'offline')
  // Any answer of the gateway loads the page again.
  await page.route('**/api/status', (route) => route.fulfill({ status: 401, json: {} }))
  await page.waitForEvent('domcontentloaded')
})
