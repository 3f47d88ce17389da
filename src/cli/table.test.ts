import assert from 'node:assert/strict'
import test from 'node:test'
import { cutToCells, table } from './table.ts'

test('columns are aligned by the cells that a terminal gives their signs', () => {
  const rows = [
    ['skill', 'full', 'from'],
    ['数据分析', '16', 'skills/data'],
    ['ünïcode', '9', 'skills/ünïcode'],
    ['u\u0308ber', '10', 'x'],
    ['🎉', '1', 'y'],
  ]
  assert.deepEqual(table(rows, [1]).split('\n'), [
    'skill     full  from',
    '数据分析    16  skills/data',
    'ünïcode      9  skills/ünïcode',
    'u\u0308ber        10  x',
    '🎉           1  y',
  ])
})

test('a text is cut to the cells of a terminal, wide signs counted as two', () => {
  assert.equal(cutToCells('日本語', 6), '日本語')
  assert.equal(cutToCells('日本語', 5), '日本…')
  assert.equal(cutToCells('a日本語', 5), 'a日…')
})
