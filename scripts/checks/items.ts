import { globSync } from 'node:fs'
import { sharedFiles } from './shared-files.ts'

/** A piece of work: test files in one process, or another command. */
export interface Item {
  readonly name: string
  readonly suite: Suite
  readonly work: { readonly type: 'tests'; readonly files: readonly string[] } | Command
  /** Names of items that have to pass before this one starts. */
  readonly needs: readonly string[]
}

interface Command {
  readonly type: 'command'
  readonly program: string
  readonly words: readonly string[]
}

/** `static` is what looks at the code alone, and the package as it is published. */
export type Suite = 'unit' | 'slow' | 'page' | 'static'

export const suites: readonly Suite[] = ['unit', 'slow', 'page', 'static']

const filesOfSuite = {
  unit: '{src,test}/**/*.test.ts',
  slow: 'test/**/*.slow.ts',
  page: 'test/page/*.browser.ts',
}

/** Every piece of work of a suite. A file is in one of them. */
export function itemsOf(suite: Suite, root: string): readonly Item[] {
  const filesOf = (patterns: readonly string[]) => globSync([...patterns], { cwd: root }).toSorted()
  if (suite === 'static') return [...checks, ...filesOf(['examples/**/*.{ts,mjs}']).map(exampleItem)]
  const shared = Object.entries(sharedFiles[suite]).map(([name, patterns]) => testItem(suite, name, filesOf(patterns)))
  const inOne = new Set(filesOf(Object.values(sharedFiles).flatMap((names) => Object.values(names).flat())))
  const own = filesOf([filesOfSuite[suite]]).filter((file) => !inOne.has(file))
  return [...shared, ...own.map((file) => testItem(suite, file))]
}

/** Test files that were named one by one. Each has a process of its own. */
export function namedItems(files: readonly string[]): readonly Item[] {
  return files.map((file) => testItem(suiteOf(file), file))
}

function suiteOf(file: string): Suite {
  if (file.endsWith('.browser.ts')) return 'page'
  return file.endsWith('.slow.ts') ? 'slow' : 'unit'
}

function testItem(suite: Suite, name: string, files: readonly string[] = [name]): Item {
  return { name, suite, work: { type: 'tests', files }, needs: [] }
}

function exampleItem(file: string): Item {
  return command(file, process.execPath, ['--conditions=foreword-source', file])
}

function command(name: string, program: string, words: readonly string[], needs: readonly string[] = []): Item {
  return { name, suite: 'static', work: { type: 'command', program, words }, needs }
}

const bin = (name: string) => `node_modules/.bin/${name}`

const checks: readonly Item[] = [
  command('format', bin('oxfmt'), ['--check', '.']),
  command('lint', bin('oxlint'), ['--type-aware', '--deny-warnings']),
  // Several threads of the compiler only wait for each other here: they cost a quarter more processor time.
  command('types', bin('tsc'), ['--noEmit', '--singleThreaded']),
  command('types of the page', bin('tsc'), ['--noEmit', '--singleThreaded', '-p', 'web']),
  command('unused code and dependencies', bin('knip'), []),
  command('build', process.execPath, ['scripts/build.mjs']),
  command('publint', bin('publint'), ['--strict'], ['build']),
  command('a second build makes the same package', process.execPath, ['scripts/reproducible.mjs'], ['build']),
  command('the package as it is installed', process.execPath, ['scripts/smoke-packed.mjs', '--built'], ['build']),
]
