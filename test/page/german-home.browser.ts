import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openMcpHome } from '../mcp/mcp-home.ts'
import { blankPage, closeBrowser } from './browser.ts'
import { looksRight, visit } from './conversation.ts'
import { idle } from './idle.ts'
import { ENGLISH_WORDS, seenTexts } from './seen-texts.ts'

after(closeBrowser)

/** Sentences that a person sees in English, without what people and programs have named or written. */
async function englishSentences(page: Page): Promise<readonly string[]> {
  // Quotations, paths and names that have hyphens.
  return (await seenTexts(page, '[dir=auto]')).filter((text) =>
    ENGLISH_WORDS.test(text.replaceAll(/“[^”]*”|"[^"]*"|\/\S+|\w+-[\w-]+/g, '')),
  )
}

const pages =
  'models prompt agents projects subjects skills templates tools mcp-servers schedules audit costs status people token backup doctor'.split(
    ' ',
  )

/** Words of a schedule, which are typed in English; a reason as the audit has recorded it; words of the library for YAML. */
const IN_ENGLISH = /every day at 8:30|^accepted as it was found$|Missing closing "quote/

function skill(fields: string, body: string): string {
  return `---\n${fields}\n---\n${body}\n`
}

/** Skills as people have them: some load, and some do not. */
async function filledHome(home: string): Promise<void> {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  write('skills/alpha/SKILL.md', skill('name: alpha\ndescription: Buchstaben.', '# A\n\nSag A. [mehr](gone.md)'))
  write('skills/gated/SKILL.md', skill('metadata: { requires: { bins: [no-such-program-here] } }', 'Text.'))
  write('skills/keyed/SKILL.md', skill('metadata: { requires: { env: [NO_SUCH_VARIABLE] } }', 'Text.'))
  write('skills/off/SKILL.md', skill('description: Aus.', 'Text.'))
  write('skills/twin-a/SKILL.md', skill('name: twin', 'Alt.'))
  write('skills/twin-b/SKILL.md', skill('name: twin', 'Neu.'))
  write('skills/broken/SKILL.md', skill('name: broken\ndescription: "Kein Ende', 'Text.'))
  write('skills/mac/SKILL.md', skill('name: mac\nmetadata: { os: [darwin] }', 'Text.'))
  writeFileSync(join(home, 'skills', 'alpha', 'binary'), Buffer.from([0, 1, 2, 255]))
  write('tool-access.json', '{"global": {"mode": "full"}}')
}

const configuration = {
  skills: { disabled: ['off'] },
  budgets: [{ limit: { usd: 5 }, per: 'day' }],
  context: { notes: 'off' },
  models: { 'ollama/scripted': { window: 6_000, price: { input: 10, output: 50 } } },
}

test('whatever the gateway has to say of a home in use is in German where the page is', async (t) => {
  const mcp = openMcpHome()
  t.after(() => mcp.close())
  const { configured } = mcp.scripted('gut', {
    tools: [{ name: 'look', description: 'Sieht nach.', inputSchema: { type: 'object' } }],
  })
  const servers = { gut: configured, weg: { command: '/nowhere/program' } }
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'Eine Antwort. '.repeat(300), usage: { promptTokens: 900, outputTokens: 500 } }) },
    {
      configuration: { ...configuration, mcp: { servers } },
      prepare: filledHome,
      browser: { locale: 'de-DE' },
    },
  )
  await gateway.curl('/api/schedules', { when: 'every weekday at 8', text: 'Neues?', budget: { tokens: 20_000 } })
  const { session } = await gateway.say('Wie hoch steht das Wasser?')
  for (let turn = 0; turn < 6; turn++)
    await gateway.say(`Und morgen, Tag ${turn}? ${'Genauer. '.repeat(150)}`, { session })
  await page.goto(`${gateway.url}/sessions/${session}`)
  await idle(page, gateway)
  const found: Record<string, readonly string[]> = {}
  const look = async (name: string): Promise<void> => {
    await idle(page, gateway)
    const texts = (await englishSentences(page)).filter((text) => !IN_ENGLISH.test(text))
    if (texts.length > 0) found[name] = texts
  }
  await look('session')
  for (const tab of ['Änderungen', 'Variante', 'Dieser Aufruf']) {
    await page.getByRole('tab', { name: tab }).click()
    await look(tab)
  }
  for (const id of pages) {
    await visit(page, `/settings/${id}`)
    if (id === 'doctor') {
      for (const button of await page.getByRole('button', { name: 'Noch einmal prüfen' }).all()) {
        await button.and(page.locator(':enabled')).waitFor()
      }
    }
    await idle(page, gateway)
    await page.evaluate("for (const fold of document.querySelectorAll('#main details')) fold.open = true")
    await look(id)
    if (id === 'doctor' || id === 'skills') await looksRight(page, `german-${id}`)
  }
  assert.deepEqual(found, {})
})
