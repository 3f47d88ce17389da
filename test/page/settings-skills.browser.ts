import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { blankPage, closeBrowser } from './browser.ts'
import { looksRight, picture } from './conversation.ts'
import { isGone } from './idle.ts'

after(closeBrowser)

/** A workspace outside the home, with skills of somebody else. */
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'foreword-workspace-')))
after(() => rmSync(workspace, { recursive: true, force: true }))

/** The text of a `SKILL.md`. */
function skill(fields: string, body: string): string {
  return `---\n${fields}\n---\n${body}\n`
}

const alpha = skill('name: alpha\ndescription: Tells the first letter.', '# Alpha\n\nSay A. [more](gone.md)')

/** Folders of skills as people have them: some load, and some do not. */
async function someSkills(home: string): Promise<void> {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('skills/alpha/SKILL.md', alpha)
  write('skills/alpha/references/tides.md', 'High water is at nine.\n')
  write('skills/gated/SKILL.md', skill('metadata: { requires: { bins: [no-such-program-here] } }', 'Body.'))
  write('skills/keyed/SKILL.md', skill('metadata: { requires: { env: [NO_SUCH_VARIABLE] } }', 'Body.'))
  write('skills/off/SKILL.md', skill('description: Off.', 'Body.'))
  write('skills/twin-a/SKILL.md', skill('name: twin', 'Old.'))
  write('skills/twin-b/SKILL.md', skill('name: twin', 'New.'))
  write('skills/broken/SKILL.md', skill('name: broken\ndescription: "No end', 'Body.'))
  mkdirSync(join(workspace, '.agents', 'skills', 'foreign'), { recursive: true })
  writeFileSync(join(workspace, '.agents', 'skills', 'foreign', 'SKILL.md'), skill('name: foreign', 'Body.'))
  mkdirSync(join(home, 'skills', 'binary'))
  writeFileSync(join(home, 'skills', 'binary', 'SKILL.md'), Buffer.from([0, 1, 2, 255]))
  write('tool-access.json', '{"global": {"mode": "full"}}')
}

async function manySkills(home: string): Promise<void> {
  await someSkills(home)
  for (let index = 0; index < 300; index++) {
    const folder = join(home, 'skills', `many-${index}`)
    mkdirSync(folder, { recursive: true })
    const about = index === 277 ? 'Tunes the harbour organ.' : `Does thing ${index}. ${'And more. '.repeat(10)}`
    writeFileSync(join(folder, 'SKILL.md'), skill(`description: ${about}`, `# Many ${index}\n\nBody.`))
  }
}

const configuration = { skills: { disabled: ['off'] }, agent: { workspace } }

test('each skill shows its tokens, digest and folder, the exact text that a model reads, its files and its faults', async (t) => {
  const { page, gateway } = await blankPage(t, {}, { prepare: someSkills, configuration })
  const { skills } = await gateway.curl<{
    readonly skills: readonly {
      readonly name: string
      readonly digest: string
      readonly tokens: { readonly full: number; readonly list: number }
    }[]
  }>('/api/skills')
  const facts = skills.find(({ name }) => name === 'alpha')!
  await page.goto(`${gateway.url}/settings/skills`)
  const main = page.locator('#main')
  await main.getByText(/^(?:Both|All \d) skills in full, for \d+ tokens \(ollama\/scripted/).waitFor()
  const row = main.getByRole('listitem', { name: 'alpha', exact: true })
  await row.getByText('sent in full').waitFor()
  await row.getByText(`${facts.tokens.list} tokens as a line, ${facts.tokens.full} in full`).click()
  await row.getByText(facts.digest).waitFor()
  await row.getByText(join(gateway.home, 'skills', 'alpha'), { exact: true }).waitFor()
  await row.getByText(`Its line in the list, ${facts.tokens.list} tokens`).click()
  const line = row.getByRole('region', { name: /^Its line in the list/ })
  assert.equal(await line.textContent(), '- **alpha**: Tells the first letter.')
  await row.getByText(`In full, ${facts.tokens.full} tokens`).click()
  await row
    .getByRole('region', { name: /^In full/ })
    .getByText('Say A.')
    .waitFor()
  await row.getByText('Files (2)').click()
  await row.getByText('references/tides.md').click()
  await row.getByRole('region', { name: 'Text of references/tides.md' }).getByText('High water is at nine.').waitFor()
  await row
    .getByRole('list', { name: 'Faults of alpha' })
    .getByText(/SKILL\.md, line 7, error: .*gone\.md/)
    .waitFor()
})

test('a skill that is not loaded says why, in which file, and how to have it loaded', async (t) => {
  const { page, gateway } = await blankPage(t, {}, { prepare: someSkills, configuration })
  await page.goto(`${gateway.url}/settings/skills`)
  const left = page.locator('#main').getByRole('region', { name: 'Skills that are not loaded' })
  const cases: readonly (readonly [name: string, why: RegExp, fix: RegExp, file: string])[] = [
    ['gated', /it needs no-such-program-here, not found on PATH/, /Install what it needs/, 'skills/gated/SKILL.md'],
    ['keyed', /it needs NO_SUCH_VARIABLE in the environment/, /Set the variable/, 'skills/keyed/SKILL.md'],
    ['off', /skills\.disabled in config\.json names it/, /Remove its name/, 'skills/off/SKILL.md'],
    ['twin', /skills\/twin-b has the same name/, /another name in its SKILL/, 'skills/twin-a/SKILL.md'],
    ['binary', /its SKILL\.md: /, /Correct the file/, 'skills/binary/SKILL.md'],
    [
      'foreign',
      /its workspace is not trusted/,
      /foreword skills trust/,
      join(workspace, '.agents/skills/foreign/SKILL.md'),
    ],
  ]
  for (const [name, why, fix, file] of cases) {
    const row = left.getByRole('listitem', { name })
    await row.getByText(why).waitFor()
    await row.getByText(fix).first().waitFor()
    await row.getByText(resolve(gateway.home, file)).first().waitFor()
  }
})

test('a skill that is mended in its file is loaded once the folders are read again', async (t) => {
  const { page, gateway } = await blankPage(t, {}, { prepare: someSkills, configuration })
  await page.goto(`${gateway.url}/settings/skills`)
  const main = page.locator('#main')
  await main.getByRole('listitem', { name: 'gated' }).getByText('Not loaded').waitFor()
  writeFileSync(join(gateway.home, 'skills', 'gated', 'SKILL.md'), skill('description: No gate.', 'Body.'))
  rmSync(join(gateway.home, 'skills', 'twin-a'), { recursive: true })
  await page.reload()
  await main.getByText(/The gateway has read 3 skills, and 4 would load now/).waitFor()
  await main.getByRole('button', { name: 'Read the folders again' }).click()
  await isGone(page, gateway, main.getByText(/The gateway has read/))
  await main.getByText(/^All 4 skills in full/).waitFor()
  assert.equal(await main.getByRole('listitem', { name: 'twin' }).count(), 1)
  writeFileSync(join(gateway.home, 'skills', 'gated', 'SKILL.md'), skill('description: No gate.', 'Another body.'))
  await page.reload()
  await main.getByText('Changed after the gateway has read them: gated. Read them again.').waitFor()
  await main.getByRole('button', { name: 'Read the folders again' }).click()
  await isGone(page, gateway, main.getByText(/Changed after the gateway/))
})

test('300 skills are found by a filter, and what reaches a model or an agent is said with the reason', async (t) => {
  const models = { 'ollama/scripted': { window: 8_192 } }
  const { page, gateway } = await blankPage(
    t,
    {},
    { prepare: manySkills, configuration: { ...configuration, models, context: { reserve: 1_000 } } },
  )
  await gateway.curl('/api/agents', { name: 'Chai', layout: 'chai' })
  await page.goto(`${gateway.url}/settings/skills`)
  const main = page.locator('#main')
  await main.getByText(/^303 skills load: [\d,]+ tokens in full, [\d,]+ as a list\./).waitFor()
  await main.getByText('there are more than 20 skills').waitFor()
  await main.getByText(/^All 303 skills by name alone \(there is no room for the descriptions\)/).waitFor()
  await main.getByLabel('Filter').fill('ORGAN harbour')
  await main.getByText('1 of 303').waitFor()
  const row = main.getByRole('listitem', { name: 'many-277' })
  await row.getByText('its name is sent').waitFor()
  await main.getByLabel('Filter').fill('nothing has these')
  await main.getByText('No skill has these words.').waitFor()
  await main.getByLabel('Filter').fill('')
  await main.getByRole('button', { name: /more$/ }).first().waitFor()

  await main.getByLabel('Agent').selectOption('Chai')
  await main
    .getByRole('alert')
    .getByText(/The largest part is the skills/)
    .waitFor()
  await main.getByLabel('Agent').selectOption('')
  writeFileSync(join(gateway.home, 'tool-access.json'), '{"global": {"mode": "denied"}}')
  await page.reload()
  await main.getByText(/but read_skill may not run/).waitFor()
  await main.getByText('Allow it in tool-access.json.').waitFor()
})

test('the page of the skills is whole and accessible, light and dark, on a phone and a desk', async (t) => {
  const browser = { viewport: { width: 360, height: 900 } }
  const { page, gateway } = await blankPage(t, {}, { prepare: someSkills, configuration, browser })
  await page.goto(`${gateway.url}/settings/skills`)
  const main = page.locator('#main')
  await main.getByText(/^All \d skills in full/).waitFor()
  await picture(page, 'skills')
  const row = main.getByRole('listitem', { name: 'alpha', exact: true })
  await row.getByText('Tells the first letter.').click()
  await row.getByText(/^In full/).click()
  await row.getByText('Files (2)').click()
  await row.getByRole('region', { name: /^In full/ }).waitFor()
  await looksRight(page, 'skills-open')
  await main.getByRole('listitem', { name: 'gated' }).scrollIntoViewIfNeeded()
  await picture(page, 'skills-left')
})
