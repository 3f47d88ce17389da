import assert from 'node:assert/strict'
import test from 'node:test'
import type { TextRead } from '../../tool.ts'
import { openPersona } from './open-persona.ts'

test('soul and user profile are layers of the operator, in this order', async () => {
  const { layers, warnings } = await read(
    text('{"soul": {"name": "Ada"}}'),
    text('{"name": "Grace"} // whom it serves'),
  )
  assert.deepEqual(
    layers.map(({ id, renditions, origin }) => [id, renditions[0]!.text, origin]),
    [
      ['soul', '# Soul\n\nName: Ada', { kind: 'operator', ref: 'context/soul.json' }],
      [
        'user-profile',
        '# User Profile\n\n## Identity\n\n- Name: Grace',
        { kind: 'operator', ref: 'context/user_profile.json' },
      ],
    ],
  )
  assert.deepEqual(warnings, [])
})

test('a home without them has no such layers and nothing to warn of', async () => {
  assert.deepEqual(await read({ type: 'missing' }, { type: 'missing' }), { layers: [], warnings: [] })
})

test('where they are expected, a missing file is a blank layer and a warning', async () => {
  const { layers, warnings } = await read({ type: 'missing' }, { type: 'missing' }, true)
  assert.deepEqual(
    layers.map(({ id, renditions }) => [id, renditions[0]!.text]),
    [
      ['soul', ''],
      ['user-profile', ''],
    ],
  )
  assert.deepEqual(warnings, ['context/soul.json is missing', 'context/user_profile.json is missing'])
})

for (const [what, found, warning] of [
  [
    'broken JSON',
    text('{\n  "soul": }'),
    'context/soul.json is not used: no JSON at line 2, column 11 (ValueExpected)',
  ],
  ['an empty file', text(''), 'context/soul.json is not used: no JSON at line 1, column 1 (ValueExpected)'],
  [
    'a field of the wrong kind',
    text('{"soul": {"values": "truth"}}'),
    'context/soul.json is not used: soul.values: Invalid input: expected array, received string',
  ],
  [
    'a list in place of an object',
    text('[]'),
    'context/soul.json is not used: the file: Invalid input: expected object, received array',
  ],
  [
    'a folder',
    { type: 'unreadable', why: 'it is a folder, not a file' },
    'context/soul.json is not used: it is a folder, not a file',
  ],
] as const satisfies readonly (readonly [string, TextRead, string])[]) {
  test(`${what} gives a blank soul and a warning, and the profile is kept`, async () => {
    const { layers, warnings } = await read(found, text('{"name": "Grace"}'))
    assert.deepEqual(
      layers.map(({ id, renditions }) => [id, renditions[0]!.text === '']),
      [
        ['soul', true],
        ['user-profile', false],
      ],
    )
    assert.deepEqual(warnings, [warning])
  })
}

async function read(soul: TextRead, userProfile: TextRead, expected = false) {
  const opened = await openPersona({
    soulFile: 'soul.json',
    userProfileFile: 'user_profile.json',
    expected,
    read: async (path) => (path === 'soul.json' ? soul : userProfile),
  })
  return { layers: opened.layers, warnings: opened.warnings }
}

function text(value: string): TextRead {
  return { type: 'text', text: value }
}
