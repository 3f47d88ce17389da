import assert from 'node:assert/strict'
import { text as readText } from 'node:stream/consumers'
import { type Download, errors, type Locator, type Page } from 'playwright-core'
import { seriousFaults } from './browser.ts'

/** Writes a message and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** Goes to another address of the page that is loaded, as its links do. What stood there cannot be seen any more when this resolves. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
}

/** The newest turn on the page. */
export function lastTurn(page: Page): Locator {
  return page.getByRole('article').last()
}

/** Waits until the newest turn is over. */
export async function turnEnded(page: Page): Promise<void> {
  await lastTurn(page).and(page.locator('[aria-busy=false]')).getByRole('button', { name: 'Copy' }).last().waitFor()
}

/**
 * Waits until an expression of the page is true. It is asked for as a function: the Content-Security-Policy of the page lets a
 * text be evaluated once only.
 */
export async function waitUntil(page: Page, expression: string, timeout?: number): Promise<void> {
  // oxlint-disable-next-line typescript/no-implied-eval -- it is written for the page, and runs there
  const look = new Function(`return ${expression}`) as () => unknown
  await page.waitForFunction(look, undefined, { timeout })
}

/** How long the page may take until it fits its window, ms: a layout follows a new size a frame or two later. */
const FITS_MS = 30_000

/** Waits until nothing is wider than the window. Throws with the widest element where something stays so. */
export async function fitsWidth(page: Page): Promise<void> {
  try {
    await waitUntil(page, 'document.documentElement.scrollWidth <= innerWidth', FITS_MS)
  } catch (error) {
    throw error instanceof errors.TimeoutError ? new Error(await page.evaluate<string>(widest)) : error
  }
}

/** An expression of the page: what reaches farthest to a side, as words. What is in a box that scrolls or clips does not count. */
const widest = `(() => {
  const reach = (element) => Math.max(element.getBoundingClientRect().right - innerWidth, -element.getBoundingClientRect().left)
  const isSeen = ({ parentElement }) =>
    parentElement === document.body || (getComputedStyle(parentElement).overflowX === 'visible' && isSeen(parentElement))
  const element = [...document.body.querySelectorAll('*')]
    .filter(isSeen)
    .reduce((one, other) => (reach(other) > reach(one) ? other : one), document.body)
  const text = (element.textContent ?? '').slice(0, 80)
  return Math.ceil(reach(element)) + ' px wider than ' + innerWidth + ' px: ' + element.cloneNode(false).outerHTML + ' ' + text
})()`

/** The browser may be another program's, so its files are not asked for. */
export async function downloadedText(download: Download): Promise<string> {
  return readText(await download.createReadStream())
}

interface Looks {
  /** A phone and a desk unless given. */
  readonly widths?: readonly number[]
}

/**
 * What is on the page fits a phone and a desk, light and dark, and axe finds nothing serious in it. Axe looks once in each
 * scheme, at one of the widths.
 */
export async function looksRight(page: Page, name: string, { widths = [360, 1280] }: Looks = {}): Promise<void> {
  const before = page.viewportSize()
  await inEachScheme(page, async (colorScheme) => {
    // The dark scheme begins at the width where the light one ended, since each change of it is a layout of everything.
    for (const [index, width] of (colorScheme === 'light' ? widths : widths.toReversed()).entries()) {
      await page.setViewportSize({ width, height: before?.height ?? 900 })
      await fitsWidth(page)
      await page.evaluate(transitionsEnded)
      if (index === 0) assert.deepEqual(await seriousFaults(page), [], `${name}, ${colorScheme}, ${width} px`)
      await picture(page, `${name}-${colorScheme}-${width}`)
    }
  })
  if (before !== null) await page.setViewportSize(before)
}

/** Looks at the page as it is drawn in the light scheme, and then in the dark one. */
export async function inEachScheme(page: Page, look: (colorScheme: 'light' | 'dark') => Promise<void>): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // The page hears of the scheme when it is drawn, and colours begin to change with the frame behind that.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    await page.evaluate(transitionsEnded)
    await look(colorScheme)
  }
}

/** An expression of the page: colours are measured when they are no longer on their way. */
const transitionsEnded = `Promise.allSettled(
  document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity).map(({ finished }) => finished),
).then(() => undefined)`

/** Writes a picture of the page where the environment asks for pictures. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` })
}

interface Styled {
  getComputedStyle(element: unknown): Readonly<Record<string, string>>
}

/** How an element is drawn, such as its `color`. */
export async function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate(
    (element, name) => (globalThis as unknown as Styled).getComputedStyle(element)[name] ?? '',
    property,
  )
}
