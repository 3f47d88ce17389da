import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { builtIn } from '../src/foreword.ts'
import { chatCommands } from '../src/capabilities/telegram/commands.ts'
import { readArguments } from '../src/cli/arguments.ts'
import { allCommands } from '../src/cli/commands.ts'
import type { Command } from '../src/capability.ts'
import { configurationSchema, configurationWarnings, loadConfiguration } from '../src/runtime.ts'
import { type KeySchema, schemaAt } from '../src/runtime/configuration/key.ts'
import { scriptedConnection } from './cli/scripted-connection.ts'
import { run } from './cli/recorded-io.ts'
import { runPages } from './guide/run-pages.ts'
import { inlineIn, type Page, pages, type Shown, shownIn, tableBelow } from './guide/page.ts'
import { scriptedRuntime } from './server/scripted-runtime.ts'
import { served } from './server/served.ts'

/*
 * What the pages say of commands, options, endpoints, keys and variables is so, and what they show runs. A failure says
 * the page and its line: correct the page, or the code.
 */

const all = pages()
const root = join(import.meta.dirname, '..')
const policyFile = join(root, 'schema', 'tool-access.schema.json')
const page = (name: string) => all.find((each) => each.name.endsWith(name))!

const commands = allCommands({ capabilities: builtIn })

test('every promise of the security page has a number and is held by tests that are there', () => {
  const [, text = ''] = readFileSync(join(root, 'SECURITY.md'), 'utf8').split('## What Foreword protects')
  const promises = text
    .split('## ')[0]!
    .split(/^- (?=\*\*)/m)
    .slice(1)
  assert.ok(promises.length > 10)
  for (const [index, promise] of promises.entries()) {
    assert.match(promise, new RegExp(`^\\*\\*P${String(index + 1).padStart(2, '0')}\\. `))
    const [, held = ''] = promise.split('<summary>Held by ')
    const tests = [...held.matchAll(/\[([^\]]+)\]\((\S+)\)/g)]
    assert.ok(tests.length > 0, promise.slice(0, 60))
    assert.ok(held.startsWith(tests.length === 1 ? 'one test<' : `${tests.length} tests<`), promise.slice(0, 60))
    for (const [, title = '', file = ''] of tests) {
      const source = readFileSync(join(root, file), 'utf8')
      assert.ok(
        ["'", '"', '`'].some((quote) => source.includes(quote + title + quote)),
        `${file} has the test: ${title}`,
      )
    }
  }
})

test('every command in the pages is one, with options and subcommands that it has', async () => {
  const faults: string[] = []
  const written = all.flatMap((each) => [...shownIn(each, BEGIN), ...inlineIn(each, BEGIN)])
  assert.ok(written.length > 200)
  for (const shown of written) {
    const fault = await faultOf(shown)
    if (fault !== undefined) faults.push(`${shown.place}: \`${shown.text}\`: ${fault}`)
  }
  assert.deepEqual(faults, [])
})

const BEGIN = /^(?:npm run (?:--silent )?foreword -- |foreword )\S/

/** What the program says of itself, and is no command. */
const NO_COMMANDS = ['needs Node 24 or newer']

async function faultOf({ words }: Shown): Promise<string | undefined> {
  const own = words.slice(words[0] === 'foreword' ? 1 : words.indexOf('--') + 1)
  const end = own.findIndex((word) => /^[|<>;&]/.test(word))
  // In a line of usage, brackets stand around what may be left out, and dots behind what may be repeated.
  const args = (end === -1 ? own : own.slice(0, end))
    .map((word) => (word === '' ? word : word.replaceAll(/[[\]]|…$|\.\.\.$/g, '') || '|'))
    .filter((word) => word !== '|')
  const [name = '', ...rest] = args
  if (/^[A-Z-]/.test(name) || NO_COMMANDS.includes(own.join(' '))) return undefined
  if (!Object.hasOwn(commands, name)) return `there is no command ${name}`
  const command = await commands[name]!({ capabilities: builtIn })
  try {
    // With `--help`, how many words there are is not looked at: a page may name a command alone.
    const call = readArguments(command, [...rest, '--help'], { environment: {} } as never)
    return subcommandFault(command, call.words[0])
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function subcommandFault({ name, usage }: Command, word: string | undefined): string | undefined {
  const seconds = usage.map((line) => line.split(' ')[1] ?? '')
  const known = seconds.flatMap((second) => /^\[?([a-z]+)\]?$/.exec(second)?.[1] ?? [])
  const takesOthers = seconds.some((second) => /^\[?[A-Z]/.test(second))
  if (word === undefined || !/^[a-z]+$/.test(word) || known.includes(word) || takesOthers) return undefined
  return known.length === 0 ? undefined : `\`foreword ${name}\` cannot \`${word}\``
}

test('the page of the command line has every command and every option of it, and no others', async () => {
  const { text, name } = page('command-line.md')
  const sections = new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.split('\n', 1)[0]!, part]),
  )
  assert.deepEqual(
    [...sections.keys()].toSorted(),
    Object.keys(commands).toSorted(),
    `${name}: a section for each command`,
  )
  for (const [command, section] of sections) {
    const { options } = await commands[command]!({ capabilities: builtIn })
    for (const option of Object.keys(options)) {
      assert.ok(
        section.includes(`--${option}`) || option === 'json',
        `${name}: ${command} does not say what --${option} is`,
      )
    }
    // Behind the name of another command stands an option of that one.
    for (const [, option] of section.matchAll(/^- `--([a-z-]+)/gm)) {
      assert.ok(
        Object.hasOwn(options, option!) || option === 'home',
        `${name}: \`foreword ${command}\` has no --${option}`,
      )
    }
  }
})

test('every slash command of a page is one, and the pages have them all', async () => {
  const { stdout } = await run(['chat'], { input: '/help\n/quit\n', connection: scriptedConnection({}) })
  const known = [...stdout.matchAll(/^ {2}(\/[a-z]+)|\(also (\/[a-z]+)\)/gm)].map(([, word, other]) => word ?? other!)
  assert.ok(known.length > 5, stdout)
  const chat = page('command-line.md')
    .text.split(/^## /m)
    .find((part) => part.startsWith('chat\n'))!
  const named = new Set([...chat.matchAll(/`(\/[a-z]+)[ `]/g)].map(([, word]) => word!))
  assert.deepEqual([...named].toSorted(), known.toSorted(), 'docs/guide/command-line.md: the commands in the chat')
  assert.deepEqual(
    tableBelow(page('telegram.md'), 'Commands')
      .map(([cell]) => /`\/([a-z]+)/.exec(cell!)?.[1])
      .toSorted((one, other) => String(one).localeCompare(String(other))),
    chatCommands(Object.assign({}, ...builtIn.map(({ sessions }) => sessions?.choices ?? {})))
      .map(({ name }) => name)
      .toSorted(),
    'docs/guide/telegram.md: the table of commands',
  )
})

test('exit codes are those that the page says', async () => {
  const line = /\*\*Exit codes\.\*\* (.*)\n/.exec(page('command-line.md').text)![1]!
  assert.deepEqual(
    [...line.matchAll(/`(\d+)`/g)].map(([, code]) => Number(code)),
    [0, 1, 2, 3, 4, 130],
  )
  const codes = await Promise.all(
    [['--version'], ['check', '/no/such/folder'], ['send', '--nope']].map((argv) => run(argv)),
  )
  assert.deepEqual(
    codes.map(({ code }) => code),
    [0, 1, 2],
  )
})

test('every address in the pages is an endpoint of the gateway', async () => {
  const { paths } = await served(scriptedRuntime()).json<{ paths: Record<string, Record<string, unknown>> }>(
    '/api/openapi.json',
  )
  const known = [...Object.keys(paths), '/mcp', '/channels/telegram'].map(
    (path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  )
  const methods = /^(?:(GET|POST|PUT|PATCH|DELETE) )?(\/(?:api|v1|mcp|health|channels)(?:\/[^\s?`]*)?)(?:\?\S*)?$/
  const faults = all.flatMap((each) =>
    inlineIn(each, methods).flatMap(({ place, text }) => {
      const [, method, path] = methods.exec(text)!
      const fits = Object.entries(paths)
        .toSorted(([one], [other]) => Number(other === path) - Number(one === path))
        .find(([pattern]) => new RegExp(`^${pattern.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(path!))
      if (fits && method !== undefined) return Object.hasOwn(fits[1], method.toLowerCase()) ? [] : [`${place}: ${text}`]
      return known.some((pattern) => pattern.test(path!)) || path === '/v1' ? [] : [`${place}: ${text}`]
    }),
  )
  assert.deepEqual(faults, [], 'no such endpoint')
})

test('every link from one page to another leads to a page and to a heading of it', () => {
  const faults = all.flatMap(({ name, text }) =>
    [...text.matchAll(/\]\(([^)\s:]*\.md)?(?:#([^)\s]+))?\)/g)].flatMap(([link, path, anchor]) => {
      const file = path === undefined ? join(root, name) : join(root, dirname(name), path)
      if (!existsSync(file)) return [`${name}: ${link}`]
      return anchor === undefined || anchors(readFileSync(file, 'utf8')).has(anchor) ? [] : [`${name}: ${link}`]
    }),
  )
  assert.deepEqual(faults, [], 'there is no such page or heading')
})

/** Of the headings of a page, as GitHub makes them. */
function anchors(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  )
}

test('every configuration in the pages is read, and nothing in it is unknown', async () => {
  const shown = all.flatMap((each) => each.blocks.map((block) => ({ each, block })))
  let count = 0
  for (const { each, block } of shown.filter(({ block: { info } }) => /^jsonc?$/.test(info))) {
    const text = configurationIn(block.lines.join('\n'))
    if (text === undefined) continue
    count += 1
    const read = () => Promise.resolve({ type: 'text' as const, text })
    const environment = {
      GEMINI_API_KEY: 'set',
      LITELLM_API_KEY: 'set',
      OPENID_SECRET: 'set',
      OPENROUTER_API_KEY: 'set',
      TELEGRAM_BOT_TOKEN: 'set',
    }
    const loaded = await loadConfiguration({ home: '/no/such/home', capabilities: builtIn, environment, read })
    const odd = await configurationWarnings(loaded, environment)
    assert.deepEqual([...loaded.problems, ...odd], [], `${each.name}:${block.line}`)
  }
  assert.ok(count >= 8, `${count} configurations`)
})

/** A layout alone stands for the whole configuration around it. Other JSON is a file of something else. */
function configurationIn(block: string): string | undefined {
  if (/^\{\s*"extends"/.test(block)) {
    return `{"plugins": ["./weather.ts"], "context": {"layout": ${block}}}`
  }
  return /^\{\s*"(?:providers|models|gateway|context|agent|skills|search|web|subjects|channels|mcp|plugins|budgets|through|telemetry|schedules|responses)"/.test(
    block,
  )
    ? block
    : undefined
}

test('every key in a table of a page is a key of the configuration', () => {
  const policy = JSON.parse(readFileSync(policyFile, 'utf8')) as KeySchema
  const { json, plainKeys } = configurationSchema(builtIn)
  const ends = plainKeys.map(({ path }) => `.${path.join('.')}`)
  const isKey = (key: string) =>
    schemaAt(key.split('.'), json) ?? schemaAt(key.split('.'), policy) ?? ends.find((end) => end.includes(`.${key}`))
  const faults = all.flatMap(({ name, text }) => {
    const tables = text.split(/\n(?!\|)/).filter((part) => /^\|\s*key\s*\|/m.test(part))
    const keys = tables.flatMap((table) => [...table.matchAll(/^\| `([A-Za-z.]+)`/gm)].map(([, key]) => key!))
    return keys.filter((key) => !isKey(key)).map((key) => `${name}: there is no key ${key}`)
  })
  assert.deepEqual(faults, [])
})

test('every variable of Foreword that a page names sets something', async () => {
  const names = new Set(all.flatMap(({ text }) => [...text.matchAll(/\bFOREWORD_[A-Z_]+/g)].map(([name]) => name)))
  assert.ok(names.size > 3)
  const environment = Object.fromEntries([...names].map((name) => [name, '1']))
  const loaded = await loadConfiguration({ home: '/no/such/home', capabilities: builtIn, environment: {} })
  const unknown = await configurationWarnings(loaded, environment)
  assert.deepEqual(
    unknown.map(
      ({ place, hint }: { place: string; hint: string }) => `${placeOf(place)}: ${place} sets nothing. ${hint}`,
    ),
    [],
  )
})

function placeOf(name: string): string {
  const found: Page = all.find(({ text }) => text.includes(name))!
  return `${found.name}:${found.text.slice(0, found.text.indexOf(name)).split('\n').length}`
}

test('every command and every curl line that a page shows does what it says', async (t) => {
  assert.deepEqual(await runPages(t), [], 'correct the page or the code, or name the line in `notRun` with a reason')
})
