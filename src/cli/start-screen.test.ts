import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import test from 'node:test'
import type { ModelFacts } from '../model.ts'
import { startScreen } from './start-screen.ts'

const facts: ModelFacts = {
  window: 32_768,
  maxOutput: 8192,
  tools: true,
  vision: false,
  reasoning: false,
  toolChoiceNone: true,
  source: 'configuration',
}

function windowLine(model: ModelFacts | undefined): string | undefined {
  const stream = new PassThrough()
  const screen = startScreen(
    {
      version: '1',
      address: 'http://127.0.0.1:1',
      model: { id: 'lab/x', why: 'configured as `model`', ...(model ? { facts: model } : {}) },
      home: 'home',
      recovered: 0,
      warnings: [],
    },
    { stdin: stream, stdout: stream, stderr: stream, environment: {} },
  )
  return screen.split('\n').find((line) => line.trim().startsWith('Window'))
}

test('the start screen shows the window and the longest answer, and which of them are assumed', () => {
  assert.equal(windowLine(facts), '  Window   32,768 tokens, answers of up to 8,192')
  assert.equal(
    windowLine({ ...facts, assumed: ['maxOutput', 'tools'] }),
    '  Window   32,768 tokens, answers of up to 8,192 (assumed)',
  )
  assert.equal(
    windowLine({ ...facts, window: 8192, maxOutput: 2048, assumed: ['window', 'maxOutput'] }),
    '  Window   8,192 tokens (assumed), answers of up to 2,048 (assumed); set a known size with `models.ID.window` in config.json',
  )
  assert.equal(windowLine(undefined), undefined)
})

test('the start screen has the lines of capabilities', () => {
  const stream = new PassThrough()
  const common = {
    version: '1',
    address: 'http://127.0.0.1:1',
    home: 'home',
    recovered: 0,
    warnings: [],
  }
  const linesOf = (skills?: string) =>
    startScreen(
      {
        ...common,
        model: { id: 'lab/x', why: 'configured' },
        lines: skills === undefined ? [] : [{ label: 'Skills', text: skills }],
      },
      { stdin: stream, stdout: stream, stderr: stream, environment: {} },
    ).split('\n')
  assert.equal(linesOf('All 3 skills in full.').includes('  Skills   All 3 skills in full.'), true)
  assert.equal(
    linesOf().some((line) => line.includes('Skills')),
    false,
  )
})

test('warnings on the start screen have local times', () => {
  const stream = new PassThrough()
  const screen = startScreen(
    {
      version: '1',
      address: 'http://127.0.0.1:1',
      model: { id: 'lab/x', why: 'configured as `model`' },
      home: 'home',
      recovered: 0,
      warnings: ['It holds until 2026-01-09T12:00:00.000Z.'],
    },
    { stdin: stream, stdout: stream, stderr: stream, environment: {} },
  )
  assert.match(screen, /It holds until 2026-01-09 \d\d:\d\d (?:UTC|[+-]\d\d:\d\d)\./)
})
