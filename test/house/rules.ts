import { posix } from 'node:path'
import { namesTwice } from '../../scripts/counts/source-counts.ts'
import { type Import, importsOf } from './imports.ts'
import { sourceText } from './source-text.ts'

/** The sources of the house: path from the root of the package, with forward slashes, and the text. */
export type Sources = ReadonlyMap<string, string>

/** A new floor or room is a decision (docs/decisions). */
export const floors: Readonly<Record<string, number>> = {
  context: 1,
  platform: 1,
  wire: 2,
  session: 3,
  model: 3,
  tool: 3,
  document: 3,
  search: 3,
  citation: 3,
  foreign: 3,
  capability: 4,
  agent: 5,
  runtime: 6,
  server: 7,
  cli: 8,
  capabilities: 9,
  foreword: 10,
  testing: 10,
}

/** Imports upwards, sideways, past an entry point, from unknown rooms, or of test support by what is published. */
export function roomFaults(sources: Sources, entryPoints: ReadonlySet<string>): readonly string[] {
  return edges(sources).flatMap(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)]
    const fault = (why: string) => [`${from} imports ${to}: ${why}`]
    if (floors[here] === undefined) return fault(`the room ${here} has no floor`)
    if (here === there) return []
    if (floors[there] === undefined) return fault(`the room ${there} has no floor`)
    if (there === 'testing' && !isTest(from)) return fault('only tests may import from testing')
    if (there !== 'testing' && floors[there] >= floors[here]) return fault('rooms import downwards only')
    return entryPoints.has(to) || (here === 'foreword' && isCapability(to)) ? [] : fault('not an entry point')
  })
}

/** The value of a capability: the file that has the name of its folder. */
function isCapability(path: string): boolean {
  return /^src\/capabilities\/([^/]+)\/\1\.ts$/.test(path)
}

/** Capabilities that import each other. What they share belongs to a lower floor. */
export function capabilityFaults(sources: Sources): readonly string[] {
  return edges(sources)
    .map((edge) => ({ ...edge, here: capabilityOf(edge.from), there: capabilityOf(edge.to) }))
    .filter(({ here, there }) => here !== undefined && there !== undefined && here !== there)
    .map(({ from, to }) => `${from} imports ${to}: folders inside src/capabilities/ may not import each other`)
}

/** Files that need each other at run time. */
export function circles(sources: Sources): readonly string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to, typeOnly } of edges(sources)) {
    if (!typeOnly) targets.set(from, [...(targets.get(from) ?? []), to])
  }
  const found: string[] = []
  const settled = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
    else if (!settled.has(path)) for (const next of targets.get(path) ?? []) visit(next, [...trail, path])
    settled.add(path)
  }
  for (const path of sources.keys()) visit(path, [])
  return found
}

/** Imports inside a circle that only types close: its files can be understood only together. */
export function typeCircles(sources: Sources): readonly string[] {
  const left = withinCircles(edges(sources))
  const targets = Map.groupBy(left, ({ from }) => from)
  const reaches = (start: string, goal: string): boolean => {
    const seen = new Set<string>()
    const open = [start]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (path === goal) return true
      if (seen.has(path)) continue
      seen.add(path)
      for (const { to } of targets.get(path) ?? []) open.push(to)
    }
    return false
  }
  const closed = left.filter(({ from, to }) => reaches(to, from))
  return [...new Set(closed.map(({ from, to }) => `${from} imports ${to}: part of a circle`))].toSorted()
}

/** Drops imports of and from files at an end of the graph, until only circles and the paths between them are left. */
function withinCircles(all: readonly Edge[]): readonly Edge[] {
  const importing = new Set(all.map(({ from }) => from))
  const imported = new Set(all.map(({ to }) => to))
  const left = all.filter(({ from, to }) => importing.has(to) && imported.has(from))
  return left.length === all.length ? left : withinCircles(left)
}

const MOST_LINES = 400

/** Files that are too long to be read in one go. */
export function longFiles(sources: Sources): readonly string[] {
  return [...sources]
    .map(([path, source]) => ({ path, lines: source.split('\n').length - 1 }))
    .filter(({ path, lines }) => lines > MOST_LINES && !isTest(path))
    .map(({ path }) => `${path} has more than ${MOST_LINES} lines`)
}

/** Names that several files define and export, each with each of its files. */
export function twiceDefined(sources: Sources): readonly string[] {
  const files = [...sources].filter(([path]) => !isTest(path) && !path.startsWith('src/testing/'))
  const named = namesTwice(new Map(files.map(([path, text]) => [path, { path, text, lines: 0 }])))
  return [...named].flatMap(([name, paths]) => paths.map((path) => `${path} defines ${name}, and so does another file`))
}

/** Words that name a feature of the product and nothing in the pure room. */
const productWords = ['skill', 'subject', 'project', 'persona', 'soul', 'telegram', 'workspace', 'taste', 'citation']

/** Words of product features and names of tools in the identifiers and texts of the pure room. */
export function productFaults(sources: Sources, toolNames: Iterable<string>): readonly string[] {
  const known = new RegExp(`${wordPattern(productWords)}|['"\`](${[...toolNames].join('|')})['"\`]|AGENTS\\.md`, 'g')
  return [...sources]
    .filter(([path]) => path.startsWith('src/context/') && !isTest(path) && path !== 'src/context/layouts.ts')
    .flatMap(([path, source]) => mentions(path, source, known, 'knows'))
}

/** Names of capabilities that are also plain English, or words of what is below them: only a key of their settings counts. */
const plainNames: ReadonlySet<string> = new Set([
  'agents',
  'audit-records',
  'backup',
  'budgets',
  'costs',
  'date',
  'files',
  'instructions',
  'memory',
  'persona',
  'prompt',
  'projects',
  'shell',
  'search',
  'templates',
  'workspace',
])

/** Files that read what there was before capabilities: the member `skills` of a plugin, and the ledger `budgets.sqlite`. */
const formerNames: ReadonlySet<string> = new Set([
  'src/capability/plugin.ts',
  'src/runtime/load-plugins.ts',
  'src/session/sqlite/carry-budget-ledger.ts',
])

/** Names of capabilities in the rooms below them. A capability that is removed from the list must leave nothing behind. */
export function namedCapabilities(sources: Sources): readonly string[] {
  const names = [...new Set([...sources.keys()].flatMap((path) => capabilityOf(path) ?? []))]
  const words = names.filter((name) => !plainNames.has(name)).map(inPieces)
  const keys = names.filter((name) => plainNames.has(name)).join('|')
  const known = new RegExp(`${wordPattern(words)}|['"\`](?:${keys})\\.[\\w.]+['"\`]`, 'g')
  return [...sources]
    .filter(([path]) => floors[roomOf(path)]! < floors['capabilities']! && !isTest(path))
    .filter(([path]) => path !== 'src/context/layouts.ts' && !formerNames.has(path) && !isForeignData(path))
    .flatMap(([path, source]) => mentions(path, source, known, 'names'))
}

/** Tables of what other programs send or obey: their words are not ours, and no capability is behind them. */
function isForeignData(path: string): boolean {
  return /^src\/(?:wire\/|foreign\/recognisers\/|tool\/access\/owners-names\.ts)/.test(path)
}

/** A pattern that also matches other spellings: `webAccess`, `web_access` and `web access` for `web-access`, `skill` for `skills`. */
function inPieces(name: string): string {
  const [first, ...others] = name.replace(/s$/, '').split('-')
  return [first, ...others.map((piece) => `[${piece[0]}${piece[0]!.toUpperCase()}]${piece.slice(1)}`)].join('[-_ ]?')
}

/** Words as parts of names (`maxSkills`, `SKILL_FILE`) and of sentences, but not inside of other words. */
function wordPattern(words: readonly string[]): string {
  const [small, large, capital] = [words, words.map((word) => word.toUpperCase()), words.map(capitalized)]
  return [
    `(?<![A-Za-z])(?:${small.join('|')})s?(?![a-z])`,
    `(?:${capital.join('|')})s?(?![a-z])`,
    `(?<![A-Z])(?:${large.join('|')})S?(?![A-Z])`,
  ].join('|')
}

function capitalized(word: string): string {
  return word.replaceAll(/(?<![A-Za-z])[a-z]/g, (letter) => letter.toUpperCase())
}

/** Each word that a file contains, once. Line numbers would change the list with every edit. */
function mentions(path: string, source: string, known: RegExp, verb: string): readonly string[] {
  const { text } = sourceText(source)
  const words = [...text.matchAll(known)].map(([word]) => word.replaceAll(/['"`]/g, '').toLowerCase())
  return [...new Set(words)].map((word) => `${path} ${verb} ${word}`)
}

const impure =
  /(?<![.\w])(?:async|await|Promise|Date|process|globalThis|performance|crypto|require|fetch|console|setTimeout|setInterval|queueMicrotask)\b|\bMath\s*\.\s*random\b/g

/** Imports and globals that would tie the pure room to a machine, a time or another room. */
export function purityFaults(sources: Sources): readonly string[] {
  return [...sources]
    .filter(([path]) => /^src\/context(\/|\.ts$)/.test(path) && !isTest(path))
    .flatMap(([path, source]) => [
      ...importsOf(source)
        .filter((one) => !isPure(path, one))
        .map(({ specifier }) => `${path} imports ${specifier}`),
      ...[...sourceText(source).code.matchAll(impure)].map(([word]) => `${path} uses ${word}`),
    ])
}

function isPure(path: string, { specifier, typeOnly }: Import): boolean {
  if (specifier.startsWith('.')) return /^src\/context(\/|\.ts$)/.test(resolved(path, specifier))
  if (specifier === 'tokenx') return true
  if (specifier.startsWith('gpt-tokenizer')) return path === 'src/context/o200k.ts'
  if (['zod', 'jsonc-parser'].includes(specifier)) return posix.basename(path).startsWith('scenario')
  return specifier === '@ai-sdk/provider-utils' && typeOnly
}

const world = /\bprocess\s*\.\s*(?:argv|env)\b|\b(?:argv|env)\b[^;{}]*\}\s*=\s*process\b/

/** Files outside the command that read the command line or the environment. */
export function environmentFaults(sources: Sources): readonly string[] {
  return [...sources]
    .filter(([path]) => !/^src\/(?:cli|capabilities\/[^/]+\/cli)\//.test(path) && !isTest(path))
    .filter(([, source]) => {
      const { code } = sourceText(source)
      return (
        world.test(code) ||
        (/import\s*\{[^}]*\b(?:argv|env)\b[^}]*\}\s*from\s*['"]\s*['"]/.test(code) &&
          /['"](?:node:)?process['"]/.test(source))
      )
    })
    .map(([path]) => `${path} reads the command line or the environment: only the command does that`)
}

const time =
  /(?<![.\w])(?:setTimeout|setInterval|setImmediate)\b|\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))|(?<![.\w])performance\b|\bprocess\s*\.\s*hrtime\b|\bAbortSignal\s*\.\s*timeout\b/g

const timeModules = /^(?:node:)?(?:timers|timers\/promises|perf_hooks)$/

/** Files that take the clock of the system: those that put a program together, and entries of threads, programs and commands. */
const startsClock: ReadonlySet<string> = new Set([
  'src/platform.ts',
  'src/runtime.ts',
  'src/runtime/open-runtime.ts',
  'src/runtime/foreign/analysis/analysis-thread.ts',
  'src/foreword/create-foreword.ts',
  // Models and embedders that an author makes by hand.
  'src/model/sdk-model.ts',
  'src/search/embedder/ai-sdk.ts',
  // Programs of tools, and the thread that checks schemas, run in the time of the machine.
  'src/tool/sandbox/sandbox.ts',
  'src/tool/schema/input-fault.ts',
  'src/tool/schema/thread-check.ts',
  // Commands.
  'src/capabilities/wrapped-agents/run/run-wrapped.ts',
  'src/capabilities/wrapped-agents/session-view.ts',
])

/** Files below the command that read the time, set a timer, or take the clock of the system instead of the one they are given. */
export function clockFaults(sources: Sources): readonly string[] {
  return [...sources]
    .filter(([path]) => !/^src\/(?:cli|testing|capabilities\/[^/]+\/cli)\//.test(path) && !isTest(path))
    .filter(([path]) => path !== 'src/platform/system-clock.ts')
    .flatMap(([path, source]) => {
      const { code } = sourceText(source)
      const used = [
        ...Array.from(code.matchAll(time), ([word]) => word),
        ...importsOf(source).flatMap(({ specifier }) => (timeModules.test(specifier) ? [specifier] : [])),
        ...(startsClock.has(path) ? [] : (/\bsystemClock\b/.exec(code) ?? [])),
      ]
      return [...new Set(used)].map((word) => `${path} uses ${word}: time comes from the clock that a file is given`)
    })
}

/** Files that test for the name of a layout. A difference between layouts is a field of the layout, in the file that defines them. */
export function layoutNameFaults(sources: Sources, names: readonly string[], usual: string): readonly string[] {
  const others = names.filter((name) => name !== usual).join('|')
  // The name of the usual layout is also a word that other settings use.
  const asked = new RegExp(
    `['"](?:${others})\\+?['"]|\\b(?:layout|name)\\b\\s*(?:[=!]==|[:=]|\\.startsWith\\()\\s*['"]${usual}\\+?['"]`,
    'g',
  )
  return [...sources]
    .filter(([path]) => path !== 'src/context/layouts.ts' && !isTest(path))
    .flatMap(([path, source]) =>
      source
        .split('\n')
        .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line))
        .flatMap((line) => [...line.matchAll(asked)].map(([found]) => `${path} names a layout: ${found}`)),
    )
}

/** Words of the first versions for which the field has terms of its own, such as entry point, hint and anyone who. */
const dialect: ReadonlySet<string> = new Set(
  'anew asker desk desks door doorkeeper doors heard ink mend mended mending mends shelf shelves spoken turnstile whoever'.split(
    ' ',
  ),
)

/** Words of the dialect that are plain English in a sentence, but not a name for a value or a function. */
const dialectNames: ReadonlySet<string> = new Set(['told', 'untold'])

/** Texts that a model reads keep every byte, so that recorded calls can be replayed. */
const readByModels: Readonly<Record<string, readonly string[]>> = {
  // The result of a call that the policy refuses.
  'src/capabilities/shell/shell-tool.ts': ['mended'],
}

/** Words of the old dialect in identifiers, comments and texts. */
export function dialectFaults(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, source]) => {
    const found = new Set([
      ...wordsOf(source).filter((word) => dialect.has(word)),
      ...wordsOf(sourceText(source).code).filter((word) => dialectNames.has(word)),
    ])
    return [...found.difference(new Set(readByModels[path]))].map((word) => `${path} uses the word ${word}`)
  })
}

/** The words of a text in lower case. `isTold` is two words, and so is `MOST_DOORS`. */
function wordsOf(text: string): readonly string[] {
  return Array.from(text.matchAll(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g), ([word]) => word.toLowerCase())
}

/** File names that name no subject, and entry points that do not list what they export. */
export function habitFaults(sources: Sources): readonly string[] {
  const drawers = [...sources.keys()]
    .filter((path) => /^(?:utils?|helpers?|types|misc|common)(?:\.|$)/.test(posix.basename(path)))
    .map((path) => `${path}: name the file after its subject`)
  const blanket = [...sources]
    .filter(([, source]) => /\bexport\s*\*/.test(sourceText(source).code))
    .map(([path]) => `${path}: export * hides what the entry point exports`)
  return [...drawers, ...blanket]
}

export type EntryPoint =
  | string
  | { readonly 'foreword-source'?: string; readonly types?: string; readonly default?: string }

/** Differences between `exports` of package.json and the entry points on disk. A room without any file yet is no fault. */
export function exportFaults(exports: Readonly<Record<string, EntryPoint>>, sources: Sources): readonly string[] {
  const listed = Object.entries(exports).filter(([name]) => name !== './package.json')
  const named = new Set(
    listed.map(([, entryPoint]) => (typeof entryPoint === 'string' ? entryPoint : entryPoint['foreword-source'])),
  )
  const unnamed = [...sources.keys()]
    .filter((path) => /^src\/[^/]+\.ts$/.test(path) && !isTest(path) && !named.has(`./${path}`))
    .map((path) => `${path} is an entry point that package.json does not export`)
  return [...listed.flatMap(([name, entryPoint]) => entryPointFaults(name, entryPoint, sources)), ...unnamed]
}

function entryPointFaults(name: string, entryPoint: EntryPoint, sources: Sources): readonly string[] {
  const stem = name === '.' ? 'foreword' : name.slice(2)
  const wanted = {
    'foreword-source': `./src/${stem}.ts`,
    types: `./dist/${stem}.d.ts`,
    default: `./dist/${stem}.js`,
  }
  if (JSON.stringify(entryPoint) !== JSON.stringify(wanted)) return [`${name} should be ${JSON.stringify(wanted)}`]
  const room = stem.split('/')[0]
  const begun = [...sources.keys()].some((path) => path.startsWith(`src/${room}/`) && !isTest(path))
  return begun && !sources.has(`src/${stem}.ts`) ? [`${name} is exported, but src/${stem}.ts does not exist`] : []
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

function edges(sources: Sources): readonly Edge[] {
  return [...sources].flatMap(([from, source]) =>
    importsOf(source)
      .filter(({ specifier }) => specifier.startsWith('.'))
      .map(({ specifier, typeOnly }) => ({ from, to: resolved(from, specifier), typeOnly }))
      .filter(({ to }) => to.startsWith('src/')),
  )
}

function resolved(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier)
}

/** `src/session.ts` and everything in `src/session/` are the room `session`. */
function roomOf(path: string): string {
  return path.split('/')[1]!.replace(/(?:\.test)?\.ts$/, '')
}

function capabilityOf(path: string): string | undefined {
  return /^src\/capabilities\/([^/]+)\//.exec(path)?.[1]
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
