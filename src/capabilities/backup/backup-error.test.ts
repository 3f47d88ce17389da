import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import test from 'node:test'
import { BackupError, diskFault } from './backup-error.ts'

/** What the disk says, in the form of Node's own errors. */
function refusal(code: string): Error {
  return Object.assign(new Error(`${code}: refused, write`), { code, syscall: 'write' })
}

test('a disk error names the path and what to do', () => {
  const sentences: Readonly<Record<string, RegExp>> = {
    ENOSPC: /^The disk is full at \/backups\. Nothing was changed\. Free some space/,
    EDQUOT: /^The disk is full at \/backups\./,
    EACCES: /^You may not write to \/backups\. .* name another folder\.$/,
    EIO: /^Cannot use \/backups: EIO: refused, write$/,
  }
  for (const [code, sentence] of Object.entries(sentences)) {
    const error = diskFault(refusal(code), '/backups')
    assert.ok(error instanceof BackupError)
    assert.equal(error.code, 'io')
    assert.match(error.message, sentence)
  }
})

test('a disk that is really full is reported in the same way', { skip: process.platform !== 'linux' }, () => {
  try {
    writeFileSync('/dev/full', 'x')
    assert.fail('it was written')
  } catch (error) {
    assert.match((diskFault(error, '/dev') as Error).message, /^The disk is full at \/dev\./)
  }
})

test('every other error stays as it is', () => {
  const stopped = new DOMException('stopped', 'AbortError')
  assert.equal(diskFault(stopped, '/backups'), stopped)
  const own = new BackupError('damaged', 'It is damaged.')
  assert.equal(diskFault(own, '/backups'), own)
})
