import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import test from 'node:test'
import { layouts, usualLayout } from '../src/context.ts'
import { builtInNames } from '../src/capabilities/tool-names.ts'
import { folderCircles } from '../scripts/counts/circles.ts'
import { importsOf } from './house/imports.ts'
import {
  capabilityFaults,
  circles,
  clockFaults,
  dialectFaults,
  type EntryPoint,
  environmentFaults,
  exportFaults,
  habitFaults,
  layoutNameFaults,
  longFiles,
  namedCapabilities,
  productFaults,
  purityFaults,
  roomFaults,
  type Sources,
  twiceDefined,
  typeCircles,
} from './house/rules.ts'

const root = join(import.meta.dirname, '..')
const exported = (
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, EntryPoint> }
).exports
const house = sourcesOf('src')
const entryPoints = entryPointsOf(exported, house)

for (const [rule, faults] of [
  ['rooms import downwards only and through entry points', () => roomFaults(house, entryPoints)],
  ['capabilities do not import each other', () => capabilityFaults(house)],
  ['no circle is closed by types alone', () => typeCircles(house)],
  ['no name is defined twice', () => twiceDefined(house)],
  ['nothing below a capability names it', () => namedCapabilities(house)],
  ['the context room knows no feature of the product', () => productFaults(house, builtInNames)],
  ['names, comments and texts use the words of the field', () => dialectFaults(house)],
] as const) {
  test(rule, () => assert.deepEqual([...new Set(faults())], []))
}

test('no file has more than 400 lines', () => {
  assert.deepEqual(longFiles(house), [])
  assert.deepEqual(longFiles(new Map([['src/agent/turn.ts', '\n'.repeat(401)]])).length, 1)
})

test('the rules report circles of types, names that are defined twice, and features that lower rooms name', () => {
  const ring = new Map([
    ['src/agent/a.ts', `import { type b } from './b.ts'\nexport const one = 1`],
    ['src/agent/b.ts', `import type { a } from './a.ts'\nimport { c } from './c.ts'\nexport const one = 2`],
    ['src/agent/c.ts', ''],
  ])
  assert.deepEqual(typeCircles(ring), [
    'src/agent/a.ts imports src/agent/b.ts: part of a circle',
    'src/agent/b.ts imports src/agent/a.ts: part of a circle',
  ])
  assert.equal(twiceDefined(ring).length, 2)

  const names = (line: string) =>
    namedCapabilities(
      new Map([
        ...['skills', 'web-access', 'files'].map((name) => [`src/capabilities/${name}/${name}.ts`, ''] as const),
        ['src/server/routes.ts', line],
      ]),
    ).map((fault) => fault.replace('src/server/routes.ts names ', ''))
  assert.deepEqual(names(`const maxSkills = settings['skills']`), ['skills'])
  assert.deepEqual(names('const text = `There is no skill ${name}.`'), ['skill'])
  assert.deepEqual(names(`const WEB_ACCESS = webAccess(choice.web_access)`).length, 2)
  assert.deepEqual(names(`const limit = keyOf('files.maxBytes')`), ['files.maxbytes'])
  assert.deepEqual(names(`const files = listFiles('files') // of skills`), [])

  const knows = (line: string) => productFaults(new Map([['src/context/fit.ts', line]]), ['read_file']).length
  assert.equal(knows(`const reader = tools.find(({ name }) => name === 'read_file')`), 1)
  assert.equal(knows(`const hint = 'shorten AGENTS.md'`), 1)
  assert.equal(knows(`if (layer === 'subject') return ofSubject`), 1)
  assert.equal(knows(`const what = 'subjective' // as the project has it`), 0)
})

test('the rules report words of the old dialect', () => {
  const words = (path: string, line: string) =>
    dialectFaults(new Map([[path, line]])).map((fault) => fault.replace(`${path} uses the word `, ''))
  const path = 'src/agent/turn.ts'
  assert.deepEqual(words(path, `const isTold = sessionDesk.doors // Whoever asks`), [
    'desk',
    'doors',
    'whoever',
    'told',
  ])
  assert.deepEqual(words(path, `const MOST_DOORS = 'Mend it.'`), ['doors', 'mend'])
  assert.deepEqual(words(path, `const asker = class SpokenLine {}`), ['asker', 'spoken'])
  assert.deepEqual(words(path, `const desktop = amend(indoors) // as the model is told`), [])
  assert.deepEqual(words('src/capabilities/shell/shell-tool.ts', `const why = 'until it is mended'`), [])
})

test('the rules report imports upwards, sideways, past an entry point or from an unknown room', () => {
  const faults = (path: string, source: string) => roomFaults(new Map([[path, source]]), entryPoints)
  assert.deepEqual(faults('src/session/log.ts', `import { a } from '../context.ts'`), [])
  assert.deepEqual(faults('src/context/fit.ts', `import { a } from '../session.ts'`), [
    'src/context/fit.ts imports src/session.ts: rooms import downwards only',
  ])
  assert.deepEqual(faults('src/session/log.ts', `import type { Model } from '../model.ts'`), [
    'src/session/log.ts imports src/model.ts: rooms import downwards only',
  ])
  assert.deepEqual(faults('src/session/log.ts', `const fit = await import('../context/fit.ts')`), [
    'src/session/log.ts imports src/context/fit.ts: not an entry point',
  ])
  assert.deepEqual(faults('src/cellar/wine.ts', `export { a } from '../context.ts'`), [
    'src/cellar/wine.ts imports src/context.ts: the room cellar has no floor',
  ])
})

test('only tests import from testing', () => {
  const source = `import { scripted } from '../testing.ts'`
  const open = new Set([...entryPoints, 'src/testing.ts'])
  assert.deepEqual(roomFaults(new Map([['src/runtime/queue.ts', source]]), open), [
    'src/runtime/queue.ts imports src/testing.ts: only tests may import from testing',
  ])
  assert.deepEqual(roomFaults(new Map([['src/session/log.test.ts', source]]), open), [])
})

test('the rules report a capability that imports another one', () => {
  const sources = new Map([
    ['src/capabilities/shell/shell.ts', `import { read } from '../files/read.ts'`],
    ['src/capabilities/files/read.ts', `import { page } from './http/page.ts'`],
    ['src/capabilities/files/http/page.ts', `import { textPage } from '../../../capability/toolkit.ts'`],
  ])
  assert.deepEqual(capabilityFaults(sources), [
    'src/capabilities/shell/shell.ts imports src/capabilities/files/read.ts: folders inside src/capabilities/ may not import each other',
  ])
})

test('no files import each other in a circle', () => {
  assert.deepEqual(circles(house), [])
})

test('no two folders of a room import each other, also for types alone', () => {
  const pairs = (sources: Sources) =>
    folderCircles(new Map([...sources].map(([path, text]) => [path, { path, text }]))).map(({ folders }) => folders)
  assert.deepEqual(pairs(house), [])
  const tangled = new Map([
    ['src/runtime/turn/a.ts', `import type { B } from '../notes/b.ts'`],
    ['src/runtime/notes/b.ts', `import { a } from '../turn/a.ts'`],
  ])
  assert.deepEqual(pairs(tangled), [['runtime/notes', 'runtime/turn']])
})

test('the rules report a circle of imports, but not one of types alone', () => {
  const ring = (word: string) =>
    new Map([
      ['src/agent/a.ts', `import { b } from './b.ts'`],
      ['src/agent/b.ts', `import { c } from './c.ts'`],
      ['src/agent/c.ts', `import ${word} { a } from './a.ts'`],
    ])
  assert.deepEqual(circles(ring('')), ['src/agent/a.ts → src/agent/b.ts → src/agent/c.ts → src/agent/a.ts'])
  assert.deepEqual(circles(ring('type')), [])
})

test('the context room is pure: no other room, no Node.js module, no clock, no randomness, no environment, no promises', () => {
  assert.deepEqual(purityFaults(house), [])
})

test('the rules report every import and global that makes the context room impure', () => {
  const faults = (source: string) => purityFaults(new Map([['src/context/fit.ts', source]]))
  for (const source of [
    `import { join } from 'node:path'`,
    `import { a } from '../session.ts'`,
    `import { z } from 'zod'`,
    `import { parse } from 'jsonc-parser'`,
    `import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'`,
    `import { generateId } from '@ai-sdk/provider-utils'`,
    `const text = await read()`,
    `export async function fit() {}`,
    `export function fit(): Promise<void> {}`,
    'const label = `at ${new Date().toISOString()}`',
    `const order = Math.random()`,
    `const home = process.env.HOME`,
    `const id = crypto.randomUUID()`,
    `const start = performance.now()`,
    `globalThis.count = 1`,
  ]) {
    assert.equal(faults(source).length, 1, source)
  }
  assert.deepEqual(faults(`import type { ModelMessage } from '@ai-sdk/provider-utils'`), [])
  assert.deepEqual(faults(`const note = 'process the Date' // an async Promise\n/* Math.random */`), [])
  assert.deepEqual(faults('const told = `the Date`\nconst pattern = /await "/\nconst quote = "x"'), [])
})

test('only the command line interface reads arguments and environment variables', () => {
  assert.deepEqual(environmentFaults(house), [])
})

test('the rules report other files that read arguments or environment variables', () => {
  const faults = (path: string, source: string) => environmentFaults(new Map([[path, source]])).length
  assert.equal(faults('src/runtime/home.ts', `const home = process.env['FOREWORD_HOME']`), 1)
  assert.equal(faults('src/runtime/home.ts', `const [, , name] = process.argv`), 1)
  assert.equal(faults('src/runtime/home.ts', `const { env } = process`), 1)
  assert.equal(faults('src/runtime/home.ts', `import { env } from 'node:process'`), 1)
  assert.equal(faults('src/runtime/home.ts', `// never process.env here`), 0)
  assert.equal(faults('src/cli/main.ts', `const home = process.env['FOREWORD_HOME']`), 0)
})

test('below the command, time comes from the clock that a file is given', () => {
  assert.deepEqual(clockFaults(house), [])
})

test('the rules report other files that read the time or set a timer', () => {
  const faults = (source: string, path = 'src/runtime/home.ts') => clockFaults(new Map([[path, source]])).length
  for (const source of [
    'setTimeout(work, 5)',
    'const stop = setInterval(work, 5)',
    'setImmediate(work)',
    `import { setTimeout as wait } from 'node:timers/promises'`,
    `import { performance as time } from 'node:perf_hooks'`,
    'const now = Date.now',
    'const now = new Date()',
    'const now = new Date',
    'const began = performance.now()',
    'const began = process.hrtime.bigint()',
    'const signal = AbortSignal.timeout(5)',
    `import { systemClock } from '../platform.ts'`,
  ]) {
    assert.ok(faults(source) > 0, source)
    assert.equal(faults(source, 'src/cli/main.ts'), 0, source)
  }
  assert.equal(faults(`const time = new Date(clock.now()).toISOString() // Date.now()`), 0)
  assert.equal(faults(`const text = 'setTimeout(work)'\nclock.timer(5, work)`), 0)
  assert.equal(faults('const now = () => Date.now()', 'src/platform/system-clock.ts'), 0)
})

test('only stores and indexes open SQLite', () => {
  const opens = [...house]
    .filter(([path]) => !/^src\/(?:platform|session|search|testing)[./]/.test(path) && !path.endsWith('.test.ts'))
    .filter(([, source]) => /node:sqlite|openSqlite(?:Store)?\b|foreword\.sqlite/.test(source))
  assert.deepEqual(
    opens.map(([path]) => path),
    [],
  )
})

test('a number for people is written by `numberText`: a format of `Intl` costs a start 30 ms, and each writes its own way', () => {
  assert.deepEqual(
    [...house].flatMap(([path, source]) => (/\.toLocaleString\('en[^']*'\)/.test(source) ? [path] : [])),
    [],
  )
})

test('the names of layouts are in one file', () => {
  assert.deepEqual(layoutNameFaults(house, Object.keys(layouts), usualLayout), [])
})

test('the rules report a test for the name of a layout', () => {
  const faults = (line: string) =>
    layoutNameFaults(new Map([['src/runtime/date.ts', line]]), Object.keys(layouts), usualLayout)
  assert.deepEqual(faults(`const tells = layout === 'auto'`), [`src/runtime/date.ts names a layout: layout === 'auto'`])
  assert.equal(faults(`if (name.startsWith('auto')) return`).length, 1)
  assert.equal(faults(`const presets = new Set(['chai', "onyx+"])`).length, 2)
  assert.deepEqual(faults(`toolChoice: 'auto', // as the layout 'of' a caller\n// layout === 'chai'`), [])
})

test('files are named after their subject, and entry points list what they export', () => {
  assert.deepEqual(habitFaults(house), [])
})

test('the rules report file names without a subject, and export *', () => {
  const sources = new Map([
    ['src/agent/utils.ts', ''],
    ['src/agent/types.ts', ''],
    ['src/agent/helpers.test.ts', ''],
    ['src/agent.ts', `export * from './agent/turn.ts'`],
  ])
  assert.equal(habitFaults(sources).length, 4)
})

test('package.json exports the entry points that exist, each under its own name', () => {
  assert.deepEqual(exportFaults(exported, house), [])
})

test('the rules report an export without a file, an entry point without an export, and a wrong name', () => {
  const entryPoint = (name: string) => ({
    'foreword-source': `./src/${name}.ts`,
    types: `./dist/${name}.d.ts`,
    default: `./dist/${name}.js`,
  })
  const sources = new Map([
    ['src/agent/turn.ts', ''],
    ['src/tool.ts', ''],
    ['src/model.ts', ''],
  ])
  assert.deepEqual(exportFaults({ './agent': entryPoint('agent'), './model': entryPoint('tool') }, sources), [
    './agent is exported, but src/agent.ts does not exist',
    `./model should be ${JSON.stringify(entryPoint('model'))}`,
    'src/model.ts is an entry point that package.json does not export',
  ])
})

test('every form of import is read, and nothing that only looks like an import', () => {
  const source = `
    import first, { second } from 'one'
    import type { Third } from "two"
    import { type Fourth, type Fifth } from 'three'
    import {
      type Sixth,
      seventh, // from 'nowhere'
    } from 'four'
    import 'five'
    export { eighth } from 'six'
    const late = await import('seven')
    const text = "import { x } from 'eight'"
    // import { y } from 'nine'
    const pattern = /import 'ten'/
    const told = \`import 'eleven' \${await import('twelve')}\``
  assert.deepEqual(
    importsOf(source)
      .map(({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' (type)' : ''}`)
      .toSorted(),
    ['five', 'four', 'one', 'seven', 'six', 'three (type)', 'twelve', 'two (type)'],
  )
})

test('the lockfile lists the packages of every platform, so that a clean install works everywhere', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'complete-lockfile.mjs'), '--check'], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
})

function sourcesOf(folder: string): Sources {
  return new Map(
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .toSorted()
      .map((path) => [`${folder}/${path.split(sep).join('/')}`, readFileSync(join(root, folder, path), 'utf8')]),
  )
}

/** The entry points of the rooms, the other exports of package.json, and the value of each capability. */
function entryPointsOf(exports: Readonly<Record<string, EntryPoint>>, sources: Sources): ReadonlySet<string> {
  const fronts = [...sources.keys()].filter((path) => /^src\/(?:[^/]+|capabilities\/([^/]+)\/\1)\.ts$/.test(path))
  const extra = Object.values(exports).flatMap((entryPoint) =>
    typeof entryPoint === 'string' ? [] : [entryPoint['foreword-source']!.slice(2)],
  )
  return new Set([...fronts, ...extra])
}
