import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import type { ModelErrorCode } from '../src/model.ts'
import { type ErrorCode, errorCodes } from '../src/platform.ts'
import type { BackupErrorCode } from '../src/capabilities/backup/backup-error.ts'
import type { RuntimeErrorCode } from '../src/capability.ts'
import type { SearchErrorCode } from '../src/search/search-error.ts'
import type { HttpErrorCode } from '../src/server/failure.ts'
import type { StoreErrorCode } from '../src/session.ts'
import type { SubjectErrorCode } from '../src/capabilities/subjects/core/subjects.ts'

/** What the rooms declare: the compiler refuses a code that the list does not have. */
type Declared =
  | BackupErrorCode
  | HttpErrorCode
  | ModelErrorCode
  | RuntimeErrorCode
  | SearchErrorCode
  | StoreErrorCode
  | SubjectErrorCode
const declared = (code: Declared): ErrorCode => code
/** Every error of the runtime has a status over HTTP. */
const answered = (code: RuntimeErrorCode): HttpErrorCode => code

test('no error is made with a code that the list does not have', () => {
  assert.equal(declared(answered('not-found')), 'not-found')
  assert.deepEqual(
    madeCodes().filter(({ code }) => !Object.hasOwn(errorCodes, code)),
    [],
  )
})

test('no code is in the list that nothing makes or declares', () => {
  const source = sources().map(({ text }) => text)
  const unused = Object.keys(errorCodes).filter((code) => !source.some((text) => text.includes(`'${code}'`)))
  assert.deepEqual(unused, [])
})

/** Of classes whose code is any text. */
const MADE = /\b(?:new (?:CommandFailure|ForewordError)\(|(?:readonly )?code = )\s*'([a-z-]+)'/g

function madeCodes() {
  return sources().flatMap(({ path, text }) => Array.from(text.matchAll(MADE), ([, code]) => ({ path, code: code! })))
}

function sources() {
  const root = join(import.meta.dirname, '..', 'src')
  return globSync('**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts') && path !== join('platform', 'error-codes.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
