import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import test from 'node:test'
import { capability, type Io } from '../capability.ts'
import type { SessionEvent } from '../runtime.ts'
import type { ApprovalDecision, Entry, EntryBody } from '../session.ts'
import { turnDisplay } from './turn-display.ts'

const tokens = { counter: 'chars@1', full: 1, least: 1 }

function shown(
  events: readonly SessionEvent[],
  terminal = false,
  capabilities: Io['capabilities'] = [],
  details = true,
): string {
  let text = ''
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk)
        done()
      },
    }),
    { isTTY: terminal, columns: 40 },
  )
  const display = turnDisplay(
    { stdin: new PassThrough(), stdout, stderr: stdout, environment: { NO_COLOR: '1' }, capabilities },
    { details },
  )
  for (const event of events) display.show(event)
  display.finish()
  return text
}

function entry(body: EntryBody): SessionEvent {
  const written: Entry = { ...body, session: 's', seq: 1, time: '2026-01-01T00:00:00.000Z' }
  return { id: '1', type: 'entry', entry: written }
}

function delta(text: string, call = 'c'): SessionEvent {
  return { id: '1.1', type: 'text-delta', turn: 't', call, text }
}

function message(text: string): SessionEvent {
  return entry({ type: 'message', turn: 't', call: 'c', message: { role: 'assistant', content: text }, tokens })
}

test('text is shown once, as it comes', () => {
  assert.equal(shown([delta('Hel'), delta('lo'), message('Hello')]), 'Hello\n')
})

test('what a broken stream missed comes from the log', () => {
  assert.equal(shown([delta('Hel'), message('Hello there')]), 'Hello there\n')
  assert.equal(shown([message('Hello')]), 'Hello\n')
})

test('the texts of two calls are two paragraphs of a pipe', () => {
  const call = { turn: 't', call: 'b', toolCallId: '1' }
  const events = [
    delta('I ', 'b'),
    delta('look.', 'b'),
    entry({ type: 'tool-start', ...call, toolName: 'search', input: {} }),
    delta('It is ', 'c'),
    message('It is there.'),
  ]
  assert.equal(shown(events, false, [], false), 'I look.\n\nIt is there.\n')
})

test('the words of the log win over provisional ones', () => {
  assert.equal(shown([delta('Draft'), message('Final')]), 'Draft\nFinal\n')
})

test('a warning about a call is shown below the answer, which is kept', () => {
  const usage = {
    promptTokens: 1,
    cachedTokens: undefined,
    cacheWrittenTokens: undefined,
    outputTokens: 1,
    reasoningTokens: undefined,
  }
  const warning = { code: 'prompt-read-short', message: 'It may have left out a part.' }
  const warned = entry({ type: 'usage', turn: 't', call: 'c', model: 'm', usage, finish: 'stop', warning })
  assert.equal(shown([delta('Hello'), message('Hello'), warned]), 'Hello\nIt may have left out a part.\n')
})

test('a capability adds a notice below the call of its tool, also on a narrow terminal', () => {
  const call = { turn: 't', call: 'c', toolCallId: '1' }
  const toolNotice = (tool: string, output: string) => (tool === 'propose' ? [`${output} waits for you.`] : [])
  const proposals = capability({ name: 'proposals', notices: { tool: toolNotice } })
  const events = [
    entry({ type: 'tool-start', ...call, toolName: 'propose', input: {} }),
    entry({ type: 'tool-end', ...call, ok: true, output: 'proposal_1', durationMs: 3 }),
  ]
  assert.equal(shown(events, true, [proposals]), '→ propose {}\nproposal_1 waits for you.\n')
})

test('a tool call takes one line however long its input is, and says why it failed', () => {
  const call = { turn: 't', call: 'c', toolCallId: '1' }
  const lines = shown([
    { id: '1.1', type: 'text-delta', turn: 't', call: 'b', text: 'Looking.' },
    entry({ type: 'tool-start', ...call, toolName: 'search', input: { query: 'a'.repeat(100) } }),
    entry({ type: 'tool-end', ...call, ok: false, output: 'no such page', durationMs: 3 }),
    message('Nothing found.'),
  ]).split('\n')
  assert.deepEqual(lines, [
    'Looking.',
    `→ search {"query":"${'a'.repeat(20)}…`,
    'failed: no such page',
    'Nothing found.',
    '',
  ])
})

test('a call that somebody had to allow is shown with the words that run', () => {
  const call = { turn: 't', call: 'c', toolCallId: '1' }
  const request = { tool: 'shell', input: { cmd: 'git log' }, argv: ['git', 'log'], folder: '/work' }
  const asked = entry({ type: 'approval-request', ...call, approval: 'a', rule: 'r', request, digest: 'd' })
  const decided = (decision: ApprovalDecision) =>
    entry({ type: 'approval', turn: 't', approval: 'a', toolCallId: '1', digest: 'd', decision, by: 'cli' })
  const started = entry({ type: 'tool-start', ...call, toolName: 'shell', input: request.input })
  const ended = (toolCallId: string, output: string) =>
    entry({ type: 'tool-end', ...call, toolCallId, ok: false, output, durationMs: 0 })
  const calls = entry({
    type: 'message',
    turn: 't',
    tokens,
    message: { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '2', toolName: 'nope', input: {} }] },
  })
  assert.equal(shown([asked, decided({ type: 'approve', scope: 'once' }), started]), '→ shell git log\n')
  assert.equal(
    shown([
      calls,
      asked,
      decided({ type: 'deny', reason: 'not now' }),
      ended('1', 'denied'),
      ended('2', 'no such tool'),
    ]),
    '✗ shell git log\ndenied: not now\n✗ nope {}\nrefused: no such tool\n',
  )
})

test('a model cannot steer the terminal', () => {
  assert.equal(shown([message('\u001B[2Jgone\u0007?')], true), String.raw`\u{1b}[2Jgone\u{7}?` + '\n')
  assert.equal(shown([message('\u001B[2J')], false), '\u001B[2J\n')
})
