import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { test } from 'node:test'
import { type Import, importsOf } from './house/imports.ts'

const root = join(import.meta.dirname, '..')

/** Folders of the page. One may import those of lower floors; a new one is a decision. */
const floors: Readonly<Record<string, number>> = {
  language: 0,
  api: 1,
  log: 1,
  parts: 2,
  markdown: 3,
  inspector: 4,
  sessions: 4,
  setup: 5,
  chat: 6,
  settings: 6,
  foreign: 7,
  app: 8,
}

const sources = pageSources()

test('folders of the page import downwards only', () => {
  assert.deepEqual(
    edges().flatMap(({ from, to }) => {
      const [here, there] = [folderOf(from), folderOf(to)]
      if (here === there || from === 'main.tsx' || !to.startsWith('web/src/')) return []
      return floors[there]! < floors[here]! ? [] : [`${from} imports ${to}`]
    }),
    [],
  )
})

test('every folder of the page has a floor', () => {
  const folders = new Set([...sources.keys()].filter((path) => path.includes('/')).map((path) => path.split('/')[0]!))
  assert.deepEqual(
    [...folders].filter((folder) => !(folder in floors)),
    [],
  )
})

/** Rules that are not of the core and that the page follows, too. Pure, and without any package: a new one is a decision. */
const sharedRules: ReadonlySet<string> = new Set([
  'src/capabilities/templates/template-fields.ts',
  'src/capability/token-scope.ts',
  'src/citation/reader.ts',
  'src/runtime/sessions/outcome-notice.ts',
  'src/tool/access/widened-text.ts',
])

test('of the gateway the page runs the core and a few rules alone, and takes types from entry points and capabilities', () => {
  assert.deepEqual(
    edges().flatMap(({ from, to, typeOnly }) => {
      if (!to.startsWith('src/')) return []
      if (sharedRules.has(to)) return []
      if (!typeOnly && !/^src\/context(\/\w+)?\.ts$/.test(to)) return [`${from} runs ${to}`]
      // The page of a capability has the types of what that answers, which nobody else needs.
      const isKnown = /^src\/(?:\w+|capabilities\/.+)\.ts$/.test(to)
      return isKnown || !typeOnly ? [] : [`${from} imports ${to}, which is no entry point`]
    }),
    [],
  )
})

test('the rules that the page shares with the gateway need nothing of Node', () => {
  // The core is pure by a law of its own, and the page runs it as it is.
  const seen = new Set(['src/context.ts'])
  const visit = (path: string): readonly string[] => {
    if (seen.has(path)) return []
    seen.add(path)
    return importsOf(readFileSync(join(root, path), 'utf8'))
      .filter(({ typeOnly }) => !typeOnly)
      .flatMap(({ specifier }) =>
        specifier.startsWith('.')
          ? visit(posix.normalize(posix.join(posix.dirname(path), specifier)))
          : [`${path} imports ${specifier}`],
      )
  }
  assert.deepEqual([...sharedRules].flatMap(visit), [])
})

test('what the page is built of is no development package: `npm start` leaves those out and builds it', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  const builds = ['vite.config.ts', 'smaller-packages.ts', 'page-texts.ts']
  const built = [...sources.values(), ...builds.map((file) => readFileSync(join(root, 'web', file), 'utf8'))]
  const names = new Set(
    built
      .flatMap(importsOf)
      .flatMap(({ specifier, typeOnly }) =>
        typeOnly ? [] : (/^(?:@[^/]+\/)?[^/.:]+(?=$|\/)/.exec(specifier)?.[0] ?? []),
      ),
  )
  assert.ok(names.has('react') && names.has('vite'))
  assert.deepEqual(
    [...names].filter((name) => {
      const locked = packages[`node_modules/${name}`]
      return locked === undefined || locked.dev === true
    }),
    [],
  )
})

test('a text never becomes HTML, and only the folder api sends requests', () => {
  const faults = [...sources].flatMap(([path, source]) => [
    ...(/dangerouslySetInnerHTML|\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(/.test(source)
      ? [`${path} makes HTML of a text`]
      : []),
    ...(/\b(?:fetch|EventSource|WebSocket|XMLHttpRequest|sendBeacon)\(/.test(source) && folderOf(path) !== 'api'
      ? [`${path} sends a request`]
      : []),
  ])
  assert.deepEqual(faults, [])
})

test('no file of the page has more than 250 lines', () => {
  assert.deepEqual(
    [...sources].flatMap(([path, source]) => (source.split('\n').length > 250 ? [path] : [])),
    [],
  )
})

/** By the path below `web/src`, with forward slashes. */
function pageSources(): ReadonlyMap<string, string> {
  const folder = join(root, 'web', 'src')
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')]),
  )
}

function edges(): readonly (Pick<Import, 'typeOnly'> & { readonly from: string; readonly to: string })[] {
  return [...sources].flatMap(([from, source]) =>
    importsOf(source)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier, typeOnly }) => ({
        from,
        to: posix.normalize(posix.join('web/src', posix.dirname(from), specifier)),
        typeOnly,
      })),
  )
}

function folderOf(path: string): string {
  return path.replace(/^web\/src\//, '').split('/')[0]!
}
