import assert from 'node:assert/strict'
import test from 'node:test'
import type { AccessRead } from './access.ts'
import { accessAnswer, commandAnswer, untrustedAnswer } from './access-answer.ts'
import { isWider } from './compare-access.ts'
import { accessText, narrowAccess } from './narrow-access.ts'
import { readAccess } from './read-access.ts'

/** The same numbers in every run. */
function chance(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const NAMES = ['read_file', 'read_url', 'read_*', 'edit_file', 'r*', '*', 'mail', 'sh*', 'read_result']
const PREFIXES = ['ls', 'git', 'git status', 'git status -s', 'find', "'"]
const PRESETS = ['git-read', 'search', 'node-test']
const PLACES = ['/srv/a', '/srv/b']

function anyPolicy(below: (most: number) => number): object {
  const one = <Value>(values: readonly Value[]): Value => values[below(values.length)]!
  const some = <Value>(values: readonly Value[]): readonly Value[] => values.filter(() => below(3) === 0)
  const maybe = (value: object): object => (below(2) === 0 ? {} : value)
  return {
    global: {
      ...maybe({ enabled: below(6) > 0 }),
      ...maybe({ afterUntrusted: one(['ask', 'refuse', 'deny', 'allow']) }),
      mode: one(['off', 'allowlist', 'full']),
      allowedTools: some(NAMES),
    },
    tools: {
      ...Object.fromEntries(
        some(NAMES).map((name) => [
          name,
          {
            ...maybe({ enabled: below(2) === 0 }),
            ...maybe({ approval: one(['ask', 'never']) }),
            ...maybe({ afterUntrusted: one(['ask', 'refuse', 'allow']) }),
          },
        ]),
      ),
      shell: {
        enabled: below(4) > 0,
        mode: one(['off', 'allowlist', 'full']),
        ...maybe({ approval: one(['ask', 'never']) }),
        ...maybe({ afterUntrusted: one(['ask', 'refuse', 'allow']) }),
        presets: some(PRESETS),
        allowedPrefixes: some(PREFIXES),
        allowAnyCwd: below(2) === 0,
      },
    },
    sandbox: {
      enabled: below(3) > 0,
      withoutIt: one(['ask', 'run', 'refuse']),
      network: some(['curl', 'git fetch']),
      readable: some(PLACES),
      writable: some(PLACES),
    },
  }
}

const TOOLS = [
  { name: 'read_file' },
  { name: 'read_url', approval: 'ask' as const },
  { name: 'edit_file' },
  { name: 'mail' },
  { name: 'other', approval: 'ask' as const },
  { name: 'shell' },
  { name: 'read_result', readsContext: true },
]
const COMMANDS = [
  'ls',
  'git',
  'git status',
  'git status -s .',
  'git push',
  'git --no-pager log',
  'find .',
  'npm test',
  'rm x',
]
const PAGE = { texts: [{ kind: 'web' as const, ref: 'https://a.example/' }], isNamed: () => false }

function afterPage(read: AccessRead, tool: (typeof TOOLS)[number]) {
  return untrustedAnswer(read.type === 'access' ? read.access : assert.fail(), tool, {}, PAGE)
}

const rank = ({ type }: { readonly type: string }): number => ['refuse', 'ask', 'allow'].indexOf(type)

test('what two policies both let through is never more than what each of them does, for thousands of pairs', () => {
  const below = chance(7)
  for (let round = 0; round < 3000; round += 1) {
    const texts = [anyPolicy(below), anyPolicy(below)].map((each) => JSON.stringify(each))
    const [one, other] = texts.map((text) => readAccess(text, {})) as [AccessRead, AccessRead]
    const both = narrowAccess(one, other)
    const say = texts.join('\n')
    for (const tool of TOOLS) {
      const [first, second] = [accessAnswer(one, tool), accessAnswer(other, tool)]
      assert.ok(rank(accessAnswer(both, tool)) <= Math.min(rank(first), rank(second)), `${tool.name}\n${say}`)
      const untrusted = [both, one, other].map((read) => rank(afterPage(read, tool))) as [number, number, number]
      assert.ok(untrusted[0] <= Math.min(untrusted[1], untrusted[2]), `${tool.name} after a page\n${say}`)
      // Nothing that both refuse nobody for is refused.
      if (rank(first) > 0 && rank(second) > 0) assert.ok(rank(accessAnswer(both, tool)) > 0, `${tool.name}\n${say}`)
    }
    for (const command of COMMANDS) {
      const least = Math.min(rank(commandAnswer(one, command)), rank(commandAnswer(other, command)))
      assert.ok(rank(commandAnswer(both, command)) <= least, `${command}\n${say}`)
    }
    assert.deepEqual([isWider(one, both), isWider(other, both)], [false, false], say)
    assert.ok(both.type === 'access')
    const again = readAccess(accessText(both.access), {})
    assert.deepEqual([isWider(both, again), isWider(again, both)], [false, false], say)
  }
})

test('a preset counts where both have it, or where prefixes of the other one allow all that it does', () => {
  const shell = (settings: object) => readAccess(JSON.stringify({ tools: { shell: settings } }), {})
  const both = (one: object, other: object) => {
    const read = narrowAccess(shell(one), shell(other))
    assert.ok(read.type === 'access')
    return [read.access.shell.presets, read.access.shell.allowedPrefixes]
  }
  assert.deepEqual(both({ presets: ['git-read', 'search'] }, { presets: ['search', 'node-test'] }), [['search'], []])
  assert.deepEqual(both({ allowedPrefixes: ['git'] }, { presets: ['git-read', 'search'] }), [['git-read'], []])
  assert.deepEqual(both({ allowedPrefixes: ['git log'] }, { presets: ['git-read'] }), [[], []])
  assert.deepEqual(both({ presets: ['git-read'] }, { mode: 'full' }), [['git-read'], []])
})

test('a policy narrowed by itself lets through the same', () => {
  const below = chance(11)
  for (let round = 0; round < 500; round += 1) {
    const text = JSON.stringify(anyPolicy(below))
    const read = readAccess(text, {})
    assert.equal(isWider(narrowAccess(read, read), read), false, text)
  }
})

test('a faulty policy narrows to nothing', () => {
  const [faulty, full] = [readAccess('{', {}), readAccess('{"global": {"mode": "full"}}', {})]
  assert.equal(narrowAccess(full, faulty).type, 'faulty')
  assert.equal(narrowAccess(faulty, full).type, 'faulty')
})

test('a reader of the session that is no longer disabled by name is wider, though no list names it', () => {
  const [off, on] = [readAccess('{"tools": {"read_result": {"enabled": false}}}', {}), readAccess('{}', {})]
  assert.deepEqual([isWider(off, on), isWider(on, off)], [true, false])
})
