import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Finding } from '../../src/capability.ts'
import { blankPage, closeBrowser } from './browser.ts'
import { looksRight } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

/** Opens the page and waits until all checks are over. */
async function openDoctor(page: Page, url: string): Promise<Locator> {
  await page.goto(`${url}/settings/doctor`)
  return checked(page)
}

async function checked(page: Page): Promise<Locator> {
  const main = page.locator('#main')
  await main.getByRole('button', { name: 'Run again' }).and(page.locator(':enabled')).waitFor()
  return main
}

test('the page has the findings of foreword doctor, each with its hint', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await gateway.say('hello')
  const main = await openDoctor(page, gateway.url)
  const printed = await gateway.foreword('doctor', '--json')
  const { findings } = JSON.parse(printed.stdout) as { readonly findings: readonly Finding[] }
  // Known holes have a section of their own.
  const rows = main.locator('li:not([aria-label="Security"] li)')
  assert.equal(await rows.count(), findings.length)
  for (const { check, message, hint } of findings) {
    const row = rows.filter({ hasText: check })
    // The free space and the time change from moment to moment.
    const texts = ['disk', 'size', 'clock'].includes(check) ? [] : [message]
    for (const text of [...texts, ...(hint === undefined ? [] : [hint.replaceAll('`', '')])]) {
      await row.filter({ hasText: text }).first().waitFor()
    }
  }
})

test('known holes have a section of their own, each with its id, its sentence and how to close it', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/doctor`)
  const security = page.locator('#main').getByRole('region', { name: 'Security' })
  await security.getByRole('button', { name: 'Check again' }).and(page.locator(':enabled')).waitFor()
  const printed = await gateway.foreword('doctor', '--security', '--json')
  const { findings } = JSON.parse(printed.stdout) as { readonly findings: readonly (Finding & { id: string })[] }
  assert.equal(await security.getByRole('listitem').count(), findings.length)
  for (const { id, check, hint } of findings) {
    const row = security.getByRole('listitem').filter({ hasText: `${id} ${check}` })
    await row.filter({ hasText: hint?.replaceAll('`', '') ?? '' }).waitFor()
  }
})

test('a problem comes first with its hint, and is gone when the checks run again after it is corrected', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  const file = join(gateway.home, 'tool-access.json')
  await writeFile(file, '{"global": {"mode": "nothing"}}')
  const main = await openDoctor(page, gateway.url)
  const toDo = main.getByRole('region', { name: 'To do' })
  const row = toDo.getByRole('listitem').filter({ hasText: 'policy' })
  await row.getByText('problem', { exact: true }).waitFor()
  await row.getByText(/^No tool may run: .*\.$/).waitFor()
  await row.getByText(`Correct ${file}`).waitFor()
  await rm(file)
  await main.getByRole('button', { name: 'Run again' }).click()
  await checked(page)
  await main.getByRole('region', { name: 'In order' }).getByText('nothing on the allowlist').waitFor()
  await isGone(page, gateway, row)
})

test('a finding about a setting links to its page', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: (_request, n) => (n === 1 ? refusedCall : { text: 'No.' }) })
  await gateway.say('Run something')
  const store = new DatabaseSync(join(gateway.home, 'data', 'foreword.sqlite'))
  store.exec(`update audit set hash = '${'0'.repeat(64)}' where number = 1`)
  store.close()
  const main = await openDoctor(page, gateway.url)
  const row = main
    .getByRole('region', { name: 'To do' })
    .getByRole('listitem')
    .filter({ hasText: 'broken at record 1' })
  await row.getByRole('link', { name: 'Open Audit' }).click()
  await main.getByRole('heading', { name: 'Audit', level: 1 }).waitFor()
})

const refusedCall = { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }] }

test('checks that take long show what they have found so far', async (t) => {
  const slow = await slowServer(t)
  const providers = { slow: { kind: 'openai-compatible', baseURL: `${slow.url}/v1` } }
  const { page, gateway } = await blankPage(t, {}, { configuration: { providers, model: 'slow/one' } })
  await page.goto(`${gateway.url}/settings/doctor`)
  const main = page.locator('#main')
  await main.getByRole('status').filter({ hasText: 'Checking… ' }).first().waitFor()
  await main.getByRole('listitem').filter({ hasText: 'node' }).first().waitFor()
  assert.ok(await main.getByRole('button', { name: 'Run again' }).isDisabled())
  slow.answer()
  await checked(page)
  await main.getByRole('listitem').filter({ hasText: 'audit' }).first().waitFor()
})

test('the doctor fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await writeFile(join(gateway.home, 'tool-access.json'), '{"global": {"mode": "nothing"}}')
  await openDoctor(page, gateway.url)
  await looksRight(page, 'doctor')
})

/** Lists its one model only when it is told to. */
async function slowServer(t: TestContext): Promise<{ readonly url: string; answer(): void }> {
  let answers = false
  const waiting: ServerResponse[] = []
  const send = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'one', object: 'model' }] }))
  }
  const server = createServer((_request, response) => (answers ? send(response) : void waiting.push(response)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer() {
      answers = true
      waiting.splice(0).forEach(send)
    },
  }
}
