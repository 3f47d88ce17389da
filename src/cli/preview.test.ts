import assert from 'node:assert/strict'
import test from 'node:test'
import { bar } from './preview.ts'

const utf8 = { environment: {} }

test('a bar shows what is used, what is free and what is reserved', () => {
  assert.equal(bar({ used: 50, whole: 100 }, 10, utf8), '█████░░░░░')
  assert.equal(bar({ used: 50, reserved: 20, whole: 100 }, 10, utf8), '█████░░░▒▒')
  assert.equal(bar({ used: 50, reserved: 20, whole: 100 }, 10, { environment: { TERM: 'dumb' } }), '#####---..')
})

test('a little is never drawn as nothing, and nearly full never as full', () => {
  assert.equal(bar({ used: 1, whole: 1_000_000 }, 4, utf8), '█░░░')
  assert.equal(bar({ used: 99, whole: 100 }, 4, utf8), '███░')
  assert.equal(bar({ used: 100, whole: 100 }, 4, utf8), '████')
  assert.equal(bar({ used: 80, reserved: 20, whole: 100 }, 5, utf8), '████▒')
  assert.equal(bar({ used: 500, reserved: 20, whole: 100 }, 5, utf8), '████▒')
  assert.equal(bar({ used: 0, whole: 0 }, 3, utf8), '░░░')
})
