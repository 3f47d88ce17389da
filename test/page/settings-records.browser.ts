import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator } from 'playwright-core'
import type { ScriptedAnswer, ScriptedRequest } from '../../src/testing.ts'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { blankPage, closeBrowser, seriousFaults } from './browser.ts'
import { looksRight, picture, visit } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

interface Kept {
  readonly id: string
  readonly version: number
  readonly value?: Readonly<Record<string, unknown>>
}

const newest = async (gateway: RealGateway, kind: string, id: string): Promise<Kept> =>
  (await gateway.curl<{ readonly versions: readonly Kept[] }>(`/api/${kind}/${id}/versions`)).versions[0]!

test('the system prompt in force is shown with its source and its tokens, and is edited, put back and reset', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: () => ({ text: 'Yes.' }) })
  await page.goto(`${gateway.url}/settings/prompt`)
  const main = page.locator('#main')
  const field = main.getByRole('textbox', { name: 'System prompt' })
  await main.getByText(/^In force: the prompt that comes with Foreword/).waitFor()
  assert.match(await field.inputValue(), /^You are Foreword/)
  const { manifest } = await gateway.curl<{
    readonly manifest: { readonly entries: readonly { readonly layer: string; readonly tokens: number }[] }
  }>('/api/context')
  const own = manifest.entries.find(({ layer }) => layer === 'system-prompt')!
  await main.getByText(`${own.tokens} tokens in each request`).waitFor()

  await field.fill('Be kind. It is {{date}}.')
  await main.getByText('Not saved yet.').waitFor()
  await main.getByText('What changes').click()
  await main.getByRole('region', { name: 'Difference' }).locator('ins').getByText('kind').waitFor()
  await main.getByText(/^\d+ tokens in each request/).click()
  await main
    .getByRole('region', { name: 'As the model reads it' })
    .getByText(/Be kind\. It is .*20\d\d/)
    .waitFor()
  assert.deepEqual(await gateway.curl<{ readonly edited: boolean }>('/api/prompt').then(({ edited }) => edited), false)
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('In force: the prompt that was edited here, version 1').waitFor()
  const { calls } = await gateway.say('Hello')
  const { request } = await gateway.curl<{ readonly request: { readonly system: string } }>(
    `/api/calls/${calls[0]!}/request`,
  )
  assert.match(request.system, /Be kind\. It is /)

  await field.fill('')
  await main.getByText('Blank: no system prompt is sent.').waitFor()
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('In force: the prompt that was edited here, version 2').waitFor()
  await main.getByRole('listitem', { name: 'Version 1' }).getByRole('button', { name: 'Put back' }).click()
  await main.getByText('In force: the prompt that was edited here, version 3').waitFor()
  assert.equal(await field.inputValue(), 'Be kind. It is {{date}}.')

  await main.getByRole('button', { name: 'Reset' }).click()
  await main.getByText(/^In force: the prompt that comes with Foreword/).waitFor()
  assert.match(await field.inputValue(), /^You are Foreword/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await main.getByText('In force: the prompt that was edited here, version 5').waitFor()
  assert.equal(await field.inputValue(), 'Be kind. It is {{date}}.')
})

test('a prompt in a file of the home is named as the source, and a blank one is reported', async (t) => {
  const prepare = async (home: string): Promise<void> => {
    mkdirSync(join(home, 'context'), { recursive: true })
    writeFileSync(join(home, 'context', 'system_prompt.md'), 'Speak like the sea.\n')
  }
  const { page, gateway } = await blankPage(t, {}, { prepare })
  await page.goto(`${gateway.url}/settings/prompt`)
  const main = page.locator('#main')
  await main.getByText('In force: the file context/system_prompt.md of the home.').waitFor()
  assert.equal(await main.getByRole('textbox', { name: 'System prompt' }).inputValue(), 'Speak like the sea.')
  writeFileSync(join(gateway.home, 'context', 'system_prompt.md'), '\n')
  await gateway.curl('/api/reload', {})
  await page.reload()
  await main.getByText('context/system_prompt.md is blank, so no system prompt is sent').waitFor()
})

test('files are added to a project and removed, each with its size or the reason why it is not read', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  const { id } = await gateway.curl<Kept>('/api/projects', { name: 'Harbour' })
  await page.goto(`${gateway.url}/settings/projects?id=${id}`)
  const files = page.locator('#main').getByRole('region', { name: 'Files' })
  await files.getByText('This project has no files.').waitFor()
  await files.getByLabel('Files for this project').setInputFiles([
    { name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\n\nHigh water is at nine.\n') },
    { name: 'empty.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(0) },
  ])
  await files
    .getByRole('listitem')
    .filter({ hasText: 'tides.md' })
    .getByText(/\d+ bytes, \d+ tokens/)
    .waitFor()
  await files.getByRole('listitem').filter({ hasText: 'empty.pdf' }).getByText('Not read: the file is empty.').waitFor()
  await files.getByRole('button', { name: 'Remove empty.pdf' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove a file' })
  assert.deepEqual(await seriousFaults(page), [])
  await dialog.getByRole('button', { name: 'Remove it' }).click()
  await isGone(page, gateway, files.getByRole('listitem').filter({ hasText: 'empty.pdf' }))
  const kept = await gateway.curl<{ readonly files: readonly { readonly name: string }[] }>(
    `/api/files?owner=project/${id}`,
  )
  assert.deepEqual(
    kept.files.map(({ name }) => name),
    ['tides.md'],
  )
})

test('a link to a document of a project opens its text at the place, and its other pieces are a click away', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  const { id } = await gateway.curl<Kept>('/api/projects', { name: 'Harbour' })
  await page.goto(`${gateway.url}/settings/projects?id=${id}`)
  const files = page.locator('#main').getByRole('region', { name: 'Files', exact: true })
  const text = `The beginning. ${'The sea is wide. '.repeat(3_000)}The end.`
  const note = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
  await files.getByLabel('Files for this project').setInputFiles([note('other.txt', 'Calm.'), note('sea.txt', text)])
  const sea = files.getByRole('listitem').filter({ hasText: 'sea.txt' })
  await sea.waitFor()
  await gateway.idle()
  await sea.getByText(/\d+ tokens/).waitFor()
  const kept = await gateway.curl<{ readonly files: readonly { readonly id: string; readonly name: string }[] }>(
    `/api/files?owner=project/${id}`,
  )
  const file = kept.files.find(({ name }) => name === 'sea.txt')!.id
  await page.goto(`${gateway.url}/settings/projects?id=${id}&file=${file}&at=45000`)
  const shown = files.getByRole('region', { name: 'Text of sea.txt' })
  await shown.getByText('The end.').waitFor()
  await files.getByText(`Characters 45,001 to ${text.length.toLocaleString('en')}`).waitFor()
  assert.equal(await files.getByRole('region', { name: 'Text of other.txt' }).count(), 0)
  assert.deepEqual(await seriousFaults(page), [])
  for (const from of ['25,001', '5,001', '1']) {
    await files.getByRole('button', { name: 'Earlier text' }).click()
    await files.getByText(`Characters ${from} to`).waitFor()
  }
  await shown.getByText('The beginning.').waitFor()
})

test('an agent is made with every field, changed, removed, and put back from an earlier version', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/agents`)
  const main = page.locator('#main')
  await main.getByText('There is no agent yet.').waitFor()
  await main.getByRole('link', { name: 'New agent' }).click()
  await main.getByLabel('Name').fill('Poet')
  await main.getByLabel('Prompt', { exact: true }).fill('Answer in verse.')
  await main.getByText(/in its own words\. About \d+ tokens in each request/).waitFor()
  await main.getByLabel('Where the prompt stands').selectOption('replace')
  await main.getByLabel('Reminder').fill('In verse!')
  await main.getByLabel('Of the allowed ones only these').check()
  await main.getByLabel('Another tool').fill('read_file')
  await main.getByRole('button', { name: 'Add' }).click()
  await main.getByLabel('Another tool').fill('no_such_*')
  await main.getByLabel('Model', { exact: true }).fill('ollama/scripted')
  await main.getByLabel('Layout').selectOption('chai')
  await main.getByRole('button', { name: 'Create the agent' }).click()
  await main.getByRole('list', { name: 'Warnings' }).getByText("No tool's name begins with no_such_").waitFor()
  const [made] = (await gateway.curl<{ readonly agents: readonly Kept[] }>('/api/agents')).agents
  const id = made!.id
  assert.deepEqual(made!.value, {
    name: 'Poet',
    prompt: 'Answer in verse.',
    mode: 'replace',
    reminder: 'In verse!',
    tools: ['read_file', 'no_such_*'],
    model: 'ollama/scripted',
    layout: 'chai',
  })

  const reads = main.getByRole('region', { name: 'What the model reads' })
  await reads.getByText(/^Prompt: \d+ tokens in each request/).click()
  await reads.getByRole('region', { name: 'Prompt, as the model reads it' }).getByText('Answer in verse.').waitFor()
  await reads.getByText(/^Reminder: \d+ tokens in each request/).waitFor()

  await main.getByLabel('Prompt', { exact: true }).fill('Answer in prose.')
  await main.getByLabel('Reminder').fill('')
  await main.getByLabel('All that are allowed').check()
  await main.getByLabel('Model', { exact: true }).fill('')
  await main.getByLabel('Layout').selectOption('')
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('Saved.', { exact: true }).waitFor()
  const changed = await newest(gateway, 'agents', id)
  assert.deepEqual([changed.version, changed.value], [2, { name: 'Poet', prompt: 'Answer in prose.', mode: 'replace' }])

  const second = main.getByRole('listitem', { name: 'Version 2' })
  await second.getByText('What changed').click()
  await second.getByRole('region', { name: 'Difference' }).locator('ins').getByText('prose').waitFor()
  await main.getByRole('listitem', { name: 'Version 1' }).getByRole('button', { name: 'Put back' }).click()
  await main.getByRole('listitem', { name: 'Version 3' }).getByText('Newest').waitFor()
  assert.equal(await main.getByLabel('Reminder').inputValue(), 'In verse!')

  await main.getByRole('button', { name: 'Remove this agent' }).click()
  await main.getByText('There is no agent yet.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await main.getByRole('link', { name: /^Poet/ }).click()
  await main.getByRole('button', { name: 'Remove this agent' }).click()
  await main.getByText('Removed agents').click()
  await main.getByRole('button', { name: 'Put Poet back' }).click()
  await main.getByRole('list', { name: 'agents', exact: true }).getByRole('link', { name: /^Poet/ }).waitFor()
  assert.deepEqual((await newest(gateway, 'agents', id)).value, made!.value)
})

test('of two browsers that change the same agent, the second sees the version of the first beside its own', async (t) => {
  const { page, gateway, another } = await blankPage(t, {})
  const { id } = await gateway.curl<Kept>('/api/agents', { name: 'Poet', prompt: 'Answer in verse.' })
  const other = await another()
  for (const each of [page, other]) {
    await each.goto(`${gateway.url}/settings/agents?id=${id}`)
    await each.locator('#main').getByLabel('Prompt', { exact: true }).waitFor()
  }
  const [mine, theirs] = [page.locator('#main'), other.locator('#main')]
  await mine.getByLabel('Prompt', { exact: true }).fill('Answer in haiku.')
  await theirs.getByLabel('Prompt', { exact: true }).fill('Answer in limericks.')
  await theirs.getByRole('button', { name: 'Save' }).click()
  await theirs.getByText('Saved.', { exact: true }).waitFor()

  await mine.getByRole('button', { name: 'Save' }).click()
  const note = mine.getByRole('alert', { name: 'A newer version' })
  await note
    .getByRole('region', { name: 'Version 2, saved in the meantime' })
    .getByText('Answer in limericks.')
    .waitFor()
  await note.getByRole('region', { name: 'Yours' }).getByText('Answer in haiku.').waitFor()
  assert.equal(await mine.getByLabel('Prompt', { exact: true }).inputValue(), 'Answer in haiku.')
  assert.equal((await newest(gateway, 'agents', id)).version, 2, 'nothing was overwritten')
  assert.deepEqual(await seriousFaults(page), [])
  await picture(page, 'records-conflict')

  await note.getByRole('button', { name: 'Go on with mine' }).click()
  await mine.getByRole('button', { name: 'Save' }).click()
  await mine.getByRole('listitem', { name: 'Version 3' }).getByText('Newest').waitFor()
  assert.equal((await newest(gateway, 'agents', id)).value?.['prompt'], 'Answer in haiku.')
})

test('what is typed while a save runs stays, as a change of what was saved', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  const { id } = await gateway.curl<Kept>('/api/projects', { name: 'Harbour', instructions: 'Be brief.' })
  for (const [path, field, address] of [
    [`projects?id=${id}`, 'Instructions', `**/api/projects/${id}`],
    ['prompt', 'System prompt', '**/api/prompt'],
  ] as const) {
    await page.goto(`${gateway.url}/settings/${path}`)
    const held = Promise.withResolvers<void>()
    await page.route(address, async (route) => {
      if (route.request().method() !== 'GET') await held.promise
      await route.continue()
    })
    const main = page.locator('#main')
    const text = main.getByRole('textbox', { name: field, exact: true })
    await text.fill('One.')
    const sent = page.waitForRequest((request) => ['PUT', 'PATCH'].includes(request.method()))
    await main.getByRole('button', { name: 'Save' }).click()
    await sent
    await text.fill('One. Two.')
    held.resolve()
    await main.getByRole('button', { name: 'Save' }).and(page.locator(':enabled')).waitFor()
    assert.equal(await text.inputValue(), 'One. Two.')
    assert.equal(await main.getByRole('alert').count(), 0)
    await main.getByText('Not saved yet.').waitFor()
    await main.getByText('What changes').click()
    await main.getByRole('region', { name: 'Difference' }).locator('ins').getByText('Two.').waitFor()
    await main.getByRole('button', { name: 'Save' }).click()
    await main.getByText('Not saved yet.').waitFor({ state: 'detached' })
    assert.equal(await text.inputValue(), 'One. Two.')
    await page.unroute(address)
  }
  assert.deepEqual((await newest(gateway, 'projects', id)).value, { name: 'Harbour', instructions: 'One. Two.' })
})

test('what is typed while a new one is being made is a change of it', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await page.goto(`${gateway.url}/settings/projects?id=new`)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/projects', async (route) => {
    if (route.request().method() === 'POST') await held.promise
    await route.continue()
  })
  const main = page.locator('#main')
  await main.getByLabel('Name').fill('Harbour')
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/api/projects'))
  await main.getByRole('button', { name: 'Create the project' }).click()
  await sent
  await main.getByLabel('Instructions').fill('Be brief.')
  held.resolve()
  await main.getByRole('heading', { name: 'Harbour' }).waitFor()
  assert.equal(await main.getByLabel('Instructions').inputValue(), 'Be brief.')
  await main.getByText('Not saved yet.').waitFor()
})

test('what is refused says why and keeps the input, and a change that was left is there on return', async (t) => {
  const { page, gateway } = await blankPage(t, {})
  await gateway.curl<Kept>('/api/projects', { name: 'Tides' })
  const { id } = await gateway.curl<Kept>('/api/projects', { name: 'Harbour', instructions: 'Be brief.' })
  await page.goto(`${gateway.url}/settings/projects?id=${id}`)
  const main = page.locator('#main')
  await main.getByLabel('Instructions').fill('Be exact.')
  await main.getByLabel('Name').fill('tides')
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByRole('alert').getByText('There is a project named tides already').waitFor()
  assert.equal(await main.getByLabel('Instructions').inputValue(), 'Be exact.')

  await main.getByRole('link', { name: 'All projects' }).click()
  await page.getByText('Your changes are not saved.').waitFor()
  await main.getByRole('link', { name: /^Harbour/ }).click()
  assert.equal(await main.getByLabel('Instructions').inputValue(), 'Be exact.')
  await page.reload()
  assert.equal(await main.getByLabel('Name').inputValue(), 'tides')
  await main.getByLabel('Name').fill('Harbours')
  await main.getByRole('button', { name: 'Save' }).click()
  await main.getByText('Saved.', { exact: true }).waitFor()
  const kept = await newest(gateway, 'projects', id)
  assert.deepEqual([kept.version, kept.value], [2, { name: 'Harbours', instructions: 'Be exact.' }])

  await main.getByLabel('Name').fill('Something else')
  await main.getByRole('button', { name: 'Discard changes' }).click()
  assert.equal(await main.getByLabel('Name').inputValue(), 'Harbours')
})

const reef = async (home: string): Promise<void> => {
  for (const folder of ['subjects/reef', 'tastes']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, 'subjects', 'reef', 'brief.md'), '# The reef at night\n\nTastes: [night]\nMake it blue.\n')
  writeFileSync(
    join(home, 'subjects', 'reef', 'notes.md'),
    Array.from({ length: 450 }, (_, index) => `Note ${index + 1}.\n`).join(''),
  )
  writeFileSync(join(home, 'tastes', 'night.md'), 'Let the shadows stay dark.\n')
  writeFileSync(join(home, 'tool-access.json'), '{"global": {"mode": "full"}}')
}

test('a subject shows what the model reads of it, its notes and its proposals, which are decided and undone in place', async (t) => {
  const { page, gateway } = await blankPage(t, { answer: surge() }, { prepare: reef })
  await page.goto(`${gateway.url}/settings/subjects`)
  const main = page.locator('#main')
  await main.getByRole('link', { name: /^reef/ }).click()
  const preview = await gateway.curl<{
    readonly manifest: { readonly entries: readonly { readonly layer: string; readonly tokens: number }[] }
  }>('/api/context', { subject: 'reef' })
  const { tokens } = preview.manifest.entries.find(({ layer }) => layer === 'subject')!
  await main.getByText(`${tokens.toLocaleString('en')} tokens in each request`).click()
  await main.getByRole('region', { name: 'As the model reads it' }).getByText('Make it blue.').waitFor()

  const files = main.getByRole('region', { name: 'Files' })
  await files.getByText('Notes', { exact: true }).click()
  await files.getByRole('region', { name: 'Notes from line 1' }).getByText('Note 200.').waitFor()
  await files.getByRole('button', { name: '250 more lines' }).click()
  await files.getByRole('region', { name: 'Notes from line 201' }).getByText('Note 400.').waitFor()

  await main.getByLabel('What was done').fill('crop')
  await main.getByRole('button', { name: 'Add to the log' }).click()
  await main.getByRole('list', { name: 'Newest lines of the log' }).getByText('crop').waitFor()

  await gateway.say('Note the surge.')
  await main.getByRole('link', { name: 'All subjects' }).click()
  await main.getByRole('link', { name: /^reef/ }).getByText('One proposal waits').waitFor()
  await main.getByRole('link', { name: /^reef/ }).click()
  const proposal = main.getByRole('group', { name: 'Proposal for the notes of reef' })
  await proposal.getByLabel('Difference').getByText('+The surge is strong.').waitFor()
  await proposal.getByRole('button', { name: 'Write it' }).click()
  await main.getByText('No proposal waits for you.').waitFor()
  assert.match(readFileSync(join(gateway.home, 'subjects', 'reef', 'notes.md'), 'utf8'), /The surge is strong\./)

  await main.getByText('Decided (1)').click()
  const decided = main.getByRole('list', { name: 'Decided proposals' })
  await decided.getByText(/^Notes of reef, .*: written$/).click()
  await decided.getByRole('button', { name: 'Undo' }).click()
  await decided.getByText('Undone (web).').waitFor()
  assert.doesNotMatch(readFileSync(join(gateway.home, 'subjects', 'reef', 'notes.md'), 'utf8'), /The surge/)
})

test('a subject is made in the page, and what it cannot be called is refused', async (t) => {
  const { page, gateway } = await blankPage(t, {}, { prepare: reef })
  await page.goto(`${gateway.url}/settings/subjects`)
  const main = page.locator('#main')
  await main.getByText('New subject').click()
  const form = main.getByRole('form', { name: 'New subject' })
  await form.getByLabel('Id').fill('reef')
  await form.getByLabel('Brief').fill('The harbour in the rain.')
  await form.getByRole('button', { name: 'Create the subject' }).click()
  await form.getByRole('alert').waitFor()
  assert.equal(await form.getByLabel('Brief').inputValue(), 'The harbour in the rain.')
  await form.getByLabel('Id').fill('harbour')
  await form.getByRole('button', { name: 'Create the subject' }).click()
  await main.getByRole('heading', { name: 'harbour' }).waitFor()
  assert.equal(readFileSync(join(gateway.home, 'subjects', 'harbour', 'brief.md'), 'utf8'), 'The harbour in the rain.')
})

test('every page of records is whole and accessible, light and dark, on a phone and a desk', async (t) => {
  const browser = { viewport: { width: 360, height: 900 } }
  const { page, gateway } = await blankPage(t, { answer: surge() }, { prepare: reef, browser })
  const agent = {
    name: 'Poet',
    prompt: 'Answer in verse.',
    reminder: 'In verse!',
    tools: ['read_file', 'no_such_*'],
  }
  const { id } = await gateway.curl<Kept>('/api/agents', agent)
  await gateway.curl('/api/projects', { name: 'T'.repeat(100), instructions: 'Be exact. '.repeat(100) })
  await gateway.say('Note the surge.')
  const main = page.locator('#main')
  const pages: readonly (readonly [address: string, seen: Locator])[] = [
    ['prompt', main.getByText(/tokens in each request/)],
    ['agents', main.getByRole('link', { name: /^Poet/ })],
    ['projects', main.getByRole('link', { name: /^TTT/ })],
    [`agents?id=${id}`, main.getByRole('listitem', { name: 'Version 1' })],
    ['agents?id=new', main.getByLabel('Name')],
    ['subjects', main.getByRole('group', { name: 'Proposal for the notes of reef' })],
    ['subjects?id=reef', main.getByText(/tokens in each request/)],
  ]
  await page.goto(`${gateway.url}/settings`)
  for (const [address, seen] of pages) {
    await visit(page, `/settings/${address}`)
    await seen.first().waitFor()
    await looksRight(page, `records-${address.replaceAll(/\W+.*?=\w*/g, '-one')}`)
  }
})

/** The model proposes a line for the notes of the reef where it is asked to, and then says so. */
function surge(): (request: ScriptedRequest) => ScriptedAnswer {
  let asked = 0
  const input = { image_id: 'reef', content: 'The surge is strong.' }
  return ({ newest: said }) => {
    if (!said.includes('Note the surge.')) return { text: 'A summary.' }
    return asked++ === 0 ? { toolCalls: [{ name: 'propose_notes_update', input }] } : { text: 'It waits for you.' }
  }
}
