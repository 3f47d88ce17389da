import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connected, kinds, ways } from './clients.ts'
import { mcpHome, oneSubject } from './mcp-home.ts'

for (const way of ways) {
  for (const kind of kinds) {
    test(`a ${kind} client over ${way} reads, works and proposes; a person confirms; it reads what was confirmed`, async (t) => {
      const home = await mcpHome(t, { files: oneSubject })
      const { client, call } = await connected(t, home, kind, way)

      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        [
          'read_context',
          'read_full_notes',
          'log_operation',
          'log_gap',
          'propose_taste_update',
          'propose_notes_update',
          'context_of_call',
          'costs',
          'explain_last_call',
          'assemble',
        ],
      )

      const before = await call('read_context', { image_id: 'one' })
      assert.deepEqual(before.data, {
        tastes: {
          default: 'Keep it quiet.\n',
          genres: { night: oneSubject['tastes/night.md'], calm: oneSubject['tastes/calm.md'] },
          conflicts: [{ point: 'No halos.', files: ['night', 'calm'] }],
        },
        brief: {
          raw: oneSubject['subjects/one/brief.md'],
          intent: 'A harbour before dawn.',
          tastes: ['night', 'calm'],
        },
        notes: { summary: oneSubject['subjects/one/notes.md'], truncated: false },
        recent_log: [{ timestamp: '2026-01-01T00:00:00Z', op: 'open', details: { frame: 7 } }],
        recent_gaps: [],
      })
      assert.deepEqual(JSON.parse(before.texts[0]!), before.envelope)
      assert.deepEqual(before.envelope.error, null)

      await call('log_operation', { subject_id: 'one', op: 'crop', details: { left: 3 } })
      await call('log_gap', { image_id: 'one', description: 'No word for the haze.' })
      const proposed = await call('propose_notes_update', { image_id: 'one', content: 'The haze stays.' })
      assert.equal(proposed.data.status, 'waiting for a person')
      assert.match(proposed.data.diff!, /^\+The haze stays\.$/m)
      assert.deepEqual([proposed.data.file, proposed.data.category], ['subjects/one/notes.md', null])
      assert.equal(readFileSync(join(home.home, 'subjects/one/notes.md'), 'utf8'), oneSubject['subjects/one/notes.md'])

      const [waiting] = await home.runtime.proposals.list({ state: 'waiting' })
      assert.deepEqual(waiting!.by, { tool: 'propose_notes_update', client: 'a client of the test' })
      await home.runtime.proposals.decide(waiting!.id, { type: 'confirm', digest: waiting!.digest, by: 'cli' })

      const after = await call('read_context', { image_id: 'one' })
      assert.match(after.data.notes!.summary, /The haze stays\./)
      assert.deepEqual([after.data.recent_log![0]!.op, after.data.recent_log![0]!.details], ['crop', { left: 3 }])
      assert.equal(after.data.recent_gaps![0]!.description, 'No word for the haze.')
      assert.deepEqual(home.faults, [])
    })
  }
}

test('the audit has what a client wrote, with its name, and not what it read', async (t) => {
  const home = await mcpHome(t, { files: oneSubject })
  const { call } = await connected(t, home, 'v2 2026-07-28', 'http')
  await call('read_context', { image_id: 'one' })
  await call('log_operation', { image_id: 'one', op: 'crop' })

  const records = await home.runtime.store.audit()
  assert.deepEqual(
    records.map(({ kind, tool, decision, rule, reason, ok }) => ({ kind, tool, decision, rule, reason, ok })),
    [
      {
        kind: 'decision',
        tool: 'log_operation',
        decision: 'allowed',
        rule: 'mcp',
        reason: 'called by a client of the test',
        ok: undefined,
      },
      {
        kind: 'call',
        tool: 'log_operation',
        decision: undefined,
        rule: 'mcp',
        reason: 'called by a client of the test',
        ok: true,
      },
    ],
  )
  assert.deepEqual((await home.runtime.verifyAudit()).type, 'whole')
})
