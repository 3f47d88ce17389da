import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlCommand } from '../web/src/inspector/share-curl.ts'
import { sharedCallHtml } from '../web/src/inspector/share-html.ts'
import { timelinePoints } from '../web/src/inspector/timeline-points.ts'
import { assembleScenario } from '../web/src/inspector/what-if-assembly.ts'

test('14: a shell reads the body of the command byte for byte, and keys are variables', () => {
  const body = JSON.stringify({ text: `it's "quoted" $HOME \`ls\` \\ \n 'twice' ü` })
  const command = curlCommand({ url: 'https://api.example.org/v1/chat/completions', body })
  assert.match(command, /"authorization: Bearer \$API_KEY"/)
  const shell = `curl() { for last; do :; done; printf %s "$last"; }\n${command}`
  assert.equal(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }), body)
})

test('14: each API is given its key in its own header', () => {
  const headers = (url: string) => curlCommand({ url, body: '{}' })
  assert.match(headers('https://api.example.org/v1/messages'), /x-api-key: \$API_KEY/)
  assert.doesNotMatch(headers('http://127.0.0.1:11434/api/chat'), /API_KEY/)
})

test('11: a cut and a broken cache are marked at the call where they happened', () => {
  const call = { time: '2026-11-23T00:00:00Z', used: 100, available: 200 }
  const grew = { tokens: 90, firstChange: { slot: 'history', cause: 'grew' } }
  const broke = { tokens: 10, firstChange: { slot: 'system', cause: 'changed' } }
  const points = timelinePoints([
    { ...call, id: 'a' },
    { ...call, id: 'b', reuse: grew },
    { ...call, id: 'c', reuse: broke },
    { ...call, id: 'd', reuse: grew, cut: { dropBefore: 't2' } },
    { ...call, id: 'e', reuse: grew, cut: { dropBefore: 't2' } },
  ])
  assert.deepEqual(
    points.map(({ isCut, breaksCache }) => [isCut, breaksCache]),
    [
      [false, false],
      [false, false],
      [false, true],
      [true, false],
      [false, false],
    ],
  )
})

test('14: a shared call has the colours of its slots, and nothing in a name can leave its place', () => {
  const hostile = '"><script>alert(1)</script>'
  const manifest = assembleScenario({
    name: 'hostile',
    layout: 'auto',
    budget: { window: 1000, reserve: 100, margin: 0 },
    counter: 'chars',
    layers: [{ id: hostile, layer: 'system-prompt', text: 'Be brief.' }],
    history: [],
    current: { id: 'a', messages: [{ role: 'user', content: 'Hi' }] },
    attachments: [],
    tools: [],
  }).manifest
  const about = { id: 'call', time: '2026-11-23T00:00:00Z', model: 'ollama/x', digest: 'f00' }
  const html = sharedCallHtml({ ...about, manifest, texts: new Map(), titles: new Map() })
  const classes = Array.from(html.matchAll(/<i class="([^"]*)"/g), ([, name]) => name)
  assert.deepEqual(classes, ['system', 'input', 'free', 'reserve'])
  assert.doesNotMatch(html, /<script/)
})
