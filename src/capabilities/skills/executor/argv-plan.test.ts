import assert from 'node:assert/strict'
import test from 'node:test'
import { argvPlan, type Resolved } from './resolve-step.ts'
import type { Allowlist, Argument, Execution } from './tools-json.ts'

const allowlist: Allowlist = { notes: ['add'], plain: [''], busy: ['a', 'a b'] }
const notes = (args: readonly Argument[], separator?: '--'): Execution => ({
  tool: 'add_note',
  binary: 'notes',
  subcommand: 'add',
  args,
  ...(separator && { separator }),
})
const title: Argument = { param: 'title' }
const body: Argument = { param: 'body', kind: 'flag' }
const force: Argument = { param: 'force', kind: 'flagifboolean', flagIfTrue: '--force', flagIfFalse: '--no-force' }
const lines: Argument = { param: 'title', normalizeNewlines: true }
const found: Argument = { param: 'title', resolveCommand: { script: 'find' } }

/** The arguments after binary and subcommand, or why there are none. */
function planned(execution: Execution, input: unknown, resolved?: Resolved): readonly string[] | string {
  const plan = argvPlan(execution, allowlist, input, resolved)
  return 'error' in plan ? plan.error : plan.slice(2)
}

for (const [rule, args, input, expected] of [
  ['a string is no object', [title], 'x', 'arguments must be an object'],
  ['an array is no object', [title], ['x'], 'arguments must be an object'],
  ['null is no object', [title], null, 'arguments must be an object'],
  ['nothing is no object', [title], undefined, 'arguments must be an object'],
  ['no arguments are no words', [], {}, []],
  [
    'an undeclared parameter is refused',
    [title],
    { title: 'a', colour: 1 },
    'unknown parameter colour: the tool takes title',
  ],
  ['a parameter of a tool without any is refused', [], { a: 1 }, 'unknown parameter a: the tool takes none'],
  [
    'a parameter named __proto__ is refused',
    [],
    JSON.parse('{"__proto__":1}'),
    'unknown parameter __proto__: the tool takes none',
  ],
  ['a positional', [title], { title: 'milk' }, ['milk']],
  ['a positional is missing', [title], {}, 'missing parameter: title'],
  ['an inherited name is no parameter', [{ param: 'toString' }], {}, 'missing parameter: toString'],
  ['a positional is null', [title], { title: null }, 'parameter title must be a string, number, or boolean'],
  ['a positional is an array', [title], { title: ['a'] }, 'parameter title must be a string, number, or boolean'],
  ['a positional is an object', [title], { title: {} }, 'parameter title must be a string, number, or boolean'],
  ['an empty positional is an empty argument', [title], { title: '' }, ['']],
  [
    'a positional that starts with - is refused',
    [title],
    { title: '-rf' },
    'parameter title starts with "-", which the program would take for a flag',
  ],
  [
    'a lone dash is refused',
    [title],
    { title: '-' },
    'parameter title starts with "-", which the program would take for a flag',
  ],
  [
    '-- is refused',
    [title],
    { title: '--' },
    'parameter title starts with "-", which the program would take for a flag',
  ],
  [
    'a negative number is refused too',
    [title],
    { title: -1 },
    'parameter title starts with "-", which the program would take for a flag',
  ],
  ['a dash further on is text', [title], { title: ' -a' }, [' -a']],
  ['a dash of another kind is text', [title], { title: '\u2212a\u2013b' }, ['\u2212a\u2013b']],
  ['a number is decimal text', [title], { title: 42 }, ['42']],
  ['zero without its sign', [title], { title: -0 }, ['0']],
  ['a fraction', [title], { title: 0.5 }, ['0.5']],
  ['a large number has all its digits', [title], { title: 1e21 }, ['1000000000000000000000']],
  ['a small number has all its digits', [body], { body: -1.5e-7 }, ['--body', '-0.00000015']],
  ['true', [title], { title: true }, ['true']],
  ['false', [title], { title: false }, ['false']],
  ['a flag is two entries', [body], { body: 'a b' }, ['--body', 'a b']],
  ['a flag that is missing is skipped', [body], {}, []],
  ['a flag that is null is skipped', [body], { body: null }, []],
  ['a flag that is false is said', [body], { body: false }, ['--body', 'false']],
  ['a flag that is an array', [body], { body: [] }, 'parameter body must be a string, number, or boolean'],
  ['a flag with a name of its own', [{ ...body, flag: 'text' }], { body: 'a' }, ['--text', 'a']],
  ['a flag with a dash within', [{ ...body, flag: 'dry-run' }], { body: 1 }, ['--dry-run', '1']],
  ['a flag of one letter', [{ ...body, flag: 'n' }], { body: 'a' }, ['-n', 'a']],
  ['a parameter of one letter', [{ param: 'n', kind: 'flag' }], { n: 3 }, ['-n', '3']],
  ['a flag with dashes is used as it is', [{ ...body, flag: '-text' }], { body: 'a' }, ['-text', 'a']],
  ['a value of a flag may start with a dash', [body], { body: '-a' }, ['--body', '-a']],
  ['flagifboolean: true', [force], { force: true }, ['--force']],
  ['flagifboolean: "true"', [force], { force: 'true' }, ['--force']],
  ['flagifboolean: "TRUE"', [force], { force: 'TRUE' }, ['--force']],
  ['flagifboolean: 1', [force], { force: 1 }, ['--force']],
  ['flagifboolean: -2', [force], { force: -2 }, ['--force']],
  ['flagifboolean: 0', [force], { force: 0 }, ['--no-force']],
  ['flagifboolean: 0.5', [force], { force: 0.5 }, ['--no-force']],
  ['flagifboolean: false', [force], { force: false }, ['--no-force']],
  ['flagifboolean: "false"', [force], { force: 'false' }, ['--no-force']],
  ['flagifboolean: "1"', [force], { force: '1' }, ['--no-force']],
  ['flagifboolean: "yes"', [force], { force: 'yes' }, ['--no-force']],
  ['flagifboolean: null', [force], { force: null }, ['--no-force']],
  ['flagifboolean: an object', [force], { force: {} }, ['--no-force']],
  ['flagifboolean: missing', [force], {}, ['--no-force']],
  ['flagifboolean without flagIfTrue', [{ param: 'force', kind: 'flagifboolean' }], { force: true }, []],
  ['flagifboolean without flagIfFalse', [{ param: 'force', kind: 'flagifboolean' }], {}, []],
  ['normalizeNewlines', [lines], { title: 'a\\nb\\tc' }, ['a\nb\tc']],
  ['normalizeNewlines leaves other sequences', [lines], { title: 'a\\rb\\' }, ['a\\rb\\']],
  ['without normalizeNewlines nothing changes', [title], { title: 'a\\nb' }, ['a\\nb']],
  [
    'arguments stand in declared order',
    [force, title, body, { param: 'last' }],
    { last: 4, body: 3, title: 2, force: 1 },
    ['--force', '2', '--body', '3', '4'],
  ],
  [
    'a parameter may stand in two places',
    [title, { param: 'title', kind: 'flag' }],
    { title: 'a' },
    ['a', '--title', 'a'],
  ],
  ['a NUL byte', [title], { title: 'a\0b' }, 'parameter title holds a NUL byte, which no program can be given'],
  ['a NUL byte in a flag', [body], { body: '\0' }, 'parameter body holds a NUL byte, which no program can be given'],
  [
    'half a character',
    [title],
    { title: '\uD800' },
    'parameter title holds half a character (a lone surrogate), which no program can be given',
  ],
  [
    'what a shell would read is text',
    [title],
    { title: '$HOME `id` $(id); rm * && "\'\n| > é 漢 👍🏽' },
    ['$HOME `id` $(id); rm * && "\'\n| > é 漢 👍🏽'],
  ],
] as const satisfies readonly (readonly [string, readonly Argument[], unknown, readonly string[] | string])[]) {
  test(`argv: ${rule}`, () => assert.deepEqual(planned(notes(args), input), expected))
}

for (const [rule, args, input, expected] of [
  ['stands before a positional', [title], { title: 'a' }, ['--', 'a']],
  ['lets a positional start with -', [title], { title: '-rf' }, ['--', '-rf']],
  ['stands once before all positionals', [title, { param: 'more' }], { title: '-a', more: -1 }, ['--', '-a', '-1']],
  [
    'stands behind all flags, which would be none otherwise',
    [title, body, force],
    { title: '-a', body: 'b' },
    ['--body', 'b', '--no-force', '--', '-a'],
  ],
  ['is left out where there is no positional', [body], { body: 'b' }, ['--body', 'b']],
  [
    'lets no NUL byte through',
    [title],
    { title: '-\0' },
    'parameter title holds a NUL byte, which no program can be given',
  ],
] as const satisfies readonly (readonly [string, readonly Argument[], unknown, readonly string[] | string])[]) {
  test(`a separator ${rule}`, () => assert.deepEqual(planned(notes(args, '--'), input), expected))
}

for (const [rule, execution, resolved, expected] of [
  ['stands in the place of the value', notes([title, found]), [undefined, '17'], ['milk', '17']],
  [
    'is checked like a value',
    notes([found]),
    ['-17'],
    'the answer to the resolveCommand of title starts with "-", which the program would take for a flag',
  ],
  ['may start with - behind a separator', notes([found], '--'), ['-17'], ['--', '-17']],
  ['may start with - as the value of a flag', notes([{ ...found, kind: 'flag' }]), ['-17'], ['--title', '-17']],
  [
    'holds no NUL byte',
    notes([found]),
    ['\0'],
    'the answer to the resolveCommand of title holds a NUL byte, which no program can be given',
  ],
] as const satisfies readonly (readonly [string, Execution, Resolved, readonly string[] | string])[]) {
  test(`what a resolveCommand answered ${rule}`, () =>
    assert.deepEqual(planned(execution, { title: 'milk' }, resolved), expected))
}

for (const [rule, binary, subcommand, expected] of [
  ['a pair of the allowlist runs', 'notes', 'add', ['notes', 'add']],
  ['a subcommand is one argument', 'busy', 'a b', ['busy', 'a b']],
  ['an empty subcommand adds none', 'plain', '', ['plain']],
  ['an empty subcommand has to be allowed as well', 'notes', '', 'subcommand not allowlisted: notes'],
  ['another binary', 'rm', 'add', 'binary not allowlisted: rm'],
  ['another subcommand', 'notes', 'remove', 'subcommand not allowlisted: notes remove'],
  ['the subcommand of another binary', 'plain', 'add', 'subcommand not allowlisted: plain add'],
  ['another case', 'Notes', 'add', 'binary not allowlisted: Notes'],
  ['a longer subcommand', 'notes', 'add x', 'subcommand not allowlisted: notes add x'],
  ['a letter that looks alike', 'n\u043Etes', 'add', 'binary not allowlisted: n\u043Etes'],
  ['a path to the same name', '/bin/notes', 'add', 'binary not allowlisted: /bin/notes'],
  ['a name that every object has', 'constructor', 'add', 'binary not allowlisted: constructor'],
] as const) {
  test(`allowlist: ${rule}`, () => {
    const plan = argvPlan({ tool: 't', binary, subcommand }, allowlist, {})
    assert.deepEqual('error' in plan ? plan.error : plan, expected)
  })
}
