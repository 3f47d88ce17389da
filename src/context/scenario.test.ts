import assert from 'node:assert/strict'
import test from 'node:test'
import { o200k } from './o200k.ts'
import { scenarioCounterId, readScenarios, runScenario, ScenarioError, smallCounters } from './scenario.ts'

const current = { id: 't1', messages: [{ role: 'user', content: 'Hello' }] }
const least = { budget: { window: 100 }, current }

test('a scenario needs a budget and a current turn, and nothing else', () => {
  const result = runScenario(least)
  assert.ok('request' in result)
  assert.equal(result.name, 'scenario')
  assert.deepEqual(result.request, { tools: [], messages: [{ role: 'user', content: 'Hello' }] })
  assert.deepEqual([result.manifest.layout, result.manifest.counter.id], ['auto', 'tokenx'])
})

test('an overflow is a result that carries the account', () => {
  const result = runScenario({ ...least, name: 'too much', budget: { window: 3 }, counter: 'chars' })
  assert.ok('error' in result)
  assert.equal(result.name, 'too much')
  assert.equal(result.error.code, 'context-overflow')
  assert.match(result.error.message, /^What must be sent needs 5 tokens, and 3 are available/)
  assert.equal(result.manifest.used, 5)
})

test('given numbers serve the counter declared, where what is left out costs nothing; others count for themselves', () => {
  const layers = [
    { id: 'a', layer: 'soul', text: 'abcd', tokens: 7 },
    { id: 'b', layer: 'skills', text: 'abcd' },
  ]
  const used = (counter: string) => runScenario({ ...least, counter, layers }).manifest.used
  assert.deepEqual(['declared', 'chars', 'chars/4'].map(used), [7, 13, 4])
})

test('what a message says beyond role and content comes through, but for its tokens', () => {
  const options = { anthropic: { cacheControl: { type: 'ephemeral' } } }
  const message = { role: 'user', content: 'Hello', providerOptions: options, tokens: 4 }
  const result = runScenario({ ...least, current: { id: 't1', messages: [message] } })
  assert.ok('request' in result)
  assert.deepEqual(result.request.messages, [{ role: 'user', content: 'Hello', providerOptions: options }])
})

test('a counter with a table of its own is passed in', () => {
  assert.equal(scenarioCounterId({ counter: 'o200k' }), 'o200k')
  assert.equal(scenarioCounterId({}), undefined)
  assert.equal(scenarioCounterId(null), undefined)
  const result = runScenario({ ...least, counter: 'o200k' }, [...smallCounters, o200k])
  assert.equal(result.manifest.counter.id, 'o200k')
})

test('the manifest has the model, and the marks of an earlier call', () => {
  const history = [{ id: 't0', messages: [{ role: 'user', content: 'Before' }] }]
  const { manifest } = runScenario({ ...least, history, cut: { dropBefore: 't1' }, model: 'rehearsal' })
  assert.deepEqual([manifest.model, manifest.cut], ['rehearsal', { dropBefore: 't1' }])
})

/** What is wrong, and what the error says of it. */
const faults: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'not an object': [17, /^Scenario without a name is not valid:\n {2}\(whole\): /],
  'no current turn': [{ name: 'x', budget: { window: 1 } }, /^Scenario "x" is not valid:\n {2}current: /],
  'an unknown key': [{ ...least, windw: 1 }, /Unrecognized key: "windw"/],
  'a window below zero': [{ ...least, budget: { window: -1 } }, /budget\.window: /],
  'a role that is none': [
    { ...least, current: { id: 't1', messages: [{ role: 'system', content: '' }] } },
    /current\.messages\.0\.role: /,
  ],
  'neither text nor renditions': [
    { ...least, layers: [{ id: 'a', layer: 'soul' }] },
    /layers\.0: give either text or renditions/,
  ],
  'both text and renditions': [
    { ...least, layers: [{ id: 'a', layer: 'soul', text: 'x', renditions: [{ form: 'full', text: 'x' }] }] },
    /layers\.0: give either text or renditions/,
  ],
  'an unknown layout': [{ ...least, layout: 'onix' }, /layout: unknown layout "onix"; choose one of auto, chai/],
  'changes to an unknown layout': [{ ...least, layout: { extends: 'onix' } }, /layout: unknown layout "onix"/],
  'a misspelt priority in a layout': [
    { ...least, layout: { extends: 'auto', priorities: { skills: 'hihg' } } },
    /layout\.priorities\.skills: Invalid option: expected one of "required"/,
  ],
  'a layout that is a number': [{ ...least, layout: 7 }, /layout: Invalid input: expected string or object/],
  'a part without a type': [
    { ...least, current: { id: 't1', messages: [{ role: 'user', content: [{ text: 'x' }] }] } },
    /current\.messages\.0\.content\.0\.type: Invalid input: expected string/,
  ],
  'an unknown counter': [
    { ...least, counter: 'words' },
    /Unknown counter "words"\. Choose one of declared, chars, chars\/4, tokenx\./,
  ],
  'an unknown layer': [
    { ...least, layers: [{ id: 'a', layer: 'weather', text: 'x' }] },
    /Layer "a": the layout "auto" does not know the name "weather"/,
  ],
  'a layer twice': [
    {
      ...least,
      layers: [
        { id: 'a', layer: 'soul', text: 'x' },
        { id: 'a', layer: 'skills', text: 'x' },
      ],
    },
    /layers and attachments: "a" is used more than once; every id must be unique/,
  ],
  'a turn twice': [{ ...least, history: [current] }, /turns: "t1" is used more than once/],
  'a tool twice': [
    {
      ...least,
      tools: [
        { name: 's', inputSchema: {} },
        { name: 's', inputSchema: {} },
      ],
    },
    /tools: "s" is used more than once/,
  ],
}

for (const [name, [value, message]] of Object.entries(faults)) {
  test(`a scenario with a fault is refused with the place of it: ${name}`, () => {
    assert.throws(
      () => runScenario(value),
      (error) => error instanceof ScenarioError && error.problems.length > 0 && message.test(error.message),
    )
  })
}

test('every problem of a scenario is named at once', () => {
  assert.throws(
    () => runScenario({ ...least, layout: 'onix', history: [current] }),
    (error) => error instanceof ScenarioError && error.problems.length === 2,
  )
})

test('scenarios are read from one document, an array, or JSON Lines', () => {
  assert.deepEqual(readScenarios('{"a": 1}'), [{ a: 1 }])
  assert.deepEqual(readScenarios('{\n  "a": 1\n}\n'), [{ a: 1 }])
  assert.deepEqual(readScenarios('[{"a": 1}, {"a": 2}]'), [{ a: 1 }, { a: 2 }])
  assert.deepEqual(readScenarios('{"a": 1}\n\n{"a": 2}\r\n'), [{ a: 1 }, { a: 2 }])
  assert.deepEqual(readScenarios('[]'), [])
  assert.deepEqual(readScenarios('\uFEFF{"a": 1}'), [{ a: 1 }])
})

test('one document or an array may hold comments and a last comma', () => {
  assert.deepEqual(readScenarios('// why\n{\n  "a": 1, // because\n  /* b */ "b": [2,],\n}\n'), [{ a: 1, b: [2] }])
  assert.deepEqual(readScenarios('[{"a": 1}, // one\n{"a": 2},]'), [{ a: 1 }, { a: 2 }])
})

test('a text that is not JSON is an error with the line', () => {
  assert.throws(() => readScenarios(''), /it is neither JSON nor JSON Lines/)
  assert.throws(() => readScenarios('{"a": 1'), /it is neither JSON nor JSON Lines/)
  assert.throws(() => readScenarios('{\n"a": 1,\n'), /neither JSON nor JSON Lines: property name expected \(line 3\)/)
  assert.throws(() => readScenarios('{"a": 1}\n// a comment\n{"a": 2}\n'), /line 2 is not JSON/)
  assert.throws(() => readScenarios('{"a": 1}\n{"a": 2\n'), /line 2 is not JSON/)
})

test('the note on what was left out names the tool that reads it, by what it reads or by its own name', () => {
  const turn = (id: string) => ({ id, messages: [{ role: 'user', content: 'x'.repeat(200) }] })
  const note = (tool: object) => {
    const result = runScenario({
      ...least,
      budget: { window: 500 },
      counter: 'chars',
      history: ['a', 'b', 'c'].map(turn),
      tools: [{ inputSchema: {}, ...tool }],
    })
    assert.ok('request' in result)
    return /; (\w+) finds and reads them/.exec(JSON.stringify(result.request.messages))?.[1]
  }
  assert.equal(note({ name: 'look_back', reads: 'history' }), 'look_back')
  assert.equal(note({ name: 'read_history' }), 'read_history')
  assert.equal(note({ name: 'look_back' }), undefined)
  assert.equal(note({ name: 'read_history', reads: 'files' }), undefined)
})
