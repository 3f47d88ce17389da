import chromium from '@sparticuz/chromium'
import { chromium as launcher, type LaunchOptions } from 'playwright-core'

/** One browser for all files of the page; each test has its own context in it. */
export async function shareBrowser(): Promise<{ readonly endpoint: string; close(): Promise<void> }> {
  const server = await launcher.launchServer(await browserOptions())
  return { endpoint: server.wsEndpoint(), close: () => server.close() }
}

export async function browserOptions(): Promise<LaunchOptions> {
  return {
    executablePath: await chromium.executablePath(),
    // The arguments of the package switch off web security, which would hide faults.
    args: ['--no-sandbox', '--headless=shell', '--disable-gpu', '--disable-dev-shm-usage'],
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }
}
