import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A figure of a run, in the unit that its name tells, and what stood beside it in the same run: a floor or a rival. */
export interface Figure {
  readonly value: number
  readonly beside?: number
}

/** What a command measured at a commit. */
export interface Run {
  /** The command without `npm run `. */
  readonly bench: string
  /** The commit on which it ran, twelve digits, with `+` where files had changed since. */
  readonly commit: string
  /** ISO 8601, without a time. */
  readonly date: string
  readonly figures: Readonly<Record<string, Figure>>
}

const file = join(import.meta.dirname, 'history.jsonl')

/**
 * Keeps what a command has measured, where it was called with `--record`: worse figures as well as better ones. README and
 * `docs/measured.md` are written from it (`npm run docs`).
 */
export function keepFigures(bench: string, figures: Readonly<Record<string, Figure>>): void {
  if (!process.argv.includes('--record')) return
  const git = (...words: readonly string[]) =>
    execFileSync('git', words, { cwd: import.meta.dirname, encoding: 'utf8' })
  const commit = `${git('rev-parse', '--short=12', 'HEAD').trim()}${git('status', '--porcelain', '../src') === '' ? '' : '+'}`
  const rounded = Object.entries(figures).map(([name, figure]) => {
    return [
      name,
      Object.fromEntries(Object.entries(figure).map(([key, number]) => [key, Number(number.toPrecision(3))])),
    ]
  })
  const run = { bench, commit, date: new Date().toISOString().slice(0, 10), figures: Object.fromEntries(rounded) }
  appendFileSync(file, `${JSON.stringify(run)}\n`)
  console.log(`\nKept in bench/history.jsonl.`)
}

/** All runs that were kept, oldest first. */
export function keptRuns(): readonly Run[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Run)
}
