import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { commonOptions } from '../src/cli/arguments.ts'
import { allCommands, loadedCommands } from '../src/cli/commands.ts'
import { builtIn } from '../src/foreword.ts'
import { run } from './cli/recorded-io.ts'

const commands = allCommands({ capabilities: builtIn })
const names = Object.keys(commands)
const listed = (await loadedCommands({ capabilities: builtIn })).filter(({ movedTo }) => movedTo === undefined)
const root = join(import.meta.dirname, '..')

test('--version says which version this is', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const word of ['--version', '-v', 'version']) {
    assert.deepEqual(await run([word]), { code: 0, stdout: `${version}\n`, stderr: '' })
  }
})

test('--help lists every command with a line of its own', async () => {
  for (const words of [[], ['--help'], ['-h'], ['help']]) {
    const { code, stdout } = await run(words)
    assert.equal(code, 0)
    for (const { name } of listed) assert.match(stdout, new RegExp(`^ {2}${name} +\\w`, 'm'))
  }
})

for (const name of names) {
  test(`${name} --help shows how to write it and every option`, async () => {
    const command = await commands[name]!({ capabilities: builtIn })
    assert.equal(command.name, name)
    for (const words of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
    ]) {
      const { code, stdout } = await run(words)
      assert.equal(code, 0)
      const joined = stdout.replaceAll(/\n {6,}/g, ' ')
      for (const usage of command.usage) assert.ok(joined.includes(`  foreword ${usage}\n`), usage)
      for (const { summary } of Object.values(command.options)) assert.ok(joined.includes(summary), summary)
      for (const option of Object.keys({ ...command.options, ...commonOptions })) {
        assert.match(stdout, new RegExp(`^ {2}--${option} `, 'm'))
      }
    }
    const narrow = (await run([name, '--help'], { terminal: true, columns: 80 })).stdout
    const [, ...lines] = stripVTControlCharacters(narrow).split('\n')
    // A command that is to be copied stays in one piece.
    for (const line of lines) assert.ok(line.length <= 80 || /`|^ {2}\//.test(line), line)
  })
}

test('a command or option that was mistyped is answered with the nearest one', async () => {
  assert.deepEqual(await run(['sned', 'x']), {
    code: 2,
    stdout: '',
    stderr: 'foreword: Unknown command "sned".\n  Did you mean `foreword send`?\n',
  })
  assert.match((await run(['setup'])).stderr, /Unknown command "setup"\.\n {2}Use `foreword start`\.$/m)
  assert.deepEqual(await run(['send', 'x', '--sesion', '1']), {
    code: 2,
    stdout: '',
    stderr: 'foreword send: Unknown option --sesion.\n  Did you mean --session?\n',
  })
  assert.match((await run(['sessions', 'lst'])).stderr, /Did you mean `foreword sessions list`\?/)
})

test('an option without its value, a switch with one, and a word too many or too few are refused', async () => {
  for (const words of [
    ['send', 'x', '--session'],
    ['send', 'x', '--session', '--json'],
    ['send', 'x', '--json=yes'],
    ['send'],
    ['models', 'x'],
    ['diff', 'c1'],
    ['sessions', 'show'],
    ['sessions', 'list', 'x'],
    ['sessions', 'list', '--limit', 'many'],
    ['--json', 'models'],
  ]) {
    assert.equal((await run(words)).code, 2, words.join(' '))
  }
})

test('names that every object has are no commands and no options', async () => {
  assert.equal((await run(['constructor'])).code, 2)
  assert.equal((await run(['models', '--toString'])).code, 2)
})

test('with --json a failure is JSON as well', async () => {
  const { code, stdout } = await run(['diff', 'c1', '--json'])
  assert.equal(code, 2)
  assert.deepEqual(Object.keys(JSON.parse(stdout).error), ['code', 'message', 'hint'])
})

test('colours are for terminals, and not with NO_COLOR', async () => {
  const escape = '\u001B['
  assert.ok((await run(['--help'], { terminal: true })).stdout.includes(escape))
  assert.ok(!(await run(['--help'])).stdout.includes(escape))
  assert.ok(!(await run(['--help'], { terminal: true, environment: { NO_COLOR: '1' } })).stdout.includes(escape))
})

test('a trace is shown to those who ask for it', async () => {
  const quiet = await run(['assemble', '/nowhere/x.json'])
  assert.doesNotMatch(quiet.stderr, /^ +at /m)
  const debug = await run(['assemble', '/nowhere/x.json'], { environment: { FOREWORD_DEBUG: '1' } })
  assert.match(debug.stderr, /^ +at /m)
})

test('the guide explains every command and every option of it', async () => {
  const guide = readFileSync(join(root, 'docs', 'guide', 'command-line.md'), 'utf8')
  const sections = new Map(guide.split(/^## /m).map((section) => [section.split('\n', 1)[0], section] as const))
  for (const name of names) {
    const section = sections.get(name)
    assert.ok(section, `the guide has no section on ${name}`)
    const { options } = await commands[name]!({ capabilities: builtIn })
    for (const option of Object.keys(options)) assert.ok(section.includes(`--${option}`), `${name} --${option}`)
  }
})
