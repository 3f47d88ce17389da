import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { blankPage, closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { waitUntil, looksRight, picture } from './conversation.ts'
import { writeSessions } from './large-home.ts'

after(closeBrowser)

const answers = { answer: () => ({ text: 'The moon causes tides.' }) }

/** The list of sessions with one session in it, and the button of the menu of that. */
async function sessionMenu(page: Page, title: string): Promise<Locator> {
  const sessions = page.getByRole('complementary', { name: 'Sessions' })
  await sessions.getByRole('link', { name: title }).waitFor()
  return sessions.getByRole('button', { name: `Actions for ${title}`, exact: true })
}

async function waitForFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(':focus')).waitFor()
}

/** Fails where an element reaches over an edge of the page. */
async function assertInside(locator: Locator): Promise<void> {
  const { x, y, width, height } = (await locator.boundingBox())!
  const size = locator.page().viewportSize()!
  assert.ok(x >= 0 && y >= 0 && x + width <= size.width && y + height <= size.height, JSON.stringify({ x, y, width }))
}

test('a menu is used by keyboard: arrows, Home, End, letters, Enter, Escape, and the focus returns', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  await gateway.say('Tides')
  const button = await sessionMenu(page, 'Tides')
  const menu = page.getByRole('menu', { name: 'Actions for Tides' })
  const item = (name: string): Locator => menu.getByRole('menuitem', { name })

  await button.focus()
  await page.keyboard.press('Enter')
  await waitForFocus(item('Rename …'))
  assert.equal(await button.getAttribute('aria-expanded'), 'true')
  await looksRight(page, 'menu', { widths: [1280] })
  await page.keyboard.press('ArrowDown')
  await waitForFocus(item('Pin'))
  await page.keyboard.press('End')
  await waitForFocus(item('Delete'))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await waitForFocus(item('Delete'))
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowUp')
  await waitForFocus(item('Rename …'))
  await page.keyboard.press('m')
  await waitForFocus(item('Move to a folder …'))
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await waitForFocus(button)
  await button.and(page.locator('[aria-expanded=false]')).waitFor()

  await page.keyboard.press('ArrowUp')
  await waitForFocus(item('Delete'))
  await page.keyboard.press('/')
  await waitForFocus(item('Delete'))
  await page.keyboard.press('Escape')
  await waitForFocus(button)
  await page.keyboard.press('ArrowDown')
  await waitForFocus(item('Rename …'))
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  assert.equal(await menu.count(), 0)
  await page.keyboard.press('Escape')
  await waitForFocus(button)
})

test('a menu is used by pointer: its button opens and closes it, and so does a click elsewhere', async (t) => {
  const { page, gateway } = await openedPage(t, answers)
  await gateway.say('Tides')
  const button = await sessionMenu(page, 'Tides')
  const menu = page.getByRole('menu')
  await button.click()
  await waitForFocus(menu)
  await menu.getByRole('menuitem', { name: 'Export' }).hover()
  await waitForFocus(menu.getByRole('menuitem', { name: 'Export' }))
  await button.click()
  await menu.waitFor({ state: 'detached' })
  await button.and(page.locator('[aria-expanded=false]')).waitFor()
  await button.click()
  await menu.waitFor()
  await page.getByRole('main').click({ position: { x: 5, y: 5 } })
  await menu.waitFor({ state: 'detached' })
})

const MEASURED = `
  const menu = document.querySelector('[role=menu]').getBoundingClientRect()
  const button = document.querySelector('[aria-haspopup=menu][aria-expanded=true]').getBoundingClientRect()
`

test('a menu opens above its button where there is no room below, and follows it', async (t) => {
  const { page } = await openedPage(t, answers, {
    prepare: (home) => writeSessions(home, 60),
    browser: { viewport: { width: 360, height: 480 }, hasTouch: true },
  })
  await page.getByRole('button', { name: 'Show the sessions' }).click()
  const buttons = page.getByRole('button', { name: /^Actions for/ })
  await buttons.nth(9).waitFor()
  // A row that the foot of the list covers would be scrolled to the middle by the click.
  const low = (await buttons.all()).length
  const tops: number[] = []
  for (let at = 0; at < low; at++) tops.push((await buttons.nth(at).boundingBox())?.y ?? 0)
  const button = buttons.nth(tops.findLastIndex((top) => top < 370))
  await button.click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  // Both are measured at once: the list may still move while the panel opens.
  await waitUntil(page, `(() => { ${MEASURED} return menu.bottom <= button.top })()`)
  await assertInside(menu)
  await picture(page, 'menu-above-360')

  await page.setViewportSize({ width: 360, height: 900 })
  await waitUntil(page, `(() => { ${MEASURED} return menu.top >= button.bottom && menu.bottom <= innerHeight })()`)
})

test('a popover at 360 px takes the focus, stays inside the page, and gives the focus back', async (t) => {
  const { page } = await openedPage(t, answers, { browser: { viewport: { width: 360, height: 640 } } })
  const button = page.getByRole('button', { name: /Choices of this session/ })
  const popover = page.getByRole('dialog', { name: 'Choices of this session' })
  // Behind the window there is then a button that Tab comes to.
  await page.getByLabel('Message', { exact: true }).fill('high water')
  await button.focus()
  await page.keyboard.press('Space')
  await waitForFocus(popover.getByLabel('Subject'))
  await popover.getByLabel('Project').waitFor()
  await assertInside(popover)
  await looksRight(page, 'popover', { widths: [360] })
  await page.keyboard.press('Escape')
  await popover.waitFor({ state: 'detached' })
  await waitForFocus(button)

  await page.keyboard.press('Enter')
  await waitForFocus(popover.getByLabel('Subject'))
  await page.keyboard.press('Shift+Tab')
  await waitForFocus(button)
  await popover.waitFor()
  await page.keyboard.press('Tab')
  await waitForFocus(popover.getByLabel('Subject'))
  const fields = await popover.getByRole('combobox').count()
  for (let at = 0; at < fields; at++) await page.keyboard.press('Tab')
  await popover.waitFor({ state: 'detached' })

  await button.click()
  await popover.waitFor()
  await button.click()
  await popover.waitFor({ state: 'detached' })
  await button.click()
  await page.getByRole('main').click({ position: { x: 5, y: 5 } })
  await popover.waitFor({ state: 'detached' })
})

test('tabs are used by keyboard: arrows go round, Home and End, and only the chosen page is there', async (t) => {
  const { page, gateway } = await blankPage(t, answers, { browser: { viewport: { width: 360, height: 640 } } })
  const { session } = await gateway.say('Tides')
  await page.goto(`${gateway.url}/sessions/${session}`)
  await page.getByRole('button', { name: /What the model will read/ }).click()
  const inspector = page.getByRole('dialog', { name: 'What the model reads' })
  const tab = (name: string): Locator => inspector.getByRole('tab', { name, exact: true })
  await tab('This call').focus()
  for (const [key, name] of [
    ['ArrowRight', 'What changed'],
    ['End', 'What if'],
    ['ArrowRight', 'This call'],
    ['ArrowLeft', 'What if'],
    ['Home', 'This call'],
    ['ArrowRight', 'What changed'],
  ] as const) {
    await page.keyboard.press(key)
    await waitForFocus(tab(name))
    assert.equal(await tab(name).getAttribute('aria-selected'), 'true')
    await inspector.getByRole('tabpanel', { name }).waitFor()
    assert.equal(await inspector.getByRole('tabpanel').count(), 1)
  }
  await page.keyboard.press('Tab')
  await waitForFocus(inspector.getByRole('button', { name: 'More' }))
  await page.keyboard.press('Tab')
  await waitForFocus(inspector.getByRole('tabpanel', { name: 'What changed' }))
  assert.deepEqual(await seriousFaults(page), [])
})
