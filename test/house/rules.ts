import { posix } from 'node:path'
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
  cli: 6,
  capabilities: 7,
  foreword: 8,
  testing: 8,
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
