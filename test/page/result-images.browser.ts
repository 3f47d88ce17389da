import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openMcpHome } from '../mcp/mcp-home.ts'
import { closeBrowser, openedPage } from './browser.ts'
import { looksRight } from './conversation.ts'
import { idle } from './idle.ts'

after(closeBrowser)

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('an image in the result of a tool is below its call, and opens', async (t) => {
  const mcp = openMcpHome()
  t.after(() => mcp.close())
  const content = [
    { type: 'text', text: 'High water at four.' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
  ]
  const { configured } = mcp.scripted('far', {
    tools: [{ name: 'chart', description: 'Shows the tides.', inputSchema: { type: 'object' }, result: { content } }],
  })
  const { page, gateway } = await openedPage(
    t,
    {
      answer: ({ body }) =>
        JSON.stringify(body).includes('High water')
          ? { text: 'It is high water at four.' }
          : { toolCalls: [{ name: 'far__chart', input: {} }] },
    },
    {
      configuration: { mcp: { servers: { far: { ...configured, enabled: true, sandbox: 'off' } } } },
      prepare: async (home) =>
        writeFileSync(join(home, 'tool-access.json'), JSON.stringify({ global: { allowedTools: ['far__*'] } })),
    },
  )
  // A server that is slow to start is offered after a reload.
  for (;;) {
    await gateway.curl('/api/reload', {})
    const { tools } = await gateway.curl<{ tools: { name: string }[] }>('/api/tools')
    if (tools.some(({ name }) => name === 'far__chart')) break
  }
  await page.getByRole('textbox', { name: 'Message' }).fill('When is high water?')
  await page.keyboard.press('Enter')
  await page.getByRole('article').getByText('It is high water at four.').waitFor()
  await idle(page, gateway)
  const image = page.getByRole('list', { name: 'Images of the result' }).getByRole('button')
  await image.locator('img').waitFor()
  await looksRight(page, 'an image of a result')
  await image.click()
  await page.getByRole('dialog').getByRole('img', { name: 'far__chart-1.png' }).waitFor()
})
