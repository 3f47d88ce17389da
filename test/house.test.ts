import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import test from 'node:test'
import { layouts, usualLayout } from '../src/context.ts'
import { builtInNames } from '../src/capabilities/tool-names.ts'
import { importsOf } from './house/imports.ts'
import {
  capabilityFaults,
  circles,
  type Door,
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
const exported = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: Record<string, Door> })
  .exports
const house = sourcesOf('src')
const doors = doorsOf(exported, house)

// What is not yet as it should be. `UPDATE_HOUSE=1` writes the lists again; they may only become shorter.
for (const [rule, list, faults] of [
  [
    'rooms import downwards only, through doors, and capabilities do not know each other',
    'not-yet.json',
    () => [...roomFaults(house, doors), ...capabilityFaults(house)],
  ],
  [
    'no circle is closed by types alone, and no name is defined twice',
    'not-yet-single.json',
    () => [...typeCircles(house), ...twiceDefined(house)],
  ],
  [
    'nothing below a capability names it, and the context room knows no feature of the product',
    'not-yet-unnamed.json',
    () => [...namedCapabilities(house), ...productFaults(house, builtInNames)],
  ],
] as const) {
  test(`${rule}, except for what is listed`, () => {
    const notYet = join(import.meta.dirname, 'house', list)
    const found = [...new Set(faults())].toSorted()
    if (process.env['UPDATE_HOUSE'] === '1') writeFileSync(notYet, `${JSON.stringify(found, null, 2)}\n`)
    const listed = JSON.parse(readFileSync(notYet, 'utf8')) as readonly string[]
    assert.deepEqual(
      { new: found.filter((fault) => !listed.includes(fault)), gone: listed.filter((one) => !found.includes(one)) },
      { new: [], gone: [] },
      'a new fault is not allowed; one that is gone leaves the list (UPDATE_HOUSE=1)',
    )
    assert.deepEqual(listed, listed.toSorted())
  })
}

test('no file has more than 400 lines', () => {
  assert.deepEqual(longFiles(house), [])
  assert.deepEqual(longFiles(new Map([['src/agent/turn.ts', '\n'.repeat(401)]])).length, 1)
})

test('a circle that types close, a name that is defined twice and a feature that is named below are found', () => {
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

test('an import upwards, sideways, past a door or from an unknown room is found', () => {
  const faults = (path: string, source: string) => roomFaults(new Map([[path, source]]), doors)
  assert.deepEqual(faults('src/session/log.ts', `import { a } from '../context.ts'`), [])
  assert.deepEqual(faults('src/context/fit.ts', `import { a } from '../session.ts'`), [
    'src/context/fit.ts imports src/session.ts: rooms import downwards only',
  ])
  assert.deepEqual(faults('src/session/log.ts', `import type { Model } from '../model.ts'`), [
    'src/session/log.ts imports src/model.ts: rooms import downwards only',
  ])
  assert.deepEqual(faults('src/session/log.ts', `const fit = await import('../context/fit.ts')`), [
    'src/session/log.ts imports src/context/fit.ts: not a door',
  ])
  assert.deepEqual(faults('src/cellar/wine.ts', `export { a } from '../context.ts'`), [
    'src/cellar/wine.ts imports src/context.ts: the room cellar stands on no floor',
  ])
})

test('what is published imports nothing from testing, tests may', () => {
  const source = `import { scripted } from '../testing.ts'`
  const open = new Set([...doors, 'src/testing.ts'])
  assert.deepEqual(roomFaults(new Map([['src/runtime/queue.ts', source]]), open), [
    'src/runtime/queue.ts imports src/testing.ts: only tests may import from testing',
  ])
  assert.deepEqual(roomFaults(new Map([['src/session/log.test.ts', source]]), open), [])
})

test('a capability that imports another one is found', () => {
  const sources = new Map([
    ['src/capabilities/shell/shell.ts', `import { read } from '../files/read.ts'`],
    ['src/capabilities/files/read.ts', `import { page } from './http/page.ts'`],
    ['src/capabilities/files/http/page.ts', `import { textPage } from '../../../capability/toolkit.ts'`],
  ])
  assert.deepEqual(capabilityFaults(sources), [
    'src/capabilities/shell/shell.ts imports src/capabilities/files/read.ts: the folders inside src/capabilities/ do not know each other',
  ])
})

test('no files need each other in a circle', () => {
  assert.deepEqual(circles(house), [])
})

test('a circle is found, one of types alone is none', () => {
  const ring = (word: string) =>
    new Map([
      ['src/agent/a.ts', `import { b } from './b.ts'`],
      ['src/agent/b.ts', `import { c } from './c.ts'`],
      ['src/agent/c.ts', `import ${word} { a } from './a.ts'`],
    ])
  assert.deepEqual(circles(ring('')), ['src/agent/a.ts → src/agent/b.ts → src/agent/c.ts → src/agent/a.ts'])
  assert.deepEqual(circles(ring('type')), [])
})

test('the context room is pure: no other room, no node, no clock, no chance, no environment, no waiting', () => {
  assert.deepEqual(purityFaults(house), [])
})

test('every way out of the pure room is found', () => {
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

test('only the command reads the command line and the environment', () => {
  assert.deepEqual(environmentFaults(house), [])
})

test('a look at the environment from elsewhere is found', () => {
  const faults = (path: string, source: string) => environmentFaults(new Map([[path, source]])).length
  assert.equal(faults('src/runtime/home.ts', `const home = process.env['FOREWORD_HOME']`), 1)
  assert.equal(faults('src/runtime/home.ts', `const [, , name] = process.argv`), 1)
  assert.equal(faults('src/runtime/home.ts', `const { env } = process`), 1)
  assert.equal(faults('src/runtime/home.ts', `import { env } from 'node:process'`), 1)
  assert.equal(faults('src/runtime/home.ts', `// never process.env here`), 0)
  assert.equal(faults('src/cli/main.ts', `const home = process.env['FOREWORD_HOME']`), 0)
})

test('SQLite is opened by stores and indexes alone: everything else asks the driver', () => {
  const opens = [...house]
    .filter(([path]) => !/^src\/(?:platform|session|search|testing)[./]/.test(path) && !path.endsWith('.test.ts'))
    .filter(([, source]) => /node:sqlite|openSqlite(?:Store)?\b|foreword\.sqlite/.test(source))
  assert.deepEqual(
    opens.map(([path]) => path),
    [],
  )
})

test("a layout's name stands in one file", () => {
  assert.deepEqual(layoutNameFaults(house, Object.keys(layouts), usualLayout), [])
})

test('a question for the name of a layout is found', () => {
  const faults = (line: string) =>
    layoutNameFaults(new Map([['src/runtime/date.ts', line]]), Object.keys(layouts), usualLayout)
  assert.deepEqual(faults(`const tells = layout === 'auto'`), [`src/runtime/date.ts names a layout: layout === 'auto'`])
  assert.equal(faults(`if (name.startsWith('auto')) return`).length, 1)
  assert.equal(faults(`const presets = new Set(['chai', "onyx+"])`).length, 2)
  assert.deepEqual(faults(`toolChoice: 'auto', // as the layout 'of' a caller\n// layout === 'chai'`), [])
})

test('files are named for what they give, and doors name what they let through', () => {
  assert.deepEqual(habitFaults(house), [])
})

test('a drawer and a blanket export are found', () => {
  const sources = new Map([
    ['src/agent/utils.ts', ''],
    ['src/agent/types.ts', ''],
    ['src/agent/helpers.test.ts', ''],
    ['src/agent.ts', `export * from './agent/turn.ts'`],
  ])
  assert.equal(habitFaults(sources).length, 4)
})

test('package.json exports the doors that exist, each under its own name', () => {
  assert.deepEqual(exportFaults(exported, house), [])
})

test('an export without a file, a door without an export and a wrong name are found', () => {
  const door = (name: string) => ({
    'foreword-source': `./src/${name}.ts`,
    types: `./dist/${name}.d.ts`,
    default: `./dist/${name}.js`,
  })
  const sources = new Map([
    ['src/agent/turn.ts', ''],
    ['src/tool.ts', ''],
    ['src/model.ts', ''],
  ])
  assert.deepEqual(exportFaults({ './agent': door('agent'), './model': door('tool') }, sources), [
    './agent is exported, but src/agent.ts is not there',
    `./model should be ${JSON.stringify(door('model'))}`,
    'src/model.ts is a door that package.json does not export',
  ])
})

test('every form of import is read, and nothing that only looks like one', () => {
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

test('the lockfile names the packages of every platform, so that a clean install works everywhere', () => {
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

/** The front doors, what package.json exports beside them, and the value of each capability. */
function doorsOf(exportedDoors: Readonly<Record<string, Door>>, sources: Sources): ReadonlySet<string> {
  const fronts = [...sources.keys()].filter((path) => /^src\/(?:[^/]+|capabilities\/([^/]+)\/\1)\.ts$/.test(path))
  const extra = Object.values(exportedDoors).flatMap((door) =>
    typeof door === 'string' ? [] : [door['foreword-source']!.slice(2)],
  )
  return new Set([...fronts, ...extra])
}
