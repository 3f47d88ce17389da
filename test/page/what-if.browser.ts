import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { type Manifest, outline, type Scenario } from '../../src/context.ts'
import { assembleScenario } from '../../web/src/inspector/what-if-assembly.ts'
import { changedScenario, configurationOf, settingsOf } from '../../web/src/inspector/what-if-changes.ts'
import { closeBrowser, type OpenedPage, openedPage, seriousFaults } from './browser.ts'

after(closeBrowser)

const configuration = {
  models: {
    'ollama/scripted': {
      window: 4000,
      price: { input: 3, output: 15 },
      cache: { kind: 'automatic', minimumTokens: 0, lifetimeSeconds: 600 },
    },
  },
  context: { reserve: 500, margin: 0 },
}

async function longSession(
  t: TestContext,
  browser: Parameters<typeof openedPage>[2] = {},
): Promise<OpenedPage & { readonly session: string; readonly calls: readonly string[] }> {
  const opened = await openedPage(
    t,
    { answer: ({ newest }) => ({ text: `${newest} `.repeat(4) }) },
    {
      configuration,
      async prepare(home) {
        mkdirSync(join(home, 'skills', 'letters'), { recursive: true })
        const text = `---\nname: letters\ndescription: Letters\n---\n${'Write every letter by hand. '.repeat(30)}`
        writeFileSync(join(home, 'skills', 'letters', 'SKILL.md'), text)
      },
      ...browser,
    },
  )
  const { say } = opened.gateway
  const { session, calls } = await say('first words '.repeat(60))
  const all = [...calls]
  for (const text of ['second', 'third', 'fourth', 'fifth']) {
    all.push(...(await say(`${text} words `.repeat(60), { session })).calls)
  }
  return { ...opened, session, calls: all }
}

async function openTab(page: Page, url: string, session: string, tab: string, call?: string): Promise<void> {
  await page.goto(`${url}/sessions/${session}${call === undefined ? '' : `/calls/${call}`}`)
  await page.getByRole('complementary', { name: 'Inspector' }).getByRole('tab', { name: tab }).click()
}

async function setSlider(page: Page, name: RegExp, value: number): Promise<void> {
  await page.getByRole('slider', { name }).fill(String(value))
}

test('13: with nothing changed the assembly of the page has the outline of the manifest of the gateway', async (t) => {
  const { gateway, session, calls } = await longSession(t)
  for (const call of calls) {
    const scenario = await gateway.curl<Scenario>(`/api/calls/${call}/scenario`)
    const manifest = await gateway.curl<Manifest>(`/api/calls/${call}/manifest`)
    assert.equal(outline(assembleScenario(scenario).manifest), outline(manifest))
  }
  const { manifest } = await gateway.curl<{ readonly manifest: Manifest }>('/api/context', { session })
  const next = await gateway.curl<Scenario>('/api/context/scenario', { session })
  assert.equal(outline(assembleScenario(changedScenario(next, {})).manifest), outline(manifest))
})

test('13: bar, list and price follow a slider, and back again', async (t) => {
  const { page, gateway, session } = await longSession(t)
  await openTab(page, gateway.url, session, 'What if')
  const result = page.getByRole('region', { name: 'What the model would read' })
  const cost = page.getByRole('region', { name: 'What the prompt would cost' })
  const { manifest } = await gateway.curl<{ readonly manifest: Manifest }>('/api/context', { session })
  await result.getByText(`${manifest.used.toLocaleString('en')} of 3,500 tokens`).waitFor()
  await cost.getByText('$').waitFor()

  await setSlider(page, /^Window/, 12_032)
  await result.getByText('of 11,532 tokens').waitFor()
  await result.getByText('new').or(result.getByText('now in')).first().waitFor()
  await page.getByRole('button', { name: 'As it is' }).click()
  await result.getByText(`${manifest.used.toLocaleString('en')} of 3,500 tokens`).waitFor()

  await page.getByRole('combobox', { name: 'Skills' }).selectOption('readOnDemand')
  await result.getByText('list', { exact: true }).waitFor()
  await setSlider(page, /^Kept for the answer/, 1800)
  await result.getByText('of 2,200 tokens').waitFor()
})

test('13: what was tried is saved as a scenario that the command assembles to what the page shows', async (t) => {
  const { page, gateway, session } = await longSession(t)
  await openTab(page, gateway.url, session, 'What if')
  await setSlider(page, /^Kept for the answer/, 1500)
  const result = page.getByRole('region', { name: 'What the model would read' })
  const shown = result.getByText('of 2,500 tokens')
  await shown.waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a scenario' }).click(),
  ])
  const folder = join(gateway.home, 'kept')
  mkdirSync(folder)
  const file = join(folder, 'tried.json')
  writeFileSync(file, readFileSync(await download.path()))
  const { stdout } = await gateway.foreword('assemble', file)
  const [, used] = /used (\d+) of 2500/.exec(stdout)!
  assert.match((await shown.textContent())!, new RegExp(`^${Number(used).toLocaleString('en')} of 2,500`))
  assert.equal((await gateway.foreword('check', folder, '--update')).code, 0)
  assert.equal((await gateway.foreword('check', folder)).code, 0)
})

test('13: what was tried is copied as configuration that a gateway starts with, and that does what the page showed', async (t) => {
  const { gateway, session } = await longSession(t)
  const scenario = await gateway.curl<Scenario>('/api/context/scenario', { session })
  const changes = { reserve: 900, headShare: 0.25, lowWater: 0.75, skills: 'readOnDemand' as const }
  const keys = JSON.parse(configurationOf(changes, settingsOf(scenario))) as { readonly context: object }
  const { gateway: other } = await openedPage(
    t,
    {},
    {
      configuration: { ...configuration, ...keys, context: { ...configuration.context, ...keys.context } },
      async prepare(home) {
        mkdirSync(join(home, 'skills'), { recursive: true })
      },
    },
  )
  const next = await other.curl<Scenario>('/api/context/scenario', {})
  assert.deepEqual(settingsOf(next), { ...settingsOf(scenario), reserve: 900, headShare: 0.25, lowWater: 0.75 })
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`13: axe finds nothing serious in what can be tried: ${colorScheme}`, async (t) => {
    const { page, gateway, session, calls } = await longSession(t, {
      browser: { colorScheme, viewport: { width: 1280, height: 1400 } },
    })
    for (const tab of ['What if', 'Compare', 'Timeline', 'Request', 'History']) {
      await openTab(page, gateway.url, session, tab, calls.at(-1))
      await page.getByRole('tabpanel').locator('p, dt, section').first().waitFor()
      await page.waitForLoadState('networkidle')
      if (process.env['SCREENSHOTS']) {
        await page.screenshot({ path: `${process.env['SCREENSHOTS']}/${tab.replace(' ', '-')}-${colorScheme}.png` })
      }
      assert.deepEqual(await seriousFaults(page), [])
    }
  })
}
