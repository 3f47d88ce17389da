import assert from 'node:assert/strict'
import test from 'node:test'
import { table } from './table.ts'

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
