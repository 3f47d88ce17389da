import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { backupHome } from '../../src/capabilities/backup/backup-home.ts'
import { compactHome } from '../../src/capabilities/backup/compact-home.ts'
import { restoreHome } from '../../src/capabilities/backup/restore-home.ts'
import { systemClock } from '../../src/runtime.ts'
import { openTeam, say } from './team.ts'

test('a backup beside a running gateway brings everybody back: conversations, files and browsers', async (t) => {
  const team = await openTeam(t)
  const [ann, bob] = [await team.add('ann'), await team.add('bob', 'guest')]
  const session = await say(ann, 'The word is heliotrope.')
  const form = new FormData()
  form.append('file', new Blob(['A note.'], { type: 'text/plain' }), 'note.txt')
  const [file] = (await ann.upload('/api/files', form)).files
  const folder = mkdtempSync(join(tmpdir(), 'foreword-team-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const archive = join(folder, 'team.tar.gz')
  const time = systemClock.time()
  const { leftOut } = await backupHome({ home: team.home, file: archive, version: 'test', time })
  assert.deepEqual(leftOut, [])

  await say(bob, 'This is later than the backup.')
  await ann.json(`/api/sessions/${session}`, { method: 'DELETE' })
  await team.foreword.close()
  await restoreHome({
    home: team.home,
    clock: systemClock,
    file: archive,
    replaces: true,
    time,
    findTargets: async () => [],
    findPrograms: async () => [],
  })
  await team.restart()
  const { sessions } = await ann.json<{ readonly sessions: readonly { readonly id: string }[] }>('/api/sessions')
  assert.deepEqual(
    sessions.map(({ id }) => id),
    [session],
  )
  assert.equal(await (await ann.request(`/api/files/${file!.id}/content`)).text(), 'A note.')
  assert.deepEqual((await bob.json<{ readonly sessions: readonly unknown[] }>('/api/sessions')).sessions, [])
})

test('a backup with the damaged store of a person changes nothing where it is restored', async (t) => {
  const team = await openTeam(t)
  await say(await team.add('ann'), 'Hello')
  await team.foreword.close()
  const file = join(team.home, 'people', 'ann', 'data', 'foreword.sqlite')
  writeFileSync(file, 'this is no store')
  const folder = mkdtempSync(join(tmpdir(), 'foreword-team-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const archive = join(folder, 'team.tar.gz')
  const saving = backupHome({ home: team.home, file: archive, version: 'test', time: systemClock.time() })
  await assert.rejects(saving, /people\/ann\/data\/foreword\.sqlite/)
})

test('a compaction reaches the homes of people', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  const session = await say(ann, 'The word is heliotrope.')
  await ann.json(`/api/sessions/${session}`, { method: 'DELETE' })
  await team.foreword.close()
  const seen: string[] = []
  const { contents } = await compactHome(team.home, systemClock, (text) => void seen.push(text))
  assert.ok(contents > 0)
  assert.ok(seen.includes('the home of ann'))
})
