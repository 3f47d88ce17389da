// Runs tests and checks as one queue of work: the longest first, two more at a time than there are processors,
// since tests also wait.
//
//   node scripts/checks.ts [unit] [slow] [page] [static]   one or more suites; all of them without a word
//   node scripts/checks.ts FILE …                          test files, each in a process of its own
//     --workers=N     how many items run at a time
//     --slowest=N     prints the tests that took longest
//     --record        keeps how long each item took, for the order of later runs
//
// A test file that fails is run once more alone. If it passes then it is flaky: the run passes, and reports it.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPage } from './build-page.mjs'
import { keepTemporaryFilesInMemory } from './checks/memory-folder.ts'
import { type Item, itemsOf, namedItems, suites } from './checks/items.ts'
import { inQueue } from './checks/queue.ts'
import { isFailed, type TestResult } from './checks/reporter.ts'
import { endAll, endedCpuSeconds, memoryFlags, type Outcome, runItem } from './checks/run-item.ts'
import { shareBrowser } from './checks/shared-browser.ts'

const root = join(import.meta.dirname, '..')
const durationsFile = join(import.meta.dirname, 'checks', 'durations.json')
/** Of an item that was never recorded: early, since it may be long. */
const UNKNOWN_SECONDS = 20

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    workers: { type: 'string', default: String(Math.min(8, availableParallelism() + 2)) },
    slowest: { type: 'string', default: '0' },
    record: { type: 'boolean', default: false },
  },
})
const files = positionals.filter((word) => word.includes('.'))
const named = suites.filter((suite) => positionals.includes(suite))
const unknown = positionals.filter((word) => !files.includes(word) && !suites.some((suite) => suite === word))
if (unknown.length > 0) {
  process.stderr.write(`No suite is named ${unknown.join(', ')}. Usage: checks.ts [${suites.join('] [')}] or FILE …\n`)
  process.exit(2)
}
const items =
  files.length > 0
    ? namedItems(files)
    : (named.length > 0 ? named : suites).flatMap((suite) => [...itemsOf(suite, root)])
const durations = JSON.parse(readFileSync(durationsFile, 'utf8')) as Record<string, number>
const started = performance.now()
const outcomes = new Map<Item, Outcome>()
const flaky: { readonly item: Item; readonly results: readonly TestResult[] }[] = []

let isStopped = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    print('Stopped.')
    isStopped = true
    void endAll().then(() => process.exit(130))
  })
}
// Each test file, and each gateway that a test starts, is a process that loads the same few hundred modules; with the cache of
// `bin/foreword.js` only the first one strips their types and compiles them.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
// The compiler and the linter are written in Go: a collector of garbage that waits longer costs a quarter less processor time.
process.env['GOGC'] ??= '400'
const hasPage = items.some(({ suite }) => suite === 'page')
// An older page would fail tests of what is new, or pass them.
if (hasPage) buildPage()
// The browser is unpacked on disk, where it is found by the next run.
const browser = hasPage ? await shareBrowser() : undefined
keepTemporaryFilesInMemory()
// A start from one bundle costs a third of one from some seven hundred files, and whole suites make a few hundred starts.
if (files.length === 0 && items.some(({ suite }) => suite === 'slow' || suite === 'page'))
  process.env['TEST_FOREWORD'] = buildProgram()
const { NODE_TEST_CONTEXT: _, ...environment } = process.env
if (browser !== undefined) environment['TEST_BROWSER'] = browser.endpoint

await inQueue(items, Number(options.workers), secondsOf, async (item) => {
  const outcome = await run(item)
  outcomes.set(item, outcome)
  report(`${outcomes.size}/${items.length}`, item.name, outcome)
  return !outcome.results.some(isFailed)
})
for (const [item, outcome] of outcomes) {
  if (outcome.results.some(isFailed) && isWorthAnother(item)) await runAgain(item, outcome)
}
await browser?.close()
if (options.record) record()
finish()

/** Its path. It is removed at the end. */
function buildProgram(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-program-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Tests start it as another user, too.
  chmodSync(folder, 0o755)
  execFileSync(process.execPath, [join(import.meta.dirname, 'checks', 'built-program.mjs'), folder, ...memoryFlags])
  return join(folder, 'bin', 'foreword.js')
}

/** What is interrupted never ends, so that nothing follows it. */
async function run(item: Item): Promise<Outcome> {
  const outcome = await runItem(item, root, environment)
  return isStopped ? new Promise(() => {}) : outcome
}

/** Each test file that failed, alone. A process of which it cannot be said which file has failed runs all of them. */
async function runAgain(item: Item, first: Outcome): Promise<void> {
  const failed = first.results.filter(isFailed)
  const work = item.work.type === 'tests' ? { ...item.work, files: failedFiles(item.work.files, failed) } : item.work
  const names = work.type === 'tests' ? work.files : [item.name]
  print(`\nOnce more, alone: ${names.length > 3 ? item.name : names.join(', ')}`)
  const second = await run({ ...item, work })
  report('again', item.name, second)
  const isWhole = work.type !== 'tests' || item.work.type !== 'tests' || work.files.length === item.work.files.length
  const kept = isWhole ? [] : first.results.filter(({ file }) => !names.some((name) => isAt(file, name)))
  outcomes.set(item, { ...second, results: [...kept, ...second.results] })
  if (!second.results.some(isFailed)) flaky.push({ item, results: failed })
}

function failedFiles(all: readonly string[], failed: readonly TestResult[]): readonly string[] {
  const found = all.filter((name) => failed.some(({ file }) => isAt(file, name)))
  return failed.every(({ file }) => found.some((name) => isAt(file, name))) ? found : all
}

function isAt(file: string | undefined, name: string): boolean {
  return file === join(root, name)
}

/** What looks at the code alone finds the same again. */
function isWorthAnother({ suite, name }: Item): boolean {
  return suite !== 'static' || name.startsWith('examples/') || name === 'the package as it is installed'
}

function secondsOf({ name }: Item): number {
  return durations[name] ?? UNKNOWN_SECONDS
}

function report(place: string, name: string, { results, output, seconds, cpuSeconds }: Outcome): void {
  const failed = results.filter(isFailed)
  const cpu = cpuSeconds === undefined ? '' : `, ${cpuSeconds.toFixed(1)} s of processor time`
  print(`${failed.length > 0 ? '✖' : '✔'} ${place} ${name}: ${counted(results)} in ${seconds.toFixed(1)} s${cpu}`)
  if (failed.length === 0) return
  for (const test of failed) print(`\n✖ ${test.name}\n${test.text.replace(/^/gm, '  ')}`)
  if (output.trim() !== '') print(`\nIt printed:\n${output.trimEnd().replace(/^/gm, '  ')}\n`)
}

function counted(results: readonly TestResult[]): string {
  const number = (result: TestResult['result']) => results.filter((test) => test.result === result).length
  const skipped = number('skipped')
  return `${number('passed')} passed, ${number('failed')} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

function record(): void {
  const recorded = [...outcomes].map(([{ name }, { seconds }]) => [name, Math.ceil(seconds)])
  const known = new Set(suites.flatMap((suite) => itemsOf(suite, root).map(({ name }) => name)))
  const all = Object.entries({ ...durations, ...Object.fromEntries(recorded) }).filter(([name]) => known.has(name))
  const sorted = Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(durationsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

function finish(): void {
  const results = [...outcomes.values()].flatMap((outcome) => outcome.results)
  const skips = Map.groupBy(
    results.filter(({ result }) => result === 'skipped'),
    ({ text, name }) => text || name,
  )
  for (const [reason, tests] of skips) print(`skipped ${tests.length}: ${reason}`)
  for (const test of results.toSorted((one, other) => other.ms - one.ms).slice(0, Number(options.slowest)))
    print(`${(test.ms / 1000).toFixed(1)} s: ${test.name} (${test.file?.replace(`${root}/`, '') ?? ''})`)
  const failed = [...outcomes].filter(([, outcome]) => outcome.results.some(isFailed))
  for (const { name, needs } of items.filter((item) => !outcomes.has(item)))
    print(`not run: ${name}, since it needs ${needs.join(', ')}`)
  for (const [item, outcome] of failed)
    for (const test of outcome.results.filter(isFailed)) print(`failed: ${item.name}: ${test.name}`)
  if (flaky.length > 0) {
    print('\nThese failed, and passed when they ran again alone. Add to docs/decisions/flaky-tests.md:')
    const day = new Date().toISOString().slice(0, 10)
    for (const { item, results: tests } of flaky)
      for (const test of tests) print(`| ${day} | ${item.name} | ${test.name} | |`)
    print(`${flaky.length} flaky`)
  }
  const cpu = endedCpuSeconds()
  print(
    `${minutes((performance.now() - started) / 1000)}${cpu === undefined ? '' : `, ${minutes(cpu)} of processor time`}`,
  )
  print(counted(results))
  process.exitCode = failed.length > 0 ? 1 : 0
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
