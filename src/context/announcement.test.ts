import assert from 'node:assert/strict'
import test from 'node:test'
import { announcement, type DroppedFile } from './announcement.ts'
import { chars } from './token-counter.ts'

const readers = { history: undefined, files: 'read_attachment' }

function announce(files: readonly DroppedFile[]): string | undefined {
  return announcement({ count: 0, unit: 'turn', files }, readers, chars)?.message.content as string | undefined
}

function filesUpTo(last: number): readonly DroppedFile[] {
  return Array.from({ length: last }, (_, index) => ({ id: `f${index + 1}`, name: `notes-${index + 1}.txt` }))
}

test('the first ten files that are no longer shown are named, and the others are counted', () => {
  assert.equal(
    announce(filesUpTo(2)),
    '[files not shown: notes-1.txt (f1), notes-2.txt (f2); read_attachment reads them]',
  )
  const many = announce(filesUpTo(200))!
  assert.match(many, /^\[files not shown: notes-1\.txt \(f1\), .*notes-10\.txt \(f10\) and 190 more; read_attachment/)
  assert.equal(many.length, announce(filesUpTo(200).map((file) => ({ ...file })))!.length)
  assert.ok(announce(filesUpTo(9_999))!.length - many.length < 50)
})

test('a long name is shortened without cutting a character in half', () => {
  const text = announce([{ id: 'f1', name: '😀'.repeat(300) }])!
  assert.equal(text, `[files not shown: ${'😀'.repeat(59)}… (f1); read_attachment reads them]`)
})

test('a file that came with several messages is named once, as the reading tool calls it', () => {
  assert.equal(
    announce([
      { id: 'f1', name: 'sea.txt' },
      { id: 'f1@t2', file: 'f1', name: 'sea.txt' },
    ]),
    '[files not shown: sea.txt (f1); read_attachment reads them]',
  )
})
