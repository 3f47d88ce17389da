import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

/** What is kept of a test. */
export interface TestResult {
  readonly result: 'passed' | 'failed' | 'skipped'
  readonly name: string
  readonly file: string | undefined
  readonly ms: number
  /** Of a failed test: its place and its error. Of a skipped one: the reason. */
  readonly text: string
}

export function isFailed({ result }: TestResult): boolean {
  return result === 'failed'
}

/** A reporter of node's test runner: one line of JSON for each test. Diagnostics of the file go to its output. */
export default async function* reporter(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    const result = resultOf(event)
    if (result !== undefined) yield `${JSON.stringify(result)}\n`
    if (event.type === 'test:diagnostic' && event.data.message.startsWith('Error: '))
      process.stdout.write(`${event.data.message}\n`)
  }
}

function resultOf({ type, data }: TestEvent): TestResult | undefined {
  if (type !== 'test:pass' && type !== 'test:fail') return undefined
  // A suite is no test; what fails in it is reported by itself, unless the suite has failed before its tests.
  if (data.details.type === 'suite' && (type === 'test:pass' || failureOf(data)?.failureType === 'subtestsFailed'))
    return undefined
  const { name, file, line, skip, details } = data
  const rest = { name, file, ms: details.duration_ms }
  if (type === 'test:pass')
    return { result: skip === undefined ? 'passed' : 'skipped', ...rest, text: typeof skip === 'string' ? skip : '' }
  const error = failureOf(data)
  return { result: 'failed', ...rest, text: `${file}:${line}\n${inspect(error?.cause ?? error, { depth: 6 })}` }
}

function failureOf(data: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data']) {
  return 'error' in data.details
    ? (data.details.error as { readonly failureType?: string; readonly cause?: unknown })
    : undefined
}
