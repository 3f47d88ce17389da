import type { AxeResults } from 'axe-core'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import {
  type Browser,
  type BrowserContextOptions,
  chromium as launcher,
  errors,
  type Frame,
  type Locator,
  type Page,
} from 'playwright-core'
import { type RealGateway, realGateway, type startApart } from '../end-to-end/gateway.ts'
import { browserOptions } from '../../scripts/checks/shared-browser.ts'
import { once } from '../../src/platform.ts'
import type { ScriptedProviderOptions } from '../../src/testing.ts'

/** What puts axe into a page. The browser reads it for each page anew, so it is the small form. */
const axeSource = once(() => readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'))

/** The browser that all files of a run share, or one of this file where it runs by itself. */
const browser = once(async (): Promise<Browser> => {
  const endpoint = process.env['TEST_BROWSER']
  return endpoint === undefined ? launcher.launch(await browserOptions()) : launcher.connect(endpoint)
})

/** A gateway with scripted providers, and the page that it serves in a real browser. */
export interface OpenedPage {
  readonly gateway: RealGateway
  readonly page: Page
  /** Another browser that is signed in at the same gateway. Its page is blank. */
  another(options?: BrowserContextOptions): Promise<Page>
}

/** What a test needs besides its answers. */
export interface PageOptions {
  /** Keys of `config.json` beside the providers. */
  readonly configuration?: Readonly<Record<string, unknown>>
  /** Of the browser: size of the window, colour scheme, and so on. */
  readonly browser?: BrowserContextOptions
  /** Puts something into the home before the gateway starts. */
  readonly prepare?: (home: string) => Promise<void>
  /** `startApart`, for tests that kill the gateway. */
  readonly start?: typeof startApart
}

/**
 * Starts a gateway and opens its page by the start link. At the end of the test it fails if the page reported an error, broke
 * its Content-Security-Policy, or asked another host for anything.
 */
export async function openedPage(
  t: TestContext,
  provider: ScriptedProviderOptions,
  options: PageOptions = {},
): Promise<OpenedPage> {
  const opened = await startedPage(t, provider, options)
  await opened.page.goto(startLink(opened.gateway))
  return opened
}

/**
 * The same, but the page is blank, in a browser that is signed in: for a test that begins at another address than that of the
 * start link. What the gateway does until then is drawn nowhere.
 */
export async function blankPage(
  t: TestContext,
  provider: ScriptedProviderOptions,
  options: PageOptions = {},
): Promise<OpenedPage> {
  const opened = await startedPage(t, provider, options)
  await signIn(opened.page, opened.gateway)
  return opened
}

async function startedPage(
  t: TestContext,
  provider: ScriptedProviderOptions,
  options: PageOptions,
): Promise<OpenedPage> {
  const gateway = await realGateway(t, provider, options.configuration, options.prepare, options.start)
  return {
    gateway,
    page: await newPage(t, gateway, options.browser),
    async another(context) {
      const page = await newPage(t, gateway, context)
      await signIn(page, gateway)
      return page
    },
  }
}

async function signIn(page: Page, gateway: RealGateway): Promise<void> {
  const answer = await page.request.get(startLink(gateway), { maxRedirects: 0 })
  assert.equal(answer.status(), 303)
}

function startLink({ url, token }: RealGateway): string {
  return `${url}/?token=${token}`
}

/**
 * The page of the test before, for the next one. A page in a context of its own has a process of its own, whose start costs as
 * much processor time as the page of the gateway does. Nothing of a test is left in it.
 */
let kept: Page | undefined

/** A page in a browser that is as usual but for the size of its window, or in a context of its own. */
async function takePage({ viewport = { width: 1280, height: 800 }, ...others }: BrowserContextOptions): Promise<Page> {
  const page = kept
  if (page === undefined || viewport === null || Object.keys(others).length > 0) {
    const context = await (await browser()).newContext({ viewport, ...others })
    return followScripts(await context.newPage())
  }
  kept = undefined
  await page.setViewportSize(viewport)
  return page
}

/** Keeps a page for the next test, as if it were new. Closes it where that cannot be. */
async function leavePage(page: Page): Promise<void> {
  const context = page.context()
  try {
    for (const other of context.pages().filter((one) => one !== page)) await other.close()
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearCookies()
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' })
    await page.mouse.move(-1, -1)
    for (const event of ['console', 'dialog', 'pageerror', 'request']) page.removeAllListeners(event)
    await page.goto('about:blank')
    if (kept === undefined) {
      kept = page
      return
    }
  } catch {
    // Something of the test still holds it.
  }
  await context.close()
}

/** How long a test waits for what should be on the page, ms. A busy machine may need much of it. */
const WAIT_MS = 120_000
/** A wait of this many ms looks each 50 ms. */
const SHORT_WAIT_MS = 400

/** Locators, whose waits look often. */
const often = new WeakSet<object>()

/**
 * Playwright looks for what a test waits for ever more seldom, and at last twice a second where the wait may be a long one:
 * more than half of what tests of the page took was spent between two looks. Here a long wait is many short ones, which look
 * twenty times a second. A wait with a limit of its own stays as it is.
 */
function lookOften(page: Page): void {
  const prototype = Object.getPrototypeOf(page.locator('html')) as Pick<Locator, 'waitFor'>
  if (often.has(prototype)) return
  often.add(prototype)
  const { waitFor } = prototype
  prototype.waitFor = async function waitOften(this: Locator, options = {}) {
    if (options.timeout !== undefined) return waitFor.call(this, options)
    for (let left = WAIT_MS; left > SHORT_WAIT_MS; left -= SHORT_WAIT_MS) {
      try {
        return await waitFor.call(this, { ...options, timeout: SHORT_WAIT_MS })
      } catch (error) {
        if (!(error instanceof errors.TimeoutError)) throw error
      }
    }
    return waitFor.call(this, { ...options, timeout: SHORT_WAIT_MS })
  }
}

/** Pages in which every document begins with a script of a test, such as that of a clock: no test can take it back. */
const scripted = new WeakSet<Page>()

function followScripts(page: Page): Page {
  const follow = <Given extends readonly unknown[], Result>(add: (...given: Given) => Result) => {
    return (...given: Given): Result => {
      scripted.add(page)
      return add(...given)
    }
  }
  page.addInitScript = follow(page.addInitScript.bind(page))
  page.clock.install = follow(page.clock.install.bind(page.clock))
  return page
}

async function newPage(t: TestContext, gateway: RealGateway, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await takePage(options)
  const isUsual = Object.keys(options).every((name) => name === 'viewport')
  page.setDefaultTimeout(WAIT_MS)
  lookOften(page)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (/Content.Security.Policy|Refused to/i.test(message.text())) problems.push(message.text())
  })
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(gateway.url) && !url.startsWith('blob:') && !url.startsWith('data:'))
      problems.push(`asked ${url}`)
  })
  t.after(async () => {
    await (isUsual && !scripted.has(page) ? leavePage(page) : page.context().close())
    assert.deepEqual(problems, [])
  })
  return page
}

/** A page with this text as its source, in a browser that reports every request and every error of it to `problems`. */
export async function pageOf(
  t: TestContext,
  source: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly problems: readonly string[] }> {
  const context = await (await browser()).newContext(options)
  t.after(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(WAIT_MS)
  lookOften(page)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('request', (request) => {
    if (!/^(?:about|data|blob):/.test(request.url())) problems.push(`asked ${request.url()}`)
  })
  await page.setContent(source)
  return { page, problems }
}

/** A blank page in a browser of its own, whose problems are nobody's. */
export async function freePage(t: TestContext): Promise<Page> {
  const context = await (await browser()).newContext()
  t.after(() => context.close())
  return context.newPage()
}

/**
 * What axe calls serious or critical on the page, or in a frame of it, as it is now, with the places. Axe stays in the page, and tells only what is
 * wrong: a page that it knows is looked at in a fifth of a second.
 */
export async function seriousFaults(page: Page | Frame): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(await axeSource())
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** Opens a page of the inspector, which is behind a title or in the menu of the others. */
export async function openInspectorTab(inspector: Locator, name: string): Promise<void> {
  // It is loaded when it is first shown.
  await inspector.getByRole('tablist').waitFor()
  const tab = inspector.getByRole('tab', { name, exact: true })
  if ((await tab.count()) > 0) return tab.click()
  await inspector.locator('[role=tablist] + button').click()
  await inspector.page().getByRole('menuitem', { name, exact: true }).click()
}

/** Call once in each file: its contexts, or a browser of its own, end with it. */
export async function closeBrowser(): Promise<void> {
  await (await browser()).close()
}
