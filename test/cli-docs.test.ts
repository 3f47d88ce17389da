import assert from 'node:assert/strict'
import test from 'node:test'
import { run } from './cli/recorded-io.ts'

test('the pages of the documentation are listed, for people and for programs', async () => {
  const { code, stdout } = await run(['docs'])
  assert.equal(code, 0)
  assert.match(stdout, /^guide\/getting-started +Getting started$/m)
  const pages = (await run(['docs', '--json'])).stdout.trim().split('\n')
  const page = pages
    .map((line) => JSON.parse(line) as { page: string })
    .find((one) => one.page === 'guide/getting-started')
  assert.deepEqual(page, {
    page: 'guide/getting-started',
    title: 'Getting started',
    summary: 'Start Foreword and get an answer whose every word you can account for.',
  })
})

test('a page is printed by its name, or by the last part of it', async () => {
  const whole = await run(['docs', 'guide/getting-started'])
  assert.match(whole.stdout, /^# Getting started\n/)
  assert.deepEqual(await run(['docs', 'getting-started']), whole)
  assert.deepEqual(await run(['docs', 'docs/guide/getting-started.md']), whole)
  const { page, text } = JSON.parse((await run(['docs', 'house', '--json'])).stdout) as Record<string, string>
  assert.equal(page, 'house')
  assert.match(text!, /^# The house\n/)
})

test('an unknown page is rejected with the nearest one', async () => {
  const { code, stderr } = await run(['docs', 'geting-started'])
  assert.equal(code, 2)
  assert.match(stderr, /Unknown page "geting-started"\.\n +Did you mean `foreword docs getting-started`\?/)
  assert.match((await run(['docs', '../package'])).stderr, /Unknown page/)
})
