import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { callFigures, type Manifest } from '../src/context.ts'
import { curlCommand } from '../web/src/inspector/share-curl.ts'
import { sharedCallHtml } from '../web/src/inspector/share-html.ts'
import { timelinePoints } from '../web/src/inspector/timeline-points.ts'
import { assembleScenario } from '../web/src/inspector/what-if-assembly.ts'

function figuresOf(manifest: Manifest) {
  const usage = { promptTokens: manifest.used, cachedTokens: manifest.used - 10, outputTokens: 3 }
  return callFigures(manifest, { usage, paid: { money: 0.0021 } })
}

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
  const figures = { basis: 'counted' as const, total: 100, window: 300 }
  const call = { time: '2026-11-23T00:00:00Z', figures, used: 100 }
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
  const html = sharedCallHtml({ ...about, manifest, figures: figuresOf(manifest), texts: new Map(), titles: new Map() })
  const classes = Array.from(html.matchAll(/<i class="([^"]*)"/g), ([, name]) => name)
  assert.deepEqual(classes, ['system', 'input', 'free', 'reserve'])
  assert.doesNotMatch(html, /<script/)
})

test('14: a shared call says in sentences what each part is, where it comes from and in which form it is sent', () => {
  const { manifest } = assembleScenario({
    name: 'short',
    layout: 'auto',
    budget: { window: 1000, reserve: 100, margin: 0 },
    counter: 'declared',
    layers: [
      {
        id: 'skills',
        layer: 'skills',
        renditions: [
          { form: 'full', text: 'All', tokens: 700 },
          { form: 'list', text: 'List', tokens: 30 },
        ],
      },
    ],
    history: [],
    current: { id: 'a', messages: [{ role: 'user', content: 'When?', tokens: 5 }] },
    attachments: [{ turn: 'a', id: 'file_1', name: 'plan.md', text: 'At nine.', tokens: 5 }],
    tools: [],
  })
  const about = { id: 'call', time: '2026-11-23T09:05:00Z', model: 'ollama/x', digest: 'f00' }
  const html = sharedCallHtml({
    ...about,
    manifest,
    figures: figuresOf(manifest),
    texts: new Map(),
    titles: new Map([['a', '“When?”']]),
  })
  const said = html
    .slice(html.indexOf('<h1>'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll(/\s+/g, ' ')
  for (const sentence of [
    'This is one request to the model ollama/x, sent on 23 November 2026 at 09:05:00 UTC .',
    'It has 40 tokens of a window of 1,000 : 30 from the cache, 10 new, $0.0021 paid with the answer.',
    'Skills 30 of 700 Skills · From the owner: ',
    'Sent as a list: 700 tokens wanted, 30 sent: tools, system and preamble wanted 700 together, and their share is 540 of 900.',
    'Attachment: plan.md 5 Files · From a file: plan.md Sent in full.',
    'Your message: “When?” 5 Your message · From the conversation Sent in full.',
  ]) {
    assert.ok(said.includes(sentence), `${sentence}\nis not in\n${said}`)
  }
  assert.doesNotMatch(said, /file_1|operator|undefined/)
})
