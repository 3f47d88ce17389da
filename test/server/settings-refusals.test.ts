import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realGateway } from '../end-to-end/gateway.ts'

const digest = '0'.repeat(64)

/** Wrong input of every endpoint behind the settings: method, path, body, and the code of the answer. */
const refusals: readonly (readonly [string, string, unknown, string])[] = [
  ['GET', '/api/skills?colour=red', undefined, 'invalid-input'],
  ['GET', '/api/skills/none', undefined, 'not-found'],
  ['GET', '/api/skills/none/file?path=a.md', undefined, 'not-found'],
  ['GET', '/api/skills/none/file', undefined, 'invalid-input'],
  ['POST', '/api/skills/reach', { model: 'nobody/none' }, 'model-not-found'],
  ['POST', '/api/skills/reach', { choices: { agent: 'none' } }, 'not-found'],
  ['POST', '/api/tool-access/preview', { steps: [{ do: 'dance' }] }, 'invalid-input'],
  ['POST', '/api/tool-access/preview', { text: '[', steps: [{ do: 'allow', name: 'x' }] }, 'invalid-input'],
  ['PUT', '/api/tool-access', { text: '{}' }, 'invalid-input'],
  ['PUT', '/api/tool-access', { text: '{}', digest, shown: digest }, 'changed'],
  ['POST', '/api/acceptance', {}, 'invalid-input'],
  ['POST', '/api/acceptance', { name: 'tool-access.json', digest }, 'decided'],
  ['POST', '/api/mcp-servers/none/restart', undefined, 'not-found'],
  ['POST', '/api/mcp-servers/preview', {}, 'invalid-input'],
  ['POST', '/api/mcp-servers/preview', { name: 'a' }, 'invalid-input'],
  ['POST', '/api/mcp-servers/preview', { version: 99 }, 'not-found'],
  ['POST', '/api/mcp-servers/preview', { name: 'a', version: 1 }, 'invalid-input'],
  ['POST', '/api/mcp-servers/preview', { name: 'a', server: { command: 'x' }, version: 1 }, 'invalid-input'],
  ['PUT', '/api/mcp-servers', { name: 'a', server: { command: 'x' } }, 'invalid-input'],
  ['PUT', '/api/mcp-servers', { name: 'a', server: { command: 'x' }, digest }, 'changed'],
  ['GET', '/api/backups/none/archive', undefined, 'not-found'],
  ['GET', '/api/usage?by=colour', undefined, 'invalid-input'],
  ['GET', '/api/usage?zone=Nowhere', undefined, 'invalid-input'],
  ['GET', '/api/usage?from=yesterday', undefined, 'invalid-input'],
  ['GET', '/api/audit?since=yesterday', undefined, 'invalid-input'],
  ['GET', '/api/audit/export?decision=perhaps', undefined, 'invalid-input'],
  ['GET', '/api/layers?limit=0', undefined, 'invalid-input'],
  ['GET', '/api/layers?session=none', undefined, 'not-found'],
  ['GET', '/api/layers/persona/history?session=none', undefined, 'not-found'],
]

test('what the settings refuse says in a sentence what was wrong, and how to correct it', async (t) => {
  const gateway = await realGateway(t, {})
  const problems: string[] = []
  for (const [method, path, body, code] of refusals) {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const { error } = (response.ok ? { error: {} } : JSON.parse(text)) as { readonly error: Partial<Refusal> }
    const isWhole =
      error.code === code &&
      /^[\p{Lu}\p{N}"/].*[.!?]$/su.test(error.message ?? '') &&
      /^[\p{Lu}`].*[.!?]$/su.test(error.hint ?? '')
    if (!isWhole) problems.push(`${method} ${path} ${JSON.stringify(body)}: ${response.status} ${text}`)
  }
  assert.deepEqual(problems, [])
})

interface Refusal {
  readonly code: string
  readonly message: string
  readonly hint: string
}
