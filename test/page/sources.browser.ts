import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import type { RealGateway } from '../end-to-end/gateway.ts'
import { blankPage, closeBrowser } from './browser.ts'
import { fitsWidth, waitUntil, lastTurn, looksRight, picture, send, turnEnded } from './conversation.ts'

after(closeBrowser)

/** Uploads a file, which has been read when this resolves; its id. */
async function upload({ url, token, idle }: RealGateway, name: string, bytes: Buffer, query = ''): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), name)
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/files${query}`, { method: 'POST', headers, body: form })
  const { files } = (await response.json()) as { files: readonly { id: string }[] }
  await idle()
  return files[0]!.id
}

const tides = `# Tides\n\n## Spring\n\nHigh water is at nine.\n\n${'The sea is wide. '.repeat(80)}\n`

test('2. a citation is a chip with a preview, and the turn lists its sources, light and dark', async (t) => {
  const text = 'High water is at nine [1], as it says [1](https://example.org), not [7] and not `[1]`.'
  const { page, gateway } = await blankPage(t, { answer: () => ({ text }) })
  const { id: project } = await gateway.curl<{ id: string }>('/api/projects', { name: 'Sea', instructions: '' })
  await upload(gateway, 'tides.md', Buffer.from(tides), `?project=${project}`)
  const { id } = await gateway.curl<{ id: string }>('/api/sessions', { project })
  await page.goto(`${gateway.url}/sessions/${id}`)
  await send(page, 'When is high water?')
  const turn = lastTurn(page)
  const chips = turn.getByRole('button', { name: 'Source 1: tides.md' })
  await turnEnded(page)
  assert.equal(await chips.count(), 2, 'an unknown number and code are no citations')
  await turn.locator('code', { hasText: '[1]' }).waitFor()
  await chips.first().click()
  const preview = page.getByRole('dialog', { name: 'Source 1' })
  await preview.getByText('tides.md').waitFor()
  await preview.getByText(/High water is at nine\./).waitFor()
  await looksRight(page, 'citation', { widths: [1280] })
  await page.keyboard.press('Escape')

  const passages: string[] = []
  page.on('request', (request) => request.url().includes('/text?') && passages.push(request.url()))
  await page.reload()
  await turn.getByText('1 source, 1 cited').click()
  const list = turn.getByRole('list', { name: 'Sources' })
  await list.getByText('tides.md').waitFor()
  await list.getByText('cited').waitFor()
  assert.deepEqual(passages, [], 'a passage is read when somebody opens it')
  await list.getByText('tides.md').click()
  await list.getByText(/High water is at nine\./).waitFor()
  await looksRight(page, 'sources')

  await list.getByRole('button', { name: 'Use in next message' }).click()
  const attached = page.getByRole('list', { name: 'Attachments' })
  await attached.getByText(/^tides\.md/).waitFor()
  await attached.getByText(/^\d+ tokens$/).waitFor()
  await page.reload()
  await attached.getByText(/^tides\.md/).waitFor()
  await send(page, 'Read all of it.')
  await turnEnded(page)
  await lastTurn(page).getByRole('list', { name: 'Attached files' }).getByText('tides.md').waitFor()
  await attached.waitFor({ state: 'detached' })

  await turn.getByText('1 source, 1 cited').click()
  await list.getByText('tides.md').click()
  await list.getByRole('link', { name: 'Open the document' }).click()
  const files = page.locator('#main').getByRole('region', { name: 'Files', exact: true })
  const opened = files.getByRole('listitem').filter({ hasText: 'tides.md' })
  await opened.locator('summary:focus').waitFor()
  await opened.getByRole('region', { name: 'Text of tides.md' }).getByText('The sea is wide.').waitFor()
  await looksRight(page, 'document')
})

/** A red square of 64 pixels. */
function redSquare(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
  }
  const header = Buffer.from([0, 0, 0, 64, 0, 0, 0, 64, 8, 2, 0, 0, 0])
  const row = Buffer.concat([Buffer.from([0]), Buffer.from(Array.from({ length: 64 }, () => [200, 30, 30]).flat())])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: 64 }, () => row)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

test('2. an attached image is seen, and large at a click; another file has its name', async (t) => {
  const { page, gateway } = await blankPage(
    t,
    { answer: () => ({ text: 'A square.' }), models: [{ name: 'scripted', capabilities: ['completion', 'vision'] }] },
    { browser: { viewport: { width: 360, height: 800 } } },
  )
  const image = await upload(gateway, 'square.png', redSquare())
  const sea = await upload(gateway, 'tides.md', Buffer.from(tides))
  const said = { text: 'What is this?', attachments: [image, sea] }
  const { session } = await gateway.curl<{ session: string }>('/api/messages', said)
  await page.goto(`${gateway.url}/sessions/${session}`)
  const shown = lastTurn(page).getByRole('img', { name: 'square.png' })
  await shown.waitFor()
  assert.match((await shown.getAttribute('src')) ?? '', /^blob:/)
  await waitUntil(page, '[...document.images].some((image) => image.naturalWidth === 64)')
  await lastTurn(page).getByRole('button', { name: 'Show square.png in full' }).click()
  await page.getByRole('dialog', { name: 'square.png' }).getByRole('img').waitFor()
  await picture(page, 'image')
  await page.keyboard.press('Escape')
  await fitsWidth(page)
  await lastTurn(page).getByRole('list', { name: 'Attached files' }).getByText('tides.md').waitFor()
})
