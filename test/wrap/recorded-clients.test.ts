import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { RecordedCall } from '../clients/through/recording.ts'
import { send, startGateway, talkToken } from '../through/gateway.ts'
import { answerMessages, startVendor } from '../through/vendor.ts'

/*
 * Calls of real programs, recorded by `npm run clients -- --record`, go through the gateway again: byte by byte, as calls of the
 * program that made them, in one session per conversation, and every token of them in the account.
 */

const folder = join(import.meta.dirname, '../clients/recorded')

/** What the calls of a program are known as. */
const CLIENTS: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  opencode: 'opencode',
  pi: 'pi',
  openclaw: 'openclaw',
  copilot: 'copilot-cli',
  continue: 'continue',
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
  test(`recorded calls of ${file.replace('.jsonl', '')} arrive byte by byte and are told apart`, async (t) => {
    const calls = readFileSync(join(folder, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedCall)
    const vendor = await startVendor(t, answerMessages())
    const entry = (kind: string) => ({ kind, baseURL: `${vendor.url}/v1`, apiKeyEnv: 'NO_KEY' })
    const gateway = await startGateway(t, {
      providers: { anthropic: entry('anthropic'), openai: entry('openai') },
      environment: { NO_KEY: 'made-up' },
    })
    const token = await talkToken(gateway)
    for (const { path, headers, body } of calls) {
      const provider = path.endsWith('/messages') ? 'anthropic' : 'openai'
      const pairs = [...Object.entries(headers).flat(), 'x-api-key', 'own', 'x-foreword-token', token]
      const text = JSON.stringify(body)
      await send(`${gateway.url}/through/${provider}${path}`, { headers: pairs, body: text })
      assert.equal(vendor.received.at(-1)?.body.toString(), text)
      assert.equal(vendor.received.at(-1)?.url, path)
    }
    await gateway.runtime.idle()
    const records = await gateway.runtime.store.findCalls({ limit: 100 })
    assert.equal(records.length, calls.length)
    for (const { foreign, manifest } of records) {
      assert.equal(foreign?.client, CLIENTS[calls[0]!.client])
      const sum = Object.values(manifest.slots).reduce((all, tokens) => all + tokens, 0)
      assert.ok(manifest.used > 0)
      assert.equal(sum, manifest.used)
    }
    // The tool round trip and what was said after it are one conversation, apart from the one before it.
    const inOrder = records.toReversed()
    const turns = inOrder
      .filter((_, at) => calls[at]!.story !== 'turn')
      .filter(({ foreign }) => foreign?.kind === 'turn')
    assert.ok(turns.length >= 3)
    assert.equal(new Set(turns.map(({ session }) => session)).size, 1)
    assert.ok(!inOrder.some(({ session }, at) => calls[at]!.story === 'turn' && session === turns[0]!.session))
  })
}

test('recordings have no secret, no path and no id of a machine in them', () => {
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const found of [
      /made-up/,
      /\/(?:tmp|home|root|work|Users)\//,
      /sk-/,
      /x-api-key/i,
      /authorization/i,
      /x86_64|Debian/,
    ]) {
      assert.doesNotMatch(text, found, file)
    }
  }
})
