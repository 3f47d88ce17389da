import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { run } from '../cli/recorded-io.ts'
import { blankPage, closeBrowser, type PageOptions } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

async function backupSettings(t: TestContext, options: PageOptions = {}) {
  const opened = await blankPage(t, { answer: () => ({ text: 'Good morning.' }) }, options)
  await opened.gateway.say('Hello.')
  await opened.page.goto(`${opened.gateway.url}/settings/backup`)
  const main = opened.page.locator('#main')
  await main.getByRole('heading', { name: 'Restore' }).waitFor()
  return { ...opened, main }
}

test('an archive is made and downloaded from the page, and `foreword restore` restores it', async (t) => {
  const { page, main, gateway } = await backupSettings(t)
  await main.getByText('None yet.').waitFor()
  await main.getByRole('button', { name: 'Make an archive' }).click()
  const ready = main.getByRole('region', { name: 'Ready' })
  await ready.getByText('It was read back and verified.').waitFor()
  const downloading = page.waitForEvent('download')
  await ready.getByRole('link', { name: 'Download' }).click()
  const download = await downloading
  assert.match(download.suggestedFilename(), /^foreword-[\d-]+\.tar\.gz$/)
  const folder = mkdtempSync(join(tmpdir(), 'foreword-page-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, download.suggestedFilename())
  await download.saveAs(file)
  const home = join(folder, 'home')
  const { code, stderr } = await run(['restore', file], { environment: { FOREWORD_HOME: home } })
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(join(home, 'config.json'), 'utf8'), readFileSync(join(gateway.home, 'config.json'), 'utf8'))
  await main.getByRole('region', { name: 'Archives that were made here' }).getByRole('listitem').waitFor()
})

test('the page says what an archive contains that is secret, and names the command that restores it', async (t) => {
  const { main, gateway } = await backupSettings(t)
  await main
    .getByText('It contains the token of this gateway and the keys of your providers: keep it private.')
    .waitFor()
  await main.getByText(`foreword restore ARCHIVE.tar.gz --replace --home ${gateway.home}`).waitFor()
})

test('the page of backups is accessible and no wider than the window, light and dark, on a phone and a desk', async (t) => {
  const { page, main } = await backupSettings(t)
  await main.getByRole('button', { name: 'Make an archive' }).click()
  await main.getByRole('region', { name: 'Ready' }).waitFor()
  await looksRight(page, 'backup')
})
