import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openProvider, SECRET } from '../server/openid-provider.ts'
import { blankPage, closeBrowser, freePage, type OpenedPage } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

test('somebody without a token signs in with an account of another site, and is themselves on the page', async (t) => {
  let opened!: OpenedPage
  const provider = await openProvider(
    t,
    async (issuer) => {
      const openid = { issuer, clientId: 'foreword', clientSecretFile: 'secret', allow: { domains: ['reef.example'] } }
      opened = await blankPage(
        t,
        { answer: () => ({ text: 'Good morning.' }) },
        {
          configuration: { gateway: { openid } },
          prepare: async (home) => writeFileSync(join(home, 'secret'), SECRET),
        },
      )
      return {
        accounts: { ann: { email: 'ann@reef.example', email_verified: true, preferred_username: 'ann' } },
        redirects: [`${opened.gateway.url}/sign-in/done`],
      }
    },
    'localhost',
  )
  assert.ok(provider.issuer.startsWith('http://localhost:'))
  const page = await freePage(t)
  await page.goto(`${opened.gateway.url}/settings/token`)
  await page.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  await looksRight(page, 'sign-in')
  await page.getByRole('link', { name: 'Sign in with your account' }).click()
  await page.waitForURL(`${opened.gateway.url}/settings/token`)
  const caller = await page.evaluate<object>(
    "fetch('/api/token').then((answer) => answer.json()).then((all) => all.caller)",
  )
  assert.deepEqual(caller, { scope: 'approve', name: 'ann', person: 'ann' })
})
