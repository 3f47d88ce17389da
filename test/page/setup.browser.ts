import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Manifest } from '../../src/context.ts'
import { scriptedProvider } from '../../src/testing.ts'
import { blankPage, closeBrowser, openedPage, type OpenedPage, seriousFaults } from './browser.ts'
import { looksRight, visit } from './conversation.ts'
import { freePort } from '../kit/free-port.ts'

after(closeBrowser)

const KEY = 'sk-a-key-of-the-test-0123456789'

/** A gateway that knows one provider, Ollama at an address where nothing listens yet. */
async function freshHome(t: TestContext): Promise<OpenedPage & { readonly port: number }> {
  const port = await freePort()
  const configuration = { providers: { ollama: { kind: 'ollama', baseURL: `http://127.0.0.1:${port}` } } }
  const prepare = async (home: string): Promise<void> => {
    writeFileSync(join(home, 'config.json'), JSON.stringify(configuration))
  }
  return { ...(await openedPage(t, {}, { prepare })), port }
}

test('7. a home without a model leads to a page that says so, and finds Ollama once it runs', async (t) => {
  const { page, port } = await freshHome(t)
  await page.getByRole('heading', { name: 'See every word your model reads, before it speaks.' }).waitFor()
  await page.getByRole('button', { name: 'Ollama Not found' }).click()
  await page.getByRole('region', { name: 'Ollama' }).getByText('does not answer').waitFor()
  // A command is drawn as code, without the marks around it.
  await page.getByRole('region', { name: 'Ollama' }).getByText('ollama serve', { exact: true }).waitFor()
  assert.deepEqual(await seriousFaults(page), [])
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/setup.png` })

  const ollama = await scriptedProvider({ port, answer: () => ({ text: 'Here I am.' }) })
  t.after(() => ollama.close())
  await page.getByRole('button', { name: 'Look for Ollama again' }).click()
  await page.getByText('Write a message.').waitFor()
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByText('Here I am.').waitFor()
})

test('7. a key is tried, kept in a file of its own, and is nowhere else; a wrong one says so and keeps the input', async (t) => {
  const { page, gateway } = await freshHome(t)
  const address = await serverWithKey(t)
  const server = await serverForm(page)
  await server.getByLabel('Address').fill(address)
  await server.getByLabel('Key').fill('sk-wrong')
  await server.getByRole('button', { name: 'Attach' }).click()
  assert.match(await server.getByRole('alert').innerText(), /^The key was refused\..*Check that the key is complete/s)
  assert.equal(await server.getByLabel('Address').inputValue(), address)
  assert.ok(!existsSync(join(gateway.home, 'data', 'keys')))

  await server.getByLabel('Key').fill(KEY)
  await server.getByRole('button', { name: 'Attach' }).click()
  // The open conversation uses it at once.
  await page.getByText('Write a message.').waitFor()
  // The bar is of this model before anything is typed.
  await page
    .getByRole('region', { name: 'Context of the next call' })
    .getByTitle('What the model will read: openai-compatible/one')
    .waitFor()

  const kept = join(gateway.home, 'data', 'keys', 'openai-compatible')
  assert.equal(readFileSync(kept, 'utf8'), `${KEY}\n`)
  assert.equal(statSync(kept).mode & 0o777, 0o600)
  const { model, providers } = JSON.parse(readFileSync(join(gateway.home, 'config.json'), 'utf8')) as {
    readonly model: string
    readonly providers: Readonly<Record<string, object>>
  }
  assert.equal(model, 'openai-compatible/one')
  assert.deepEqual(providers['openai-compatible'], {
    kind: 'openai-compatible',
    baseURL: address,
    apiKeyFile: 'data/keys/openai-compatible',
  })

  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await page.getByText('It is right.').waitFor()
  for (const path of ['/api/setup', '/api/status', '/api/configuration', '/api/models', '/api/calls']) {
    assert.ok(!JSON.stringify(await gateway.curl(path)).includes(KEY), path)
  }
  const holders = readdirSync(gateway.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(KEY))
  assert.deepEqual(holders, [kept])
})

test('7. an address where nothing answers says what to check; a second server is attached beside the first', async (t) => {
  const { page, gateway } = await freshHome(t)
  const [first, second] = [await scriptedProvider(), await scriptedProvider({ models: [{ name: 'two' }] })]
  t.after(() => Promise.all([first.close(), second.close()]))
  const dead = `http://127.0.0.1:${await freePort()}/v1`
  const server = await serverForm(page)
  await server.getByLabel('Address').fill(dead)
  await server.getByRole('button', { name: 'Attach' }).click()
  const said = await server.getByRole('alert').innerText()
  assert.ok(said.startsWith(`Nothing answers at ${dead}.`) && said.includes('Check the address'), said)
  assert.doesNotMatch(said, /baseURL/)
  await server.getByLabel('Address').fill(first.url)
  await server.getByRole('button', { name: 'Attach' }).click()
  await page.getByText('Write a message.').waitFor()

  await page.goto(`${gateway.url}/settings/models`)
  await serverForm(page)
  await server.getByText('Another server, address or key').click()
  await server.getByLabel('Name').fill('second')
  await server.getByLabel('Address').fill(second.url)
  await server.getByRole('button', { name: 'Attach' }).click()
  await server.getByText('Attached, with one model.').waitFor()
  await server.getByRole('button', { name: 'second/two' }).click()
  const { providers } = JSON.parse(readFileSync(join(gateway.home, 'config.json'), 'utf8')) as {
    readonly providers: Readonly<Record<string, { readonly baseURL: string }>>
  }
  assert.equal(providers['openai-compatible']?.baseURL, first.url)
  assert.equal(providers['second']?.baseURL, second.url)
})

test('three examples are real turns of the rehearsal: a text that is cut, a call that asks first, and many skills', async (t) => {
  const { page, gateway } = await freshHome(t)
  const bar = page.getByRole('region', { name: 'Your next message' })
  await bar.getByText('0.2 % of 128,000 tokens: tools, instructions.').waitFor()
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await bar.getByText('0.2 % of 128,000 tokens: tools, instructions, your message.').waitFor()
  await page.getByLabel('Message', { exact: true }).fill('')
  await looksRight(page, 'first-minute')

  await page.getByRole('button', { name: 'A tool that asks first' }).click()
  await page.getByText('+- Brest: high water at 05:42 and 18:07').waitFor()
  await page.getByRole('button', { name: 'Approve once' }).click()
  await page.getByText('The line is in the log.').last().waitFor()

  await visit(page, '/')
  await page.getByRole('button', { name: 'A hundred skills' }).click()
  await page
    .getByRole('article')
    .getByText(/Instructions, [\d,]+ tokens: .*skills/)
    .waitFor()

  await visit(page, '/')
  await page.getByRole('button', { name: 'A text that is too long' }).click()
  await page.getByRole('article').locator('summary', { hasText: 'read_skill' }).click()
  await page
    .getByText(/go on with offset \d+/)
    .first()
    .waitFor()

  // Nothing of an example reaches another conversation.
  const { skills } = await gateway.curl<{ readonly skills: readonly unknown[] }>('/api/skills')
  assert.deepEqual(skills, [])
  const { manifest } = await gateway.curl<{ readonly manifest: Manifest }>('/api/context')
  assert.deepEqual([...new Set(manifest.entries.map(({ slot }) => slot))], ['tools', 'system', 'input'])
})

test('7. the settings show the models and set the one that is used', async (t) => {
  const { page, gateway } = await blankPage(t, { models: [{ name: 'scripted' }, { name: 'other' }] })
  await page.goto(`${gateway.url}/settings/models`)
  const row = page.getByRole('listitem').filter({ hasText: 'ollama/other' })
  await row.getByRole('button', { name: 'Use' }).click()
  await row.getByText('In use').waitFor()
  const { model } = await gateway.curl<{ readonly model: { readonly id: string } }>('/api/status')
  assert.equal(model.id, 'ollama/other')
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: `${process.env['SCREENSHOTS']}/models.png` })
})

/** Opens the card of a server with an address. Returns what it opens. */
async function serverForm(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'OpenAI, or any server' }).click()
  return page.getByRole('region', { name: "A server with OpenAI's API" })
}

/** A server with Chat Completions that accepts one key. */
async function serverWithKey(t: TestContext): Promise<string> {
  const provider = await scriptedProvider({ models: [{ name: 'one' }], answer: () => ({ text: 'It is right.' }) })
  const server = createServer((request, response) => {
    void (async () => {
      if (request.headers.authorization !== `Bearer ${KEY}`) {
        response.writeHead(401, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }))
        return
      }
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const answer = await fetch(`${provider.url}${request.url}`, {
        method: request.method ?? 'GET',
        headers: { 'content-type': 'application/json' },
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    server.closeAllConnections()
    server.close()
    await provider.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
