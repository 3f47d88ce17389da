import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { builtIn } from '../../src/foreword/built-in.ts'
import { configurationSchema } from '../../src/runtime/configuration/schema.ts'
import { keyOfName, mergeNamed, type Named, sharedSettings, withNamed } from '../../src/runtime/team/shared-settings.ts'
import { forAll } from '../arbitrary/for-all.ts'

const schema = configurationSchema(builtIn)
const shared = (value: unknown) => {
  const { settings, needs } = sharedSettings(value, schema, (text) => text.includes('hunter2'))
  const named = (values: Named) =>
    Object.fromEntries(Object.entries(values).map(([name, each]) => [keyOfName(name).join('.'), each]))
  return { settings: named(settings), needs: named(needs) }
}

test('what belongs to one machine, and what is a secret or may be one, is not shared', () => {
  const { settings, needs } = shared({
    $schema: 'here.json',
    gateway: { port: 4142, token: 'of-the-gateway', publicUrl: 'https://team.example' },
    store: 'postgres://foreword@db/foreword',
    plugins: ['./plugin.mjs'],
    capabilities: ['./mine.ts'],
    audit: { checkpoints: ['/var/log/x'] },
    model: 'lab/m1',
    providers: {
      lab: { kind: 'openai', baseURL: 'https://lab.example/v1', apiKeyEnv: 'LAB_KEY', headers: { 'x-team': 'a' } },
      here: { kind: 'ollama', baseURL: 'http://127.0.0.1:11434' },
      odd: { kind: 'openai', baseURL: 'https://lab.example/v1?key=hunter2', apiKeyFile: 'data/keys/odd' },
    },
    agent: { maxSteps: 3, workspace: 'elsewhere' },
    skills: { directory: '/srv/skills', extraDirs: ['more'], disabled: ['old'], trustedDirs: ['/srv'] },
    people: { maxFiles: 5, limits: [{ for: 'ann', maxFiles: 7 }] },
    mcp: {
      servers: {
        files: { command: 'files-mcp', args: ['--all'], people: true },
        web: { url: 'https://mcp.example', headers: { authorization: 'MCP_KEY' }, people: true },
      },
    },
    context: { layout: { extends: 'auto', headShare: 0.4 } },
    unknown: { a: 1 },
  })
  assert.deepEqual(settings, {
    model: 'lab/m1',
    'providers.lab.kind': 'openai',
    'providers.lab.baseURL': 'https://lab.example/v1',
    'providers.here.kind': 'ollama',
    'providers.odd.kind': 'openai',
    'agent.maxSteps': 3,
    'skills.disabled': ['old'],
    'people.maxFiles': 5,
    'people.limits': [{ for: 'ann', maxFiles: 7 }],
    'mcp.servers.web.url': 'https://mcp.example',
    'mcp.servers.web.people': true,
    'context.layout': { extends: 'auto', headShare: 0.4 },
  })
  assert.deepEqual(needs, {
    'providers.lab': ['apiKey', 'headers'],
    'providers.here': ['baseURL'],
    'providers.odd': ['baseURL', 'apiKey'],
    'mcp.servers.web': ['headers'],
  })
})

test('every built-in setting that names a path, a variable or a program stays with its machine', () => {
  const named = JSON.stringify(shared({ channels: { telegram: { tokenFile: 'bot', allowedUsers: [1] } } }).settings)
  assert.equal(named, '{"channels.telegram.allowedUsers":[1]}')
})

test('whoever changes values, and however often they are compared: nothing that one of two has changed is lost', () => {
  const values = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(3))
  forAll(fc.tuple(values, values, values), ([last, here, there]) => {
    const { incoming, outgoing, conflicts } = mergeNamed(last, here, there)
    const hereNext = withNamed(here, incoming, there)
    const thereNext = withNamed(there, outgoing, here)
    assert.deepEqual(hereNext, withNamed(thereNext, [], {}), 'both are the same')
    for (const name of ['a', 'b', 'c']) {
      const [was, own, other, next] = [last, here, there, hereNext].map((each) => each[name])
      if (own === was) assert.equal(next, other)
      else if (other === was) assert.equal(next, own)
      else assert.equal(next, other)
      assert.equal(conflicts.includes(name), own !== was && other !== was && own !== other)
    }
    const again = mergeNamed(hereNext, hereNext, thereNext)
    assert.deepEqual(again, { incoming: [], outgoing: [], conflicts: [] })
  })
})
