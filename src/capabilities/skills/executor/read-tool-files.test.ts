import assert from 'node:assert/strict'
import test from 'node:test'
import { argvPlan } from './resolve-step.ts'
import { readToolFiles } from './tools-json.ts'

const parameters = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] }
const tool = { name: 'add_note', description: 'Adds a note.', parameters }
const entry = { tool: 'add_note', binary: 'notes', subcommand: 'add', args: [{ param: 'title' }] }
const whole = { tools: [tool], allowlist: { notes: ['add'] }, execution: [entry] }
const ENTRY =
  'tool, binary, subcommand, args, separator, paramCondition, condition, successExitCodes, postProcess, hintConditions, ' +
  'maxOutputLines, truncationHint, binaryWrapper, sideRead'
const ARGUMENT =
  'param, kind, flag, flagIfTrue, flagIfFalse, normalizeNewlines, resolveCommand, value, optional, absentDefault, split, ' +
  'disambiguateAfterSkippedPositionals, subcommandOverride, readPath, writePath, unsafePath, denyPattern, denyResolveCommand, denyAlwaysResolve'
const withArgument = (argument: object) => ({ ...whole, execution: [{ ...entry, args: [argument] }] })

function faults(text: string): readonly string[] {
  const read = readToolFiles({ 'tools.json': text })
  return read.type === 'invalid' ? read.faults.map(({ message }) => message) : []
}

test('a tools.json is taken as it was written', () => {
  const everything = {
    tools: [{ name: 'add_note', parameters: { required: ['title'], properties: {}, type: 'object', $comment: 'x' } }],
    allowlist: { notes: ['add', ''], '/usr/bin/find': [] },
    execution: [
      {
        tool: 'add_note',
        binary: 'notes',
        subcommand: '',
        separator: '--',
        args: [
          {
            param: 'a',
            kind: 'positional',
            normalizeNewlines: true,
            resolveCommand: { script: 'find', args: ['$param'] },
          },
          { param: 'b', kind: 'flag', flag: 'n', resolveCommand: { binary: 'notes', subcommand: 'add', args: [] } },
          { param: 'c', kind: 'flagifboolean', flagIfTrue: '--c', flagIfFalse: '' },
        ],
      },
    ],
  }
  const text = JSON.stringify(everything)
  const read = readToolFiles({ 'tools.json': `\uFEFF${text}\r\n` })
  assert.equal(read.type === 'tools' ? JSON.stringify(read.value) : read.faults, text)
})

test('a tools.json may be empty of tools', () => {
  assert.deepEqual(faults('{"tools":[],"allowlist":{},"execution":[]}'), [])
})

for (const [rule, value, expected] of [
  ['no object', 'x', ['the file: must be an object']],
  ['nothing in it', {}, ['tools: is missing', 'allowlist: is missing', 'execution: is missing']],
  [
    'an unknown field',
    { ...whole, version: 1 },
    ['version: unknown field (the fields are tools, allowlist, execution)'],
  ],
  [
    'an unknown field of a tool',
    { ...whole, tools: [{ ...tool, strict: true }] },
    ['tools[0].strict: unknown field (the fields are name, description, parameters)'],
  ],
  [
    'an unknown field of an entry',
    { ...whole, execution: [{ ...entry, shell: true }] },
    [`execution[0].shell: unknown field (the fields are ${ENTRY})`],
  ],
  [
    'two unknown fields of an argument',
    withArgument({ param: 'a', x: 1, y: 2 }),
    [
      `execution[0].args[0].x: unknown field (the fields are ${ARGUMENT})`,
      `execution[0].args[0].y: unknown field (the fields are ${ARGUMENT})`,
    ],
  ],
  [
    'an unknown field of a resolveCommand',
    withArgument({ param: 'a', resolveCommand: { script: 's', shell: 1 } }),
    ['execution[0].args[0].resolveCommand.shell: unknown field (the fields are script, binary, subcommand, args)'],
  ],
  [
    'a kind there is not',
    withArgument({ param: 'a', kind: 'option' }),
    ['execution[0].args[0].kind: must be one of positional, flag, flagifboolean, stdin, workingdir, tempfile, literal'],
  ],
  ['a parameter without a name', withArgument({ param: '' }), ['execution[0].args[0].param: is empty']],
  ['an argument without a parameter', withArgument({ kind: 'flag' }), ['execution[0].args[0].param: is missing']],
  ['a literal without a value', withArgument({ kind: 'literal' }), ['execution[0].args[0].value: is missing']],
  [
    'a hint that is always given',
    { ...whole, execution: [{ ...entry, hintConditions: [{ hint: 'x' }] }] },
    ['execution[0].hintConditions[0]: must have a condition: match, exitCode, notEmpty or whenArg'],
  ],
  [
    'a wish for no lines',
    { ...whole, execution: [{ ...entry, maxOutputLines: 0 }] },
    ['execution[0].maxOutputLines: must be 1 or more'],
  ],
  [
    'two entries for the same calls',
    {
      ...whole,
      execution: [
        { ...entry, paramCondition: { present: ['a', 'b'] } },
        { ...entry, paramCondition: { present: ['b', 'a'], absent: [] } },
      ],
    },
    ['execution[1].tool: add_note has an entry already'],
  ],
  [
    'an argument that is text',
    { ...whole, execution: [{ ...entry, args: ['title'] }] },
    ['execution[0].args[0]: must be an object'],
  ],
  [
    'an empty resolveCommand',
    withArgument({ param: 'a', resolveCommand: {} }),
    ['execution[0].args[0].resolveCommand: must have either script, or binary and subcommand'],
  ],
  [
    'a resolveCommand of both kinds',
    withArgument({ param: 'a', resolveCommand: { script: 's', binary: 'b', subcommand: 'c' } }),
    ['execution[0].args[0].resolveCommand: must have either script, or binary and subcommand'],
  ],
  [
    'a resolveCommand without its subcommand',
    withArgument({ param: 'a', resolveCommand: { binary: 'b' } }),
    ['execution[0].args[0].resolveCommand: must have either script, or binary and subcommand'],
  ],
  [
    'a resolveCommand for a flagifboolean',
    withArgument({ param: 'a', kind: 'flagifboolean', resolveCommand: { script: 's' } }),
    ['execution[0].args[0].resolveCommand: has no place on a flagifboolean, which puts no value on the command line'],
  ],
  [
    'another separator',
    { ...whole, execution: [{ ...entry, separator: '-' }] },
    ['execution[0].separator: must be "--"'],
  ],
  [
    'an entry without a subcommand',
    { ...whole, execution: [{ tool: 'add_note', binary: 'notes' }] },
    ['execution[0].subcommand: is missing'],
  ],
  ['an entry without a binary', { ...whole, execution: [{ ...entry, binary: '' }] }, ['execution[0].binary: is empty']],
  [
    'a binary in the folder that the tool works in',
    { ...whole, execution: [{ ...entry, binary: './notes' }] },
    ['execution[0].binary: must be the bare name of a program or an absolute path'],
  ],
  [
    'a binary with a NUL byte',
    { ...whole, execution: [{ ...entry, binary: 'a\0b' }] },
    ['execution[0].binary: has a NUL byte, which no program can receive'],
  ],
  ['an allowlist without lists', { ...whole, allowlist: { notes: 'add' } }, ['allowlist.notes: must be an array']],
  ['an allowlist that is a list', { ...whole, allowlist: ['notes'] }, ['allowlist: must be an object']],
  ['a subcommand that is a number', { ...whole, allowlist: { notes: [1] } }, ['allowlist.notes[0]: must be a string']],
  ['a tool without parameters', { ...whole, tools: [{ name: 'add_note' }] }, ['tools[0].parameters: is missing']],
  [
    'parameters that are no schema of an object',
    { ...whole, tools: [{ ...tool, parameters: { type: 'string' } }] },
    ['tools[0].parameters.type: must be "object": parameters are a JSON Schema of an object'],
  ],
  [
    'parameters without a type',
    { ...whole, tools: [{ ...tool, parameters: { properties: {} } }] },
    ['tools[0].parameters.type: is missing'],
  ],
  [
    'a property that is no schema',
    { ...whole, tools: [{ ...tool, parameters: { type: 'object', properties: { title: 'string' } } }] },
    ['tools[0].parameters.properties.title: must be a JSON Schema'],
  ],
  [
    'a name that no model takes',
    { ...whole, tools: [{ ...tool, name: 'add note' }] },
    ['tools[0].name: must be 1 to 64 letters, digits, "_" and "-"; providers accept no other names'],
  ],
  [
    'a tool that runs nothing',
    { ...whole, execution: [] },
    ['tools[0]: add_note has no entry in execution, so it runs nothing'],
  ],
  [
    'an entry of no tool',
    { ...whole, tools: [] },
    ['execution[0].tool: add_note is not declared (tools declares none)'],
  ],
  [
    'two entries of one tool',
    { ...whole, execution: [entry, entry] },
    ['execution[1].tool: add_note has an entry already'],
  ],
  ['a tool that is declared twice', { ...whole, tools: [tool, tool] }, ['tools[1].name: add_note is declared twice']],
] as const satisfies readonly (readonly [string, unknown, readonly string[]])[]) {
  test(`a tools.json is refused for ${rule}`, () => assert.deepEqual(faults(JSON.stringify(value)), expected))
}

for (const [rule, text, expected] of [
  ['no JSON', '{\n  "tools": [secret]\n}', ['it is no JSON: line 2, column 13 (InvalidSymbol)']],
  ['text that is nested without end', '['.repeat(200_000), ['it is no JSON']],
  [
    'fields that are nested without end',
    `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ['it is nested too deeply'],
  ],
  ['a comment', '{} // x', ['it is no JSON: line 1, column 4 (InvalidCommentToken)']],
  ['nothing at all', '', ['it is no JSON: line 1, column 1 (ValueExpected)']],
  [
    'a field that would change every object',
    '{"allowlist":{"__proto__":["add"]}}',
    ['no field may be named __proto__'],
  ],
] as const) {
  test(`a tools.json is refused for ${rule}`, () => assert.deepEqual(faults(text), expected))
}

const apart = (changes: object = {}) => ({
  'tools.json': JSON.stringify(whole.tools),
  'allowlist.json': JSON.stringify(whole.allowlist),
  'execution.json': JSON.stringify(whole.execution),
  ...changes,
})

test('three files say the same as one', () => {
  const read = readToolFiles(apart())
  assert.equal(read.type, 'tools')
  assert.partialDeepStrictEqual(read.value, whole)
})

test('in three files the words of a subcommand are arguments of their own, and allowed as they are written', () => {
  const execution = [{ ...entry, subcommand: 'note  add', args: [] }]
  const files = { 'allowlist.json': '{"notes": ["note  add"]}', 'execution.json': JSON.stringify(execution) }
  const read = readToolFiles(apart(files))
  assert.equal(read.type, 'tools')
  const [found] = read.value.execution
  assert.deepEqual(argvPlan(found!, read.value.allowlist, {}), ['notes', 'note', 'add'])
  assert.deepEqual(argvPlan(found!, { notes: ['note add'] }, {}), {
    ok: false,
    error: 'subcommand not allowlisted: notes note  add',
  })
})

for (const [rule, changes, expected] of [
  [
    'one of them is missing',
    { 'allowlist.json': undefined },
    ['allowlist.json: it is missing: a tools.json that is a list needs allowlist.json and execution.json'],
  ],
  [
    'one of them is no JSON',
    { 'execution.json': '[' },
    ['execution.json: it is no JSON: line 1, column 2 (CloseBracketExpected)'],
  ],
  [
    'an entry has an unknown field',
    { 'execution.json': JSON.stringify([{ ...entry, shell: {} }]) },
    [`execution.json: execution[0].shell: unknown field (the fields are ${ENTRY})`],
  ],
  ['the allowlist is a list', { 'allowlist.json': '[]' }, ['allowlist.json: allowlist: must be an object']],
  [
    'a tool runs nothing',
    { 'execution.json': '[]' },
    ['tools.json: tools[0]: add_note has no entry in execution, so it runs nothing'],
  ],
] as const) {
  test(`three files are refused where ${rule}, and the fault names the file`, () => {
    const read = readToolFiles(apart(changes))
    assert.equal(read.type, 'invalid')
    assert.deepEqual(
      read.faults.map(({ file, message }) => `${file}: ${message}`),
      expected,
    )
  })
}

test('files beside a tools.json that holds everything are not read, and that is said', () => {
  const read = readToolFiles({ 'tools.json': JSON.stringify(whole), 'allowlist.json': '{ broken' })
  assert.equal(read.type, 'tools')
  assert.deepEqual(read.notes, [
    { file: 'allowlist.json', message: 'Foreword does not read it, since tools.json has everything' },
  ])
})
