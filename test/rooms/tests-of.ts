import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'

const source = join(import.meta.dirname, '../../src')

/** The rooms whose tests share one process. A room that is named nowhere fails `lower.test.ts`. */
export const rooms = {
  lower: ['citation', 'context', 'document', 'model', 'platform', 'search', 'session', 'tool'],
  upper: ['agent', 'capabilities', 'capability', 'cli', 'foreword', 'runtime', 'server', 'testing'],
} as const

/**
 * Runs the tests that stand beside the code of these rooms, one after another in this process. A process for each of
 * some 140 small files would take longer to load the same modules than the tests take to run.
 */
export async function runTestsOf(names: readonly string[]): Promise<void> {
  // Some tests wait for timers that keep no process alive. Tests run in the order of their registration.
  const alive = setInterval(() => {}, 60_000)
  const files = names.flatMap((room) => globSync(join(source, room, '**/*.test.ts')).toSorted())
  for (const file of files) await import(pathToFileURL(file).href)
  test('every file was loaded and its tests have ended', () => {
    clearInterval(alive)
    assert.ok(files.length > 0)
  })
}
