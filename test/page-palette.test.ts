import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findItems, type PaletteGroup } from '../web/src/app/palette-search.ts'

const item = (title: string, about?: string) => ({
  id: title,
  title,
  ...(about === undefined ? {} : { about }),
  run: () => undefined,
})
const groups: readonly PaletteGroup[] = [
  { title: 'Go to', items: [item('New conversation'), item('Settings: Models')] },
  { title: 'Commands', items: [item('/model', 'Set the model'), item('/undo', 'Take the last turn back')] },
  { title: 'Sessions', items: [item('Remodelling'), item('Models of tides'), item('Tides')] },
  { title: 'None', items: [] },
]

function found(letters: string): readonly string[] {
  return findItems(groups, letters).map(
    ({ title, items }) => `${title}: ${items.map((each) => each.title).join(' · ')}`,
  )
}

test('the palette shows everything at first', () => {
  assert.deepEqual(found(' '), [
    'Go to: New conversation · Settings: Models',
    'Commands: /model · /undo',
    'Sessions: Remodelling · Models of tides · Tides',
  ])
})

test('the palette finds the beginning first, then words, then parts of words, then what is said about it', () => {
  assert.deepEqual(found('Model'), [
    'Sessions: Models of tides · Remodelling',
    'Go to: Settings: Models',
    'Commands: /model',
  ])
  assert.deepEqual(found('turn'), ['Commands: /undo'])
  assert.deepEqual(found('tds'), ['Sessions: Models of tides · Tides'])
  assert.deepEqual(found('smo'), ['Go to: Settings: Models'])
  assert.deepEqual(found('nco'), ['Go to: New conversation'])
  assert.deepEqual(found('xyz'), [])
})
