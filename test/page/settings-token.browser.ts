import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { blankPage, closeBrowser } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

test('a new token signs all other browsers out, this one stays, and the old token is refused', async (t) => {
  const { page, gateway, another } = await blankPage(t, { answer: () => ({ text: 'Good morning.' }) })
  const other = await another()
  await other.goto(gateway.url)
  await other.getByText('Write a message.').waitFor()
  await page.goto(`${gateway.url}/settings/token`)
  const main = page.locator('#main')
  await main.getByText('A token of the owner is set. It was stored on').waitFor()
  await main.getByRole('button', { name: 'Make a new token' }).click()
  await main.getByText('Signs out every other browser and program').waitFor()
  await main.getByRole('button', { name: 'Replace the token' }).click()
  await main.getByText('This browser stays signed in').waitFor()

  const token = readFileSync(join(gateway.home, 'data', 'token'), 'utf8').trim()
  assert.notEqual(token, gateway.token)
  const status = async (value: string): Promise<number> =>
    (await fetch(`${gateway.url}/api/status`, { headers: { authorization: `Bearer ${value}` } })).status
  assert.deepEqual([await status(gateway.token), await status(token)], [401, 200])
  assert.match((await gateway.foreword('token')).stdout, new RegExp(`token=${token}`))

  await other.reload()
  await other.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  await other.getByLabel('Token').fill(token)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByText('Write a message.').waitFor()

  await page.goto(gateway.url)
  await page.getByLabel('Message', { exact: true }).fill('Hello.')
  await page.keyboard.press('Enter')
  await page.locator('#main').getByText('Good morning.').first().waitFor()
  for (const each of [page, other]) assert.ok(!(await each.content()).includes(token))
})

test('a token of the configuration is not replaced, and the page says where it is set', async (t) => {
  const configuration = { gateway: { token: 'a-token-of-the-configuration-0123456789' } }
  const { page, gateway } = await blankPage(t, {}, { configuration })
  await page.goto(`${gateway.url}/settings/token`)
  const main = page.locator('#main')
  await main.getByText('The configuration sets the token.').waitFor()
  assert.equal(await main.getByRole('button', { name: 'Make a new token' }).count(), 0)
  await assert.rejects(gateway.curl('/api/token/replace', {}), /FOREWORD_GATEWAY_TOKEN/)
})

test('the page of the token is accessible and no wider than the window, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/token`)
  const main = page.locator('#main')
  await main.getByRole('button', { name: 'Make a new token' }).click()
  await main.getByRole('button', { name: 'Replace the token' }).waitFor()
  await looksRight(page, 'token')
})

test('a token for another is shown once, works, and is refused once it is revoked', async (t) => {
  const { page, gateway, another } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/token`)
  const region = page.getByRole('region', { name: 'Tokens for others' })
  await region.getByText('None yet.').waitFor()
  await region.getByLabel('Name').fill('phone')
  await region.getByLabel('May').selectOption('talk')
  await region.getByRole('button', { name: 'Make the token' }).click()
  const shown = region.getByRole('status')
  await shown.getByText('This is the token phone.').waitFor()
  const token = (await shown.locator('code').textContent())!
  assert.equal(token.length, 43)
  await shown.getByRole('button', { name: 'Copy' }).waitFor()
  const row = region.getByRole('listitem', { name: 'phone' })
  await row.getByText('may read and talk').waitFor()
  await row.getByText('never used').waitFor()

  const other = await another()
  await other.context().clearCookies()
  await other.goto(`${gateway.url}/?token=${token}`)
  await other.getByText('Write a message.').waitFor()
  await other.goto(`${gateway.url}/settings/token`)
  await other.getByText('It is signed in with the token phone, which may read and talk').waitFor()
  assert.equal(await other.getByRole('region', { name: 'Tokens for others' }).count(), 0)

  await page.reload()
  await row.getByText('last used').waitFor()
  assert.ok(!(await page.content()).includes(token))
  await row.getByRole('button', { name: 'Revoke phone' }).click()
  await row.getByRole('button', { name: 'Revoke phone now' }).click()
  await region.getByText('None yet.').waitFor()
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
})

test('a browser signs out and has to bring a token again', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/token`)
  await page.getByRole('region', { name: 'This browser' }).getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
  await page.goto(gateway.url)
  await page.getByRole('heading', { name: 'Sign in to Foreword' }).waitFor()
})
