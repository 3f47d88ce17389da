import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { closeBrowser, type OpenedPage, openedPage } from '../test/page/browser.ts'
import { send, turnEnded } from '../test/page/conversation.ts'
import { harbourAnswer, harbourConfiguration, harbourHome, questions } from './pictures/harbour.ts'
import { type Film, film } from './pictures/moving.ts'

// `npm run pictures` draws the pictures of README and of the guide, from the real gateway and the real page. A
// script stands in for the model.

const folder = join(import.meta.dirname, '../docs/pictures')
await mkdir(folder, { recursive: true })
after(closeBrowser)

interface Scheme {
  readonly colorScheme: 'light' | 'dark'
}

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the conversation beside what the model read: ${colorScheme}`, async (t) => {
    const { page } = await conversation(t, { colorScheme }, questions)
    await inspector(page)
      .getByText(/^Turns 1 to \d/)
      .first()
      .click()
    await still(page, `web-app-${colorScheme}`)
  })
}

test('the first screen of a phone', async (t) => {
  const opened = await openedPage(
    t,
    { answer: harbourAnswer },
    {
      configuration: harbourConfiguration,
      prepare: harbourHome,
      browser: { viewport: { width: 390, height: 760 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
    },
  )
  await ask(opened.page, questions[0])
  await still(opened.page, 'phone')
})

test('the moving picture: a message is written, sent, explained, and changed', async (t) => {
  const { page } = await conversation(t, { colorScheme: 'light' }, questions.slice(0, 3), { width: 1280, height: 760 })
  const shots = film(page)
  await typed(page, shots, questions[3])
  await page.keyboard.press('Enter')
  for (let count = 0; count < 6; count++) await shots.shot(120)
  await turnEnded(page)
  await shots.shot(1200)

  await click(
    page,
    shots,
    page
      .getByRole('article')
      .last()
      .getByRole('link', { name: /tokens/ }),
  )
  const panel = inspector(page)
  await panel.getByText('From the cache', { exact: true }).first().waitFor()
  await shots.shot(1800)
  await click(
    page,
    shots,
    panel.getByRole('region', { name: 'Instructions', exact: true }).getByText('Instructions', { exact: true }).last(),
  )
  await shots.shot(1800)
  await click(page, shots, panel.getByRole('tab', { name: 'What if' }))
  const window = page.getByRole('slider', { name: /^Window/ })
  await window.waitFor()
  await shots.shot(900)
  await window.focus()
  for (const tokens of [4200, 4700, 5200, 5800, 6500, 8000]) {
    await window.fill(String(tokens))
    await settled(page)
    await shots.shot(220)
  }
  await shots.shot(2200)
  await writeFile(join(folder, 'inspector.gif'), shots.gif())
})

async function conversation(
  t: TestContext,
  scheme: Scheme,
  asked: readonly string[],
  viewport = { width: 1440, height: 900 },
): Promise<OpenedPage> {
  const browser = { viewport, ...scheme }
  const opened = await openedPage(
    t,
    {
      answer: async (request) => ({
        ...harbourAnswer(request),
        pieceDelayMs: request.newest === questions[3] ? 12 : 0,
      }),
    },
    { configuration: harbourConfiguration, prepare: harbourHome, browser },
  )
  for (const question of asked) await ask(opened.page, question)
  return opened
}

async function ask(page: Page, question: string): Promise<void> {
  await send(page, question)
  await page.getByRole('article').getByText(question, { exact: true }).waitFor()
  await turnEnded(page)
  await settled(page)
}

function inspector(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Inspector' })
}

async function still(page: Page, name: string): Promise<void> {
  await settled(page)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function typed(page: Page, shots: Film, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).focus()
  await shots.shot(600)
  for (const word of text.match(/\S+\s*/g) ?? []) {
    await page.keyboard.type(word)
    await settled(page)
    await shots.shot(160)
  }
  await shots.shot(500)
}

/** Moves a pointer there, so that one sees what is clicked, and clicks. */
async function click(page: Page, shots: Film, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  const box = await target.boundingBox()
  if (!box) throw new Error(`Nothing is drawn where ${String(target)} is.`)
  await page.evaluate<void>(drawPointer(box.x + Math.min(box.width / 2, 60), box.y + box.height / 2))
  await shots.shot(700)
  await target.click()
  await page.evaluate<void>(`document.getElementById('pointer').remove()`)
  await settled(page)
}

function drawPointer(x: number, y: number): string {
  return `(() => {
    const dot = document.createElement('div')
    dot.id = 'pointer'
    Object.assign(dot.style, { position: 'fixed', left: '${x - 12}px', top: '${y - 12}px', width: '24px', height: '24px',
      borderRadius: '50%', background: 'rgb(220 60 60 / 45%)', border: '2px solid rgb(200 30 30)', zIndex: 9999, pointerEvents: 'none' })
    document.body.append(dot)
  })()`
}

/** Until nothing of the page has moved for a moment. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(350)
}
