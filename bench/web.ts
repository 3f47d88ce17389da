/**
 * Measures the page: the size of its parts, the time to the first screen and to open a long conversation, and the frames
 * while an answer arrives, in a real Chromium. Beside each time is that of a document with nothing in it, in the same run.
 *
 *   npm run bench:web [-- RUNS] [--record]
 */
import chromium from '@sparticuz/chromium'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium as launcher, type Locator, type Page } from 'playwright-core'
import { FIRST_SCREEN_BUDGET, firstScreenBytes, pageSizes, sizeTable } from '../test/page/page-sizes.ts'
import { scriptedProvider } from '../src/testing.ts'
import { writeLongSession, writeSessions } from '../test/page/large-home.ts'
import { startChild } from './gateway/child.ts'
import { keepFigures } from './history.ts'
import { givenNumber, median } from './measures.ts'

const runs = givenNumber(5)
const TURNS = 2_500
const SESSIONS = 5_000
const root = join(import.meta.dirname, '..')
const home = mkdtempSync(join(tmpdir(), 'foreword-bench-web-'))

console.log(`Compressed sizes, kB\n\n${sizeTable(pageSizes())}`)

const words = Array.from({ length: 1_500 }, (_, at) => (at % 12 === 11 ? `word${at}.\n\n` : `word${at} `))
const provider = await scriptedProvider({ answer: () => ({ text: words, pieceDelayMs: 8 }) })
writeFileSync(
  join(home, 'config.json'),
  JSON.stringify({
    gateway: { port: 0, token: 'bench' },
    model: 'ollama/scripted',
    providers: { ollama: { kind: 'ollama', baseURL: provider.url } },
  }),
)
await writeSessions(home, SESSIONS)
await writeLongSession(home, 'session_long', TURNS)
const gateway = await startChild([join(root, 'bin/foreword.js'), 'start', '--json', '--home', home])
const { address } = JSON.parse(gateway.line) as { readonly address: string }
const browser = await launcher.launch({
  executablePath: await chromium.executablePath(),
  args: ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage'],
})

try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.goto(`${address}/?token=bench`)
  const opened = async (path: string, shown: Locator): Promise<number> => {
    await page.goto('about:blank')
    await page.goto(address + path)
    await shown.waitFor()
    return page.evaluate<number>('performance.now()')
  }
  console.log(`\nMedians of ${runs} runs with ${SESSIONS.toLocaleString('en')} sessions in the home, ms\n`)
  const beside = await printTimes('a document with nothing in it', () => opened('/health', page.getByText('ok')))
  const first = await printTimes('first screen: a message can be written', () =>
    opened('/', page.getByLabel('Message', { exact: true })),
  )
  const conversation = await printTimes(`a conversation of ${(TURNS * 2).toLocaleString('en')} messages`, () =>
    opened('/sessions/session_long', page.getByText(`Answer ${TURNS}.`)),
  )
  keepFigures('bench:web', {
    'scripts of the first screen, kB': {
      value: firstScreenBytes(pageSizes()) / 1000,
      beside: FIRST_SCREEN_BUDGET / 1000,
    },
    'first screen, ms': { value: first, beside },
    'conversation of 5,000 messages, ms': { value: conversation, beside },
  })
  console.log('\nFrames while an answer of 1,500 words arrives, ms\n')
  printFrames('idle', await framesDuring(page, () => page.waitForTimeout(2_000)))
  await page.goto(address)
  printFrames(
    'streaming',
    await framesDuring(page, async () => {
      await page.getByLabel('Message', { exact: true }).fill('Go on.')
      await page.keyboard.press('Enter')
      await page.getByText('word1499.').waitFor()
    }),
  )
} finally {
  await browser.close()
  await gateway.stop()
  await provider.close()
  rmSync(home, { recursive: true, force: true })
}

/** Returns their median, ms. */
async function printTimes(name: string, measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) times.push(await measure())
  console.log(`${median(times).toFixed(0).padStart(8)}  ${name}`)
  return median(times)
}

/** The time between each two frames of the page while `work` runs, ms. */
async function framesDuring(page: Page, work: () => Promise<unknown>): Promise<readonly number[]> {
  await page.evaluate(`
    globalThis.frames_ = []
    let last = performance.now()
    const step = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(step) }
    requestAnimationFrame(step)
  `)
  await work()
  return page.evaluate<readonly number[]>('frames_.splice(0)')
}

function printFrames(name: string, frames: readonly number[]): void {
  const sorted = frames.toSorted((one, other) => one - other)
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0)
  console.log(
    `${name.padEnd(10)} ${frames.length} frames, median ${at(0.5)}, 99 of 100 within ${at(0.99)}, longest ${at(1)}`,
  )
}
