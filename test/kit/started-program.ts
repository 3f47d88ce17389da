import { dirname, join } from 'node:path'

const built = process.env['TEST_FOREWORD']

/** `bin/foreword.js` over the source. */
export const sourceForeword = join(import.meta.dirname, '..', '..', 'bin', 'foreword.js')

/** The program that tests start: the bundle of it that `scripts/checks.ts` makes for a run of whole suites, otherwise the source. */
export const foreword = built ?? sourceForeword

/**
 * What Node is given to start a program in a test: memory as this process has it. V8 keeps compiled code apart by these flags, so
 * that a program without them, which is killed before it keeps its own, compiles everything again.
 */
export const memoryFlags = process.execArgv.filter((word) =>
  /^--(?:single-threaded-gc|initial-old-space-size|max-semi-space-size)\b/.test(word),
)

/** Of a start of `foreword`: its compiled code is removed together with the bundle. */
export const startEnvironment: Readonly<Record<string, string>> =
  built === undefined ? {} : { NODE_COMPILE_CACHE: join(dirname(dirname(built)), 'compiled') }
