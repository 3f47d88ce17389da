import assert from 'node:assert/strict'
import test from 'node:test'
import type { FileRow, FileState } from '../../session.ts'
import { fileFit } from './turn-files.ts'

test('the files of a project are sent in full while they stay below 60 % of window − reserve', () => {
  const budget = { window: 11_000, reserve: 1_000 }
  const fitOf = (...tokens: readonly number[]) => fileFit(tokens.map(text), budget)
  assert.deepEqual([fitOf(5_999).fits, fitOf(5_999).reason?.['limit']], [true, 6_000])
  assert.equal(fitOf(6_000).fits, false)
  assert.equal(fitOf(3_000, 2_999).fits, true)
  assert.equal(fitOf(3_000, 3_000).fits, false)
  assert.deepEqual([fitOf().fits, fitOf().reason], [false, undefined])
})

test('spreadsheets, images and files that could not be read count for nothing', () => {
  const table = row({ type: 'ready', reading: { kind: 'table', content: 'sha256:0', characters: 9, sheets: ['One'] } })
  const image = row({ type: 'ready', reading: { kind: 'image', mediaType: 'image/png' } })
  const failed = row({ type: 'failed', code: 'broken', reason: 'It is broken.' })
  const { fits, tokens, files, tables } = fileFit([text(10), table, image, failed, row({ type: 'processing' })], {
    window: 100,
    reserve: 0,
  })
  assert.deepEqual([fits, tokens, files.length, tables.length], [true, 10, 1, 1])
})

function text(tokens: number): FileRow {
  const reading = { kind: 'text', content: 'sha256:0', characters: 1, tokens, counter: 'tokenx@2' } as const
  return row({ type: 'ready', reading })
}

function row(state: FileState): FileRow {
  return {
    id: 'file_1',
    name: 'a.txt',
    time: '2026-11-21T12:00:00.000Z',
    owner: { type: 'project', id: 'project_1' },
    mediaType: 'text/plain',
    bytes: 1,
    hash: '0',
    state,
  }
}
