import assert from 'node:assert/strict'
import { after, test, type TestContext } from 'node:test'
import { answerPlayed, playSession } from '../through/play-session.ts'
import { send } from '../through/gateway.ts'
import { messagesEvents, startVendor } from '../through/vendor.ts'
import { closeBrowser, openedPage, openInspectorTab, type PageOptions, seriousFaults } from './browser.ts'
import { looksRight } from './conversation.ts'

after(closeBrowser)

async function playedPage(t: TestContext, options: PageOptions = {}) {
  const vendor = await startVendor(t, answerPlayed)
  const providers = {
    ollama: { kind: 'ollama', baseURL: 'http://127.0.0.1:1' },
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
  }
  return openedPage(t, {}, { ...options, configuration: { providers } })
}

test('a session of another program is in the list with its name, and its page shows what was said and no field', async (t) => {
  const { page, gateway } = await playedPage(t)
  await playSession(gateway, 0, 6)
  const row = page
    .getByRole('complementary', { name: 'Sessions' })
    .getByRole('link', { name: 'What does the parser do?' })
  await row.getByText('Claude Code').waitFor()
  await row.click()
  await page.getByText('This conversation goes on in Claude Code').waitFor()
  const turns = page.getByRole('article')
  await turns.nth(2).waitFor()
  assert.equal(await turns.count(), 3)
  await turns.nth(0).getByText('What does the parser do?').waitFor()
  await turns.nth(0).locator('strong', { hasText: 'parses' }).first().waitFor()
  await turns.nth(0).locator('summary', { hasText: 'Read' }).first().click()
  await page.getByRole('region', { name: 'Input of Read' }).first().getByText('src/parser.ts').waitFor()
  assert.equal(await page.getByLabel('Message', { exact: true }).count(), 0)
  assert.deepEqual(await seriousFaults(page), [])
})

test('a call that ends appears by itself, with what changed', async (t) => {
  const { page, gateway } = await playedPage(t)
  await playSession(gateway, 0, 6)
  await page
    .getByRole('complementary', { name: 'Sessions' })
    .getByRole('link', { name: 'What does the parser do?' })
    .click()
  await page.getByRole('article').nth(2).waitFor()
  await playSession(gateway, 6)
  const turn = page.getByRole('article').nth(3)
  await turn.getByText('Once more.').waitFor()
  await turn.getByText('The tools are in another order: mcp__tickets__list is where Bash was.').waitFor()
})

test('each call opens in the inspector with its parts, their exact text, the difference to the one before and the proof', async (t) => {
  const { page, gateway } = await playedPage(t)
  await playSession(gateway)
  await page
    .getByRole('complementary', { name: 'Sessions' })
    .getByRole('link', { name: 'What does the parser do?' })
    .click()
  await page.getByRole('article').nth(2).getByRole('link').last().click()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await inspector.getByText('Instructions: /work/CLAUDE.md').click()
  const text = inspector.getByRole('region', { name: 'Exact text of Instructions: /work/CLAUDE.md' })
  assert.match((await text.textContent()) ?? '', /Write tests first\./)
  await inspector.getByText('Result of Read src/parser.ts').last().click()
  await inspector.getByText('const again49 = 343').waitFor()
  await inspector.getByText('From a tool: src/parser.ts').waitFor()
  assert.equal(await inspector.getByText('Show in the conversation').count(), 0)
  assert.equal(await inspector.getByRole('tab', { name: 'What if' }).count(), 0)
  await inspector.getByText('How this is counted').click()
  await inspector.getByText('The conversation went on with the result of Read src/parser.ts again').waitFor()
  assert.deepEqual(await seriousFaults(page), [])

  await openInspectorTab(inspector, 'What changed')
  const comparison = inspector.getByRole('region', { name: 'Comparison' })
  await comparison.getByText('The conversation went on with the result of Read').waitFor()
  await comparison.getByText('Result of Read src/parser.ts, turn 3').waitFor()
  await openInspectorTab(inspector, 'Timeline')
  await inspector.getByRole('link', { name: /^Call 7: .*cache broken/ }).waitFor()
  await openInspectorTab(inspector, 'Request')
  await inspector.getByText('The body that was sent is identical, too').waitFor()
})

test('findings have prices and lead to their calls on a telephone, light and dark', async (t) => {
  const { page, gateway } = await playedPage(t, { browser: { viewport: { width: 360, height: 740 } } })
  await playSession(gateway)
  const { sessions } = await gateway.curl<{ readonly sessions: readonly { readonly id: string }[] }>('/api/sessions')
  await page.goto(`${gateway.url}/sessions/${sessions[0]!.id}`)
  await page.locator('summary', { hasText: /findings, \$/ }).click()
  const finding = page
    .getByRole('list', { name: 'Findings' })
    .getByRole('listitem')
    .filter({ hasText: 'another order' })
  await finding.getByText(/tokens not read from the cache, \$/).waitFor()
  await looksRight(page, 'findings', { widths: [360] })
  await finding.getByRole('link', { name: 'Open the first call' }).click()
  const dialog = page.getByRole('dialog', { name: 'What the model reads' })
  await dialog.getByText('How this is counted').click()
  await dialog.getByText('The tools are in another order').waitFor()
  await looksRight(page, 'finding', { widths: [360] })
})

test('counts of tokens and refusals between two answers are one line, which opens, and the call that is open is not folded', async (t) => {
  let isLimited = false
  const vendor = await startVendor(t, (request, outgoing) => {
    const isCount = request.url.includes('count_tokens')
    outgoing.writeHead(isLimited ? 429 : 200, {
      'content-type': isCount || isLimited ? 'application/json' : 'text/event-stream',
    })
    const error = { type: 'error', error: { type: 'rate_limit_error', message: 'Too many requests this minute.' } }
    outgoing.end(isLimited ? JSON.stringify(error) : isCount ? '{"input_tokens":12}' : messagesEvents('Hello.'))
  })
  const providers = {
    ollama: { kind: 'ollama', baseURL: 'http://127.0.0.1:1' },
    anthropic: { kind: 'anthropic', baseURL: `${vendor.url}/v1` },
  }
  const { page, gateway } = await openedPage(t, {}, { configuration: { providers } })
  const say = (path = '') =>
    send(`${gateway.url}/through/anthropic/v1/messages${path}`, {
      headers: [
        'x-foreword-token',
        gateway.token,
        'x-api-key',
        'own',
        'user-agent',
        'claude-cli/2.1.330 (external, cli)',
        'x-claude-code-session-id',
        'one',
      ],
      body: JSON.stringify({
        model: 'claude-opus-5-5',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: 'Say hello' }],
      }),
    })
  await say()
  for (let n = 0; n < 3; n += 1) await say('/count_tokens')
  isLimited = true
  await say()
  isLimited = false
  await say()
  await page.getByRole('complementary', { name: 'Sessions' }).getByRole('link', { name: 'Say hello' }).click()
  const turn = page.getByRole('article').first()
  const line = turn.locator('summary', { hasText: '3 counts of tokens and 1 refused call' })
  await line.waitFor()
  await turn.getByText('Hello.').nth(1).waitFor()
  assert.equal(await turn.getByText('Too many requests this minute.').count(), 0)
  await line.click()
  await turn.getByText('Too many requests this minute.').waitFor()
  await turn.getByRole('region', { name: 'Token count' }).nth(1).getByRole('link').click()
  await turn.locator('summary', { hasText: '1 count of tokens and 1 refused call' }).waitFor()
  assert.equal(await turn.locator('summary', { hasText: 'of tokens' }).count(), 2)
  assert.deepEqual(await seriousFaults(page), [])
})
