import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'node:test'
import { openedHome } from './home/opened-home.ts'

/** A store with sessions, an agent, a project and a file in it, written when each of these had an entry of its own. */
const before = readFileSync(join(import.meta.dirname, 'home', 'store-before-choices.sql'), 'utf8')

const poet = 'agent_3aswjk0273ng'
const atlas = 'project_nnyy00jnpcdn'

test('a home of an earlier version without choices works: its choices apply, and its calls are the same', async (t) => {
  const files = { 'subjects/reef/brief.md': 'The reef north of the harbour.\n' }
  const opened = await openedHome(t, files, { context: { timeZone: 'UTC' } })
  await opened.runtime.close()
  const data = join(opened.home, 'data')
  mkdirSync(data, { recursive: true })
  for (const name of ['foreword.sqlite', 'foreword.sqlite-wal', 'foreword.sqlite-shm'])
    rmSync(join(data, name), { force: true })
  const database = new DatabaseSync(join(data, 'foreword.sqlite'))
  database.exec(`begin; ${before} commit`)
  database.close()

  const { runtime, say } = await opened.reopened()
  const sessions = await runtime.store.sessions()
  assert.deepEqual(
    sessions.map(({ choices }) => choices),
    [{ agent: poet }, { project: atlas, subject: 'reef' }],
  )
  for (const { id, turns } of sessions) {
    const { calls, identical, different } = await runtime.replay(id)
    assert.deepEqual([calls, identical, different], [turns, turns, []])
  }
  const sent = async (session: string) => {
    const { entries } = await say('And today?', session)
    const call = entries.flatMap((entry) => (entry.type === 'assembly' ? entry.call : []))[0]!
    const { request } = await runtime.request(call)
    return JSON.stringify(request)
  }
  const [withPoet, inAtlas] = sessions.map(({ id }) => id)
  assert.match(await sent(withPoet!), /You are a poet\. Rhyme\./)
  const ofAtlas = await sent(inAtlas!)
  assert.match(ofAtlas, /Maps only\./)
  assert.doesNotMatch(ofAtlas, /You are a poet/)
  const { request } = await runtime.preview({ session: inAtlas! })
  assert.match(JSON.stringify(request.messages), /High water is at noon.*The reef north of the harbour/s)
  await runtime.choose(inAtlas!, { agent: poet, project: null })
  assert.deepEqual((await runtime.store.session(inAtlas!))?.choices, { subject: 'reef', agent: poet })
  assert.match(await sent(inAtlas!), /You are a poet\. Rhyme\./)
  await assert.rejects(runtime.choose(inAtlas!, { agent: 'nobody' }), { code: 'not-found' })
  await assert.rejects(runtime.choose(inAtlas!, { berth: 'north' }), {
    code: 'invalid-input',
    message: /subject, layout, agent/,
  })
})
