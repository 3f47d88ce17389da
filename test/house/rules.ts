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
  session: 2,
  model: 2,
  tool: 2,
  document: 2,
  search: 2,
  citation: 2,
  capability: 3,
  agent: 4,
  runtime: 5,
  server: 6,
  cli: 7,
  capabilities: 8,
  foreword: 9,
  testing: 9,
}

/** Imports upwards, sideways, past a door, from unknown rooms, or of test support by what is published. */
export function roomFaults(sources: Sources, doors: ReadonlySet<string>): readonly string[] {
  return edges(sources).flatMap(({ from, to }) => {
    const [here, there] = [roomOf(from), roomOf(to)]
    const fault = (why: string) => [`${from} imports ${to}: ${why}`]
    if (floors[here] === undefined) return fault(`the room ${here} stands on no floor`)
    if (here === there) return []
    if (floors[there] === undefined) return fault(`the room ${there} stands on no floor`)
    if (there === 'testing' && !isTest(from)) return fault('only tests may import from testing')
    if (there !== 'testing' && floors[there] >= floors[here]) return fault('rooms import downwards only')
    return doors.has(to) || (here === 'foreword' && isCapability(to)) ? [] : fault('not a door')
  })
}

/** The value of a capability: the file that has the name of its folder. */
function isCapability(path: string): boolean {
  return /^src\/capabilities\/([^/]+)\/\1\.ts$/.test(path)
}

/** Capabilities that know each other. What they share stands on a lower floor. */
export function capabilityFaults(sources: Sources): readonly string[] {
  return edges(sources)
    .map((edge) => ({ ...edge, here: capabilityOf(edge.from), there: capabilityOf(edge.to) }))
    .filter(({ here, there }) => here !== undefined && there !== undefined && here !== there)
    .map(({ from, to }) => `${from} imports ${to}: the folders inside src/capabilities/ do not know each other`)
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

/** Imports inside a circle that only types close: what takes part in it can be understood only together. */
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

/** Without what imports nothing of the rest, or is imported by nothing of it: that is in no circle. */
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

/** Words of features that nothing else in the pure room is called by. */
const productWords = ['skill', 'subject', 'project', 'persona', 'soul', 'telegram', 'workspace', 'taste', 'citation']

/** What in the pure room knows a feature of the product: its words or the names of tools, in identifiers and in texts. */
export function productFaults(sources: Sources, toolNames: Iterable<string>): readonly string[] {
  const known = new RegExp(`${wordPattern(productWords)}|['"\`](${[...toolNames].join('|')})['"\`]|AGENTS\\.md`, 'g')
  return [...sources]
    .filter(([path]) => path.startsWith('src/context/') && !isTest(path) && path !== 'src/context/layouts.ts')
    .flatMap(([path, source]) => mentions(path, source, known, 'knows'))
}

/** Names of capabilities that are also plain English, or words of what is below them: only a key of their settings counts. */
const plainNames: ReadonlySet<string> = new Set([
  'agents',
  'date',
  'files',
  'instructions',
  'memory',
  'persona',
  'prompt',
  'projects',
  'shell',
  'search',
  'workspace',
])

/**
 * Files that read what earlier versions stored: entries and columns that were named after a capability keep these names for
 * ever, so whatever reads or migrates them has to name them.
 */
const formerNames: ReadonlySet<string> = new Set(['src/session/choices.ts', 'src/session/sqlite/migrations.ts'])

/** What below the capabilities names one of them, so that taking it off the list would leave something of it. */
export function namedCapabilities(sources: Sources): readonly string[] {
  const names = [...new Set([...sources.keys()].flatMap((path) => capabilityOf(path) ?? []))]
  const words = names.filter((name) => !plainNames.has(name)).map(inPieces)
  const keys = names.filter((name) => plainNames.has(name)).join('|')
  const known = new RegExp(`${wordPattern(words)}|['"\`](?:${keys})\\.[\\w.]+['"\`]`, 'g')
  return [...sources]
    .filter(([path]) => floors[roomOf(path)]! < floors['capabilities']! && !isTest(path))
    .filter(([path]) => path !== 'src/context/layouts.ts' && !formerNames.has(path))
    .flatMap(([path, source]) => mentions(path, source, known, 'names'))
}

/** `web-access` is written `webAccess`, `web_access`, `WebAccess` or `web access` as well; `skills` is `skill` too. */
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

/** Each thing that a file says once, however often it does, so that a list of them is not about lines. */
function mentions(path: string, source: string, known: RegExp, verb: string): readonly string[] {
  const { text } = sourceText(source)
  const words = [...text.matchAll(known)].map(([word]) => word.replaceAll(/['"`]/g, '').toLowerCase())
  return [...new Set(words)].map((word) => `${path} ${verb} ${word}`)
}

const impure =
  /(?<![.\w])(?:async|await|Promise|Date|process|globalThis|performance|crypto|require|fetch|console|setTimeout|setInterval|queueMicrotask)\b|\bMath\s*\.\s*random\b/g

/** What would tie the pure room to a machine, a moment or another room. */
export function purityFaults(sources: Sources): readonly string[] {
  return [...sources]
    .filter(([path]) => /^src\/context(\/|\.ts$)/.test(path) && !isTest(path))
    .flatMap(([path, source]) => [
      ...importsOf(source)
        .filter((one) => !isPure(path, one))
        .map(({ specifier }) => `${path} imports ${specifier}`),
      ...[...sourceText(source).code.matchAll(impure)].map(([word]) => `${path} says ${word}`),
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

/** Files that ask for a layout by its name: what layouts differ in is a field of the layout, in the one file that defines them. */
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

/** Names that say nothing, and doors that do not say what they let through. */
export function habitFaults(sources: Sources): readonly string[] {
  const drawers = [...sources.keys()]
    .filter((path) => /^(?:utils?|helpers?|types|misc|common)(?:\.|$)/.test(posix.basename(path)))
    .map((path) => `${path}: a drawer; name the file for what it gives`)
  const blanket = [...sources]
    .filter(([, source]) => /\bexport\s*\*/.test(sourceText(source).code))
    .map(([path]) => `${path}: export * hides what the door lets through`)
  return [...drawers, ...blanket]
}

export type Door = string | { readonly 'foreword-source'?: string; readonly types?: string; readonly default?: string }

/** Where `exports` of package.json and the doors on disk differ. A room without any file yet is no fault. */
export function exportFaults(doors: Readonly<Record<string, Door>>, sources: Sources): readonly string[] {
  const promised = Object.entries(doors).filter(([name]) => name !== './package.json')
  const named = new Set(promised.map(([, door]) => (typeof door === 'string' ? door : door['foreword-source'])))
  const unnamed = [...sources.keys()]
    .filter((path) => /^src\/[^/]+\.ts$/.test(path) && !isTest(path) && !named.has(`./${path}`))
    .map((path) => `${path} is a door that package.json does not export`)
  return [...promised.flatMap(([name, door]) => doorFaults(name, door, sources)), ...unnamed]
}

function doorFaults(name: string, door: Door, sources: Sources): readonly string[] {
  const stem = name === '.' ? 'foreword' : name.slice(2)
  const wanted = {
    'foreword-source': `./src/${stem}.ts`,
    types: `./dist/${stem}.d.ts`,
    default: `./dist/${stem}.js`,
  }
  if (JSON.stringify(door) !== JSON.stringify(wanted)) return [`${name} should be ${JSON.stringify(wanted)}`]
  const room = stem.split('/')[0]
  const begun = [...sources.keys()].some((path) => path.startsWith(`src/${room}/`) && !isTest(path))
  return begun && !sources.has(`src/${stem}.ts`) ? [`${name} is exported, but src/${stem}.ts is not there`] : []
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
