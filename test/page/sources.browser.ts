import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { closeBrowser, openedPage, seriousFaults } from './browser.ts'
import { isTooWide, lastTurn, picture, send } from './conversation.ts'

after(closeBrowser)

/** Uploads a file; its id. */
async function upload({ url, token }: RealGateway, name: string, bytes: Buffer, query = ''): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/files${query}`, { method: 'POST', headers, body: form })
  const { files } = (await response.json()) as { files: readonly { id: string }[] }
  await fetch(`${url}/api/files/${files[0]!.id}?wait=30000`, { headers })
  return files[0]!.id
}

const tides = `# Tides\n\n## Spring\n\nHigh water is at nine.\n\n${'The sea is wide. '.repeat(80)}\n`

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a citation is a chip with a preview, and the turn lists its sources: ${colorScheme}`, async (t) => {
    const text = 'High water is at nine [1], as it says [1](https://example.org), not [7] and not `[1]`.'
    const { page, gateway } = await openedPage(t, { answer: () => ({ text }) }, { browser: { colorScheme } })
    const { id: project } = await gateway.curl<{ id: string }>('/api/projects', { name: 'Sea', instructions: '' })
    await upload(gateway, 'tides.md', Buffer.from(tides), `?project=${project}`)
    const { id } = await gateway.curl<{ id: string }>('/api/sessions', { project })
    await page.goto(`${gateway.url}/sessions/${id}`)
    await send(page, 'When is high water?')
    const turn = lastTurn(page)
    const chips = turn.getByRole('button', { name: 'Source 1: tides.md' })
    await chips.first().waitFor()
    assert.equal(await chips.count(), 2, 'an unknown number and code are no citations')
    await turn.locator('code', { hasText: '[1]' }).waitFor()
    await chips.first().click()
    const preview = page.getByRole('dialog', { name: 'Source 1' })
    await preview.getByText('tides.md').waitFor()
    await preview.getByText(/High water is at nine\./).waitFor()
    await picture(page, `citation-${colorScheme}`)
    assert.deepEqual(await seriousFaults(page), [])
    await page.keyboard.press('Escape')

    await turn.getByText('1 source, 1 cited').click()
    const list = turn.getByRole('list', { name: 'Sources' })
    await list.getByText('tides.md').waitFor()
    await list.getByText('cited').waitFor()
    await picture(page, `sources-${colorScheme}`)
  })
}

/** A red square of 64 pixels. */
const square = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR4nO3PQQ0AIBDAMMC/58MCP7KkVbDtWX87OuBVA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgNaA1oDWgPaBW9zAX/XWm6aAAAAAElFTkSuQmCC',
  'base64',
)

test('an attached image is seen, and large at a click; another file has its name', async (t) => {
  const { page, gateway } = await openedPage(
    t,
    { answer: () => ({ text: 'A square.' }), models: [{ name: 'scripted', capabilities: ['completion', 'vision'] }] },
    { browser: { viewport: { width: 360, height: 800 } } },
  )
  const image = await upload(gateway, 'square.png', square)
  const sea = await upload(gateway, 'tides.md', Buffer.from(tides))
  const said = { text: 'What is this?', attachments: [image, sea] }
  const { session } = await gateway.curl<{ session: string }>('/api/messages', said)
  await page.goto(`${gateway.url}/sessions/${session}`)
  const shown = lastTurn(page).getByRole('img', { name: 'square.png' })
  await shown.waitFor()
  assert.match((await shown.getAttribute('src')) ?? '', /^blob:/)
  const isDrawn = '[...document.images].some((image) => image.naturalWidth === 64)'
  await page.waitForFunction(isDrawn)
  await lastTurn(page).getByRole('button', { name: 'Show square.png in full' }).click()
  await page.getByRole('dialog', { name: 'square.png' }).getByRole('img').waitFor()
  await picture(page, 'image')
  await page.keyboard.press('Escape')
  assert.equal(await isTooWide(page), false)
  await lastTurn(page).getByRole('list', { name: 'Attached files' }).getByText('tides.md').waitFor()
})
