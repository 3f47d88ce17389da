import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptOf, emptyDraft } from '../web/src/chat/drafts.ts'
import {
  argumentCompletions,
  typedArgument,
  allCommands,
  completions,
  readLine,
  runsAtOnce,
} from '../web/src/chat/slash-commands.ts'

const list = {
  commands: [
    { name: 'model', argument: '[ID]', summary: 'set the model', shows: 'alone' },
    { name: 'undo', summary: 'undo' },
    { name: 'new', summary: 'of a capability' },
  ],
  scripts: [{ provider: 'rehearsal', words: ['say'] }],
} as const

test('a message that is sent again has the key of the first attempt for as long as it is the same', () => {
  const draft = { ...emptyDraft, text: 'hello', files: ['a'] }
  const attempt = attemptOf(draft, () => 'one')
  assert.deepEqual(attempt, { key: 'one', text: 'hello', files: ['a'] })
  const key = (change: object) => attemptOf({ ...draft, attempt, ...change }, () => 'two').key
  assert.equal(key({}), 'one')
  assert.equal(key({ text: 'hello!' }), 'two')
  assert.equal(key({ files: [] }), 'two')
})

test('a line is a command, a message, or a command that there is not', () => {
  const kind = (text: string, model?: string) => readLine(text, list, model).type
  assert.equal(kind('hello'), 'message')
  assert.equal(kind('/undo'), 'command')
  assert.equal(kind('/usr/bin is a path'), 'message')
  assert.equal(kind(' /undo'), 'message')
  assert.equal(kind('/undoo'), 'unknown')
  assert.equal(kind('/say hi', 'rehearsal'), 'message')
  assert.equal(kind('/say hi', 'rehearsal/small'), 'message')
  assert.equal(kind('/say hi', 'ollama/x'), 'unknown')
  const line = readLine('/model a/b \n', list, undefined)
  assert.deepEqual(line.type === 'command' && [line.command.name, line.argument], ['model', 'a/b'])
})

test('of two commands with one name that of the page counts', () => {
  const names = allCommands(list).map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
})

test('commands are completed while their name is typed, and not behind it', () => {
  const names = (text: string) => completions(text, list)?.map(({ name }) => name)
  assert.deepEqual(names('/mo'), ['model'])
  assert.equal(names('/model'), undefined)
  assert.equal(names('/model '), undefined)
  assert.equal(names('/zz'), undefined)
  assert.equal(names('mo'), undefined)
})

test('the argument of a command is completed by ids and names', () => {
  const options = [{ id: 'chai' }, { id: 'agent_1', name: 'Poet' }]
  const lines = (text: string) => argumentCompletions(typedArgument(text)!, options)?.map(({ name }) => name)
  assert.deepEqual(lines('/layout c'), ['layout chai'])
  assert.deepEqual(lines('/agent po'), ['agent agent_1'])
  assert.deepEqual(lines('/agent '), ['agent chai', 'agent agent_1'])
  assert.equal(lines('/layout chai'), undefined)
  assert.equal(typedArgument('/layout'), undefined)
  assert.equal(typedArgument('/new some words'), undefined)
})

test('a command that only shows something need not wait for a turn', () => {
  const [model, undo] = list.commands
  assert.equal(runsAtOnce(model, ''), true)
  assert.equal(runsAtOnce(model, 'a/b'), false)
  assert.equal(runsAtOnce(undo, ''), false)
})
