import type { Locator, Page } from 'playwright-core'

/** Writes a message and sends it. */
export async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** The newest turn on the page. */
export function lastTurn(page: Page): Locator {
  return page.getByRole('article').last()
}

/** Waits until the newest turn is over. */
export async function turnEnded(page: Page): Promise<void> {
  await lastTurn(page).and(page.locator('[aria-busy=false]')).getByRole('button', { name: 'Copy' }).last().waitFor()
}

/** Whether something is wider than the window. */
export async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
}

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
