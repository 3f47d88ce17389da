import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { importsOf } from '../../test/house/imports.ts'
import { sourceText } from '../../test/house/source-text.ts'

export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly lines: number
}

export type Sources = ReadonlyMap<string, SourceFile>

/** The TypeScript of some folders, by path from the root. */
export function sourcesOf(root: string, folders: readonly string[]): Sources {
  const paths = folders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path))
      : [],
  )
  return new Map(
    paths
      .map((path) => path.split(sep).join('/'))
      .filter((path) => /\.(?:tsx?|mjs)$/.test(path))
      .toSorted()
      .map((path) => {
        const text = readFileSync(join(root, path), 'utf8')
        return [path, { path, text, lines: text.split('\n').length - 1 }]
      }),
  )
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

export function roomOf(path: string): string {
  return path.split('/')[1]!.replace(/(?:\.test)?\.ts$/, '')
}

const parameters = String.raw`\([^()]*(?:\([^()]*\)[^()]*)*\)`
const functionForms = [
  /\bfunction\*?\s+\w+/g,
  new RegExp(
    String.raw`\b(?:const|let)\s+\w+\s*=\s*(?:async\s*)?(?:<[^>]*>\s*)?(?:${parameters}(?:\s*:[^=]+?)?|\w+)\s*=>`,
    'g',
  ),
  new RegExp(String.raw`^\s+\w+:\s*(?:async\s*)?(?:${parameters}|\w+)\s*=>`, 'gm'),
  /^\s+(?:(?:async|get|set|static)\s+|\*)*(?!(?:if|for|while|switch|catch|function|return)\b)\w+(?:<[^>]*>)?\([^;{}]*\)(?:\s*:\s*[^;{}=]+)?\s*\{$/gm,
]

/** How many functions of a source have a name: declarations, methods, and those that a constant or a property holds. By their form. */
export function namedFunctions(text: string): number {
  const { code } = sourceText(text)
  return functionForms.reduce((sum, form) => sum + (code.match(form)?.length ?? 0), 0)
}

/** Files that one file alone imports, by what imports them. */
export function soleImports(sources: Sources): ReadonlyMap<string, string> {
  const importers = new Map<string, Set<string>>()
  for (const { path, text } of sources.values()) {
    for (const { specifier } of importsOf(text)) {
      const target = posix.join(posix.dirname(path), specifier)
      if (sources.has(target)) importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  }
  return new Map([...importers].filter(([, { size }]) => size === 1).map(([path, [sole]]) => [path, sole!]))
}

/** Files under thirty lines that one file alone imports, one in their own folder: they usually belong into it. */
export function smallParts(sources: Sources): readonly string[] {
  return [...soleImports(sources)]
    .filter(([path, sole]) => sources.get(path)!.lines < 30 && posix.dirname(sole) === posix.dirname(path))
    .map(([path]) => path)
    .toSorted()
}

const declaration =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

/** Names that more than one file declares and exports. */
export function namesTwice(sources: Sources): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>()
  for (const { path, text } of sources.values()) {
    for (const name of new Set([...text.matchAll(declaration)].map(([, found]) => found!))) {
      places.set(name, [...(places.get(name) ?? []), path])
    }
  }
  return new Map([...places].filter(([, files]) => files.length > 1))
}

const imported = /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g
const later = /\{([^{}]*)\}\s*=\s*await\s+import\(\s*['"]([^'"]+)['"]\s*\)/g
const member = /\(await\s+import\(\s*['"]([^'"]+)['"]\s*\)\)\s*\.\s*(\w+)/g

/** `room name` for each name that a file takes from a room of the package that is not its own, by whatever path. */
export function namesTaken(sources: Sources, packageName: string): ReadonlySet<string> {
  const taken = new Set<string>()
  for (const { path, text } of sources.values()) {
    const take = (names: string, specifier: string): void => {
      const room = roomBehind(path, specifier, packageName)
      if (room === undefined || (path.startsWith('src/') && room === roomOf(path))) return
      for (const name of names.split(',')) taken.add(`${room} ${plainName(name)}`)
    }
    for (const [, names, specifier] of [...text.matchAll(imported), ...text.matchAll(later)]) take(names!, specifier!)
    for (const [, specifier, name] of text.matchAll(member)) take(name!, specifier!)
  }
  return taken
}

function roomBehind(path: string, specifier: string, packageName: string): string | undefined {
  if (specifier === packageName) return packageName
  if (specifier.startsWith(`${packageName}/`)) return specifier.split('/')[1]
  if (!specifier.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(path), specifier)
  return target.startsWith('src/') ? roomOf(target) : undefined
}

/** The name in the room: of `type a as b` it is `a`. */
function plainName(part: string): string {
  return part
    .replace(/\/\/.*$/gm, '')
    .trim()
    .replace(/^type\s+/, '')
    .split(/\s+as\s+|\s*:\s*/)[0]!
    .trim()
}
