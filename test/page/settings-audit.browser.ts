import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { AuditRecord } from '../../src/session.ts'
import { run } from '../cli/recorded-io.ts'
import { blankPage, closeBrowser, type OpenedPage, seriousFaults } from './browser.ts'
import { picture, downloadedText, looksRight } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

/** The page after calls that ran and a call that was refused. */
async function audited(t: TestContext, browser: BrowserContextOptions = {}): Promise<OpenedPage> {
  const opened = await blankPage(
    t,
    {
      answer: (_request, n) => {
        if (n === 1) return { toolCalls: [{ name: 'read_file', input: { path: 'log.txt' } }] }
        if (n === 2) return { toolCalls: [{ name: 'edit_file', input: { path: 'a', old_text: 'b', new_text: 'c' } }] }
        return { text: 'Done.' }
      },
    },
    {
      browser,
      prepare: async (home) => {
        await mkdir(join(home, 'workspace'))
        await writeFile(join(home, 'workspace', 'log.txt'), 'calm')
        const policy = { global: { mode: 'allowlist', allowedTools: ['read_file'] } }
        await writeFile(join(home, 'tool-access.json'), JSON.stringify(policy))
      },
    },
  )
  await opened.gateway.say('Read the log and change it')
  return opened
}

async function recordsOf({ gateway }: OpenedPage): Promise<readonly AuditRecord[]> {
  return (await gateway.curl<{ readonly records: readonly AuditRecord[] }>('/api/audit')).records
}

async function openAudit(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/settings/audit`)
  await page.locator('#main').getByRole('list', { name: 'Records' }).waitFor()
}

test('the audit lists what tools did, filters it, and opens a record to all of its facts', async (t) => {
  const opened = await audited(t)
  const { page, gateway } = opened
  const records = await recordsOf(opened)
  const ran = records.find(({ kind, tool }) => kind === 'call' && tool === 'read_file')!
  assert.ok(records.some(({ tool }) => tool === 'edit_file'))
  await openAudit(page, gateway.url)
  const main = page.locator('#main')
  const list = main.getByRole('list', { name: 'Records' })
  const items = list.getByRole('listitem')
  assert.equal(await items.count(), records.length)

  const form = main.getByRole('form', { name: 'Which records' })
  await form.getByLabel('Tool').fill('read_file')
  await page.keyboard.press('Enter')
  await isGone(page, gateway, items.filter({ hasText: 'edit_file' }))
  const item = items.filter({ hasText: 'ran' })
  await item.locator('summary').click()
  for (const text of [ran.hash, ran.previous, ran.session!, ran.turn!]) {
    await item.getByText(text, { exact: true }).waitFor()
  }
  await item.getByRole('link', { name: 'Open the session' }).waitFor()
  await item.getByRole('button', { name: 'Only records of this session' }).click()
  await items.filter({ hasText: 'edit_file' }).first().waitFor()
  assert.equal(await form.getByLabel('Session').inputValue(), ran.session)
  assert.equal(await form.getByLabel('Tool').inputValue(), '')

  await form.getByRole('button', { name: 'Show all' }).click()
  await items.filter({ hasText: 'edit_file' }).first().waitFor()
  await form.getByLabel('Decision').selectOption('Approved by a person')
  await main.getByText('No record matches.').waitFor()
  await form.getByLabel('Decision').selectOption('Any')
  await form.getByLabel('To', { exact: true }).fill('2020-01-01')
  await main.getByText('No record matches.').waitFor()
})

test('the audit is exported as JSON Lines with the filter of the page', async (t) => {
  const opened = await audited(t)
  const { page, gateway } = opened
  const records = await recordsOf(opened)
  await openAudit(page, gateway.url)
  const main = page.locator('#main')
  const exported = async (name: string): Promise<readonly AuditRecord[]> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      main.getByRole('link', { name, exact: true }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'foreword-audit.jsonl')
    const lines = (await downloadedText(download)).trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as AuditRecord)
  }
  assert.deepEqual(await exported('Export all records as JSON Lines'), records)
  await main.getByLabel('Tool').fill('edit_file')
  await page.keyboard.press('Enter')
  assert.deepEqual(
    await exported('Export these records as JSON Lines'),
    records.filter(({ tool }) => tool === 'edit_file'),
  )
})

test('verify says how many records match, and exactly where the chain breaks', async (t) => {
  const opened = await audited(t)
  const { page, gateway } = opened
  const records = await recordsOf(opened)
  await openAudit(page, gateway.url)
  const chain = page.locator('#main').getByRole('region', { name: 'The chain' })
  await chain.getByRole('button', { name: 'Verify' }).click()
  await chain.getByText(`All ${records.length} records match their hashes`).waitFor()
  const { number, hash } = records.at(-1)!
  await chain.getByText(`${number}:${hash}`, { exact: true }).waitFor()

  const noted = chain.getByLabel('A record that you noted')
  await noted.fill(`${number}:${'0'.repeat(64)}`)
  await chain.getByRole('button', { name: 'Verify' }).click()
  await chain.getByRole('alert').getByText(`record ${number} has the hash ${hash}, not the expected one`).waitFor()
  await noted.fill('the newest')
  await chain.getByRole('button', { name: 'Verify' }).click()
  await chain.getByRole('alert').getByText('must be the number and the hash of a record').waitFor()
  await noted.fill(`${number}:${hash}`)
  await chain.getByRole('button', { name: 'Verify' }).click()
  await chain.getByText(`All ${records.length} records match their hashes`).waitFor()
  await noted.fill('')

  const store = new DatabaseSync(join(gateway.home, 'data', 'foreword.sqlite'))
  store.exec(`update audit set record = replace(record, '"kind":"call"', '"kind":"decision"') where number = 2`)
  store.exec(`update audit set record = json_set(record, '$.reason', 'another one') where number = 2`)
  store.close()
  await chain.getByRole('button', { name: 'Verify' }).click()
  await chain.getByRole('alert').getByText('The chain is broken at record 2: record 2 was changed').waitFor()
  await chain.getByText('Record 1 is whole.').waitFor()
  await chain.getByRole('list', { name: 'Around the break' }).getByRole('listitem').first().waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await picture(page, 'audit-broken')
})

test('verify says that an audit was emptied of which there are checkpoints', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    {},
    {
      prepare: async (home) => {
        const environment = { FOREWORD_HOME: home, FOREWORD_MODEL: 'rehearsal', NO_COLOR: '1' }
        for (const words of [
          ['tools', 'allow', 'read_file'],
          ['send', 'Hello'],
        ]) {
          assert.equal((await run(words, { environment })).code, 0)
        }
        for (const name of await readdir(join(home, 'data'))) {
          if (name.startsWith('foreword.sqlite')) await rm(join(home, 'data', name))
        }
      },
    },
  )
  await openAudit(page, gateway.url)
  const chain = page.locator('#main').getByRole('region', { name: 'The chain' })
  await chain.getByRole('button', { name: 'Verify' }).click()
  const alert = chain.getByRole('alert')
  await alert
    .getByText('The audit is not what it was: the audit was emptied: line 1 of audit-checkpoints.jsonl')
    .waitFor()
  await alert.getByText('Keep a copy of the home as it is now').waitFor()
  await chain.getByRole('list', { name: 'Checkpoints' }).getByText('audit-checkpoints.jsonl').waitFor()
  await chain.getByText('Signed with').waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  await picture(page, 'audit-emptied')
})

test('an audit without records says what will be in it', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/audit`)
  const main = page.locator('#main')
  await main.getByText('No records yet.').waitFor()
  await main.getByRole('button', { name: 'Verify' }).click()
  await main.getByText('There are no records yet.').waitFor()
})

test('the audit fits, and axe finds nothing serious, light and dark, on a phone and a desk', async (t) => {
  const { page, gateway } = await audited(t)
  await openAudit(page, gateway.url)
  const item = page.locator('#main').getByRole('list', { name: 'Records' }).getByRole('listitem').first()
  await item.locator('summary').click()
  await item.getByText('hash before').waitFor()
  await looksRight(page, 'audit')
})
