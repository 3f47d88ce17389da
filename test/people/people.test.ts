import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { type Asker, openTeam, say } from './team.ts'

interface Listed {
  readonly people: readonly {
    readonly name: string
    readonly role: string
    readonly usage?: {
      readonly sessions?: number
      readonly calls?: number
      readonly prompt?: number
      readonly storeBytes: number
      readonly updated?: string
    }
  }[]
}

const sessionsOf = async (who: Asker) =>
  (await who.json<{ readonly sessions: readonly { readonly id: string }[] }>('/api/sessions')).sessions.map(
    ({ id }) => id,
  )

const failure = async (response: Response) =>
  ((await response.json()) as { readonly error: { readonly code: string; readonly hint?: string } }).error

test('somebody who was invited talks in a home of their own, and nobody else sees it', async (t) => {
  const team = await openTeam(t)
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  const session = await say(ann, 'The word is heliotrope.')

  assert.deepEqual(await sessionsOf(ann), [session])
  assert.deepEqual(await sessionsOf(bob), [])
  assert.deepEqual(await sessionsOf(team.owner), [])
  for (const other of [bob, team.owner]) {
    const response = await other.request(`/api/sessions/${session}`)
    assert.equal(response.status, 404)
  }
  const found = await ann.json<{ readonly found: string }>('/api/search/history?q=heliotrope')
  assert.notEqual(found.found, 'nothing')
})

test('the owner sees what people use, and none of their words', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  await say(ann, 'The word is heliotrope.')
  const response = await team.owner.request('/api/people')
  const text = await response.text()
  assert.ok(!text.includes('heliotrope'))
  const { people } = JSON.parse(text) as Listed
  assert.equal(people.length, 1)
  assert.equal(people[0]!.usage!.sessions, 1)
  assert.equal(people[0]!.usage!.calls, 1)
  assert.ok(people[0]!.usage!.prompt! > 0)
})

test('without costs the owner sees what people store', async (t) => {
  const team = await openTeam(
    t,
    {},
    {},
    builtIn.filter(({ name }) => name !== 'costs'),
  )
  await say(await team.add('ann'), 'The word is heliotrope.')
  const { people } = await team.owner.json<Listed>('/api/people')
  const { storeBytes, updated, ...usage } = people[0]!.usage!
  assert.ok(storeBytes > 0)
  assert.match(updated!, /^\d{4}-/)
  assert.deepEqual(usage, { files: 0, fileBytes: 0 })
})

test('an invitation lets one browser in, once', async (t) => {
  const team = await openTeam(t)
  const { invitation } = await team.owner.json<{ readonly invitation: { readonly path: string } }>('/api/people', {
    body: { name: 'ann' },
  })
  const nobody = team.asker('nobody', {})
  const [first, second] = await Promise.all([nobody.request(invitation.path), nobody.request(invitation.path)])
  assert.deepEqual(
    [first.status, second.status].toSorted((one, other) => one - other),
    [303, 401],
  )
  assert.equal((await nobody.request(invitation.path)).status, 401)
  // It is no token, either.
  const bearer = team.asker('bearer', { authorization: `Bearer ${invitation.path.split('=')[1]}` })
  assert.equal((await bearer.request('/api/sessions')).status, 401)
})

test('an invitation that is used or too old says so on a page, in the language of the browser', async (t) => {
  const team = await openTeam(t)
  const { invitation } = await team.owner.json<{ readonly invitation: { readonly path: string } }>('/api/people', {
    body: { name: 'ann' },
  })
  const nobody = team.asker('nobody', {})
  assert.equal((await nobody.request(invitation.path)).status, 303)
  const open = async (headers: Readonly<Record<string, string>>) => {
    const response = await nobody.request(invitation.path, { headers })
    assert.equal(response.status, 401)
    return { type: response.headers.get('content-type'), text: await response.text() }
  }
  const english = await open({ accept: 'text/html,*/*' })
  assert.equal(english.type, 'text/html; charset=utf-8')
  assert.match(english.text, /<html lang="en">.*the invitation was used already.*ask the owner of the gateway/s)
  // Nobody can sign in without a token here.
  assert.doesNotMatch(english.text, /sign-in|script/)
  const german = await open({ accept: 'text/html', 'accept-language': 'fr, en;q=0.5, de-AT;q=0.9' })
  assert.match(german.text, /<html lang="de">.*Dieser Link meldet niemanden an/s)
  const program = await open({ accept: 'application/json', 'accept-language': 'de' })
  assert.match(program.type!, /json/)
  assert.ok(!english.text.includes(invitation.path.split('=')[1]!))
})

test('a guest talks, and decides about nothing; a member decides; neither changes the gateway', async (t) => {
  const team = await openTeam(t)
  const [ann, bob] = [await team.add('ann', 'member'), await team.add('bob', 'guest')]
  const caller = async (who: Asker) =>
    (await who.json<{ readonly caller: { readonly scope: string; readonly person: string } }>('/api/token')).caller
  assert.deepEqual(await caller(ann), { scope: 'approve', name: 'ann', person: 'ann' })
  assert.deepEqual(await caller(bob), { scope: 'talk', name: 'bob', person: 'bob' })
  for (const who of [ann, bob]) {
    const response = await who.request('/api/setup/model', { method: 'PUT', body: { model: 'rehearsal' } })
    assert.equal(response.status, 403)
    assert.equal((await failure(response)).hint, 'Ask the owner of this gateway.')
    assert.equal((await who.request('/api/people')).status, 404)
  }
  await team.owner.json('/api/people/bob', { method: 'PATCH', body: { role: 'member' } })
  assert.equal((await caller(bob)).scope, 'approve')
})

test('a token of a person opens their home alone, and never more than their role', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  await team.add('bob', 'guest')
  const session = await say(ann, 'Hello')
  const make = async (body: object) => team.owner.json<{ readonly token: string }>('/api/tokens', { body })
  const phone = await make({ name: 'phone', scope: 'talk', person: 'ann' })
  const own = team.asker('phone', { authorization: `Bearer ${phone.token}` })
  assert.deepEqual(await sessionsOf(own), [session])
  const high = await make({ name: 'high', scope: 'approve', person: 'bob' })
  const bobs = team.asker('high', { authorization: `Bearer ${high.token}` })
  const { caller } = await bobs.json<{ readonly caller: { readonly scope: string } }>('/api/token')
  assert.equal(caller.scope, 'talk')
  const refused = async (body: object) => (await team.owner.request('/api/tokens', { body })).status
  assert.equal(await refused({ name: 'x', scope: 'admin', person: 'ann' }), 400)
  assert.equal(await refused({ name: 'x', scope: 'talk', person: 'nobody' }), 404)
})

test('somebody who is removed is out at once, and nothing of them is left', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  await say(ann, 'The word is heliotrope.')
  const { token } = await team.owner.json<{ readonly token: string }>('/api/tokens', {
    body: { name: 'phone', scope: 'talk', person: 'ann' },
  })
  const removed = await team.owner.json('/api/people/ann', { method: 'DELETE' })
  assert.deepEqual(removed, { removed: 'ann', tokens: ['phone'] })
  assert.equal((await ann.request('/api/sessions')).status, 401)
  const phone = team.asker('phone', { authorization: `Bearer ${token}` })
  assert.equal((await phone.request('/api/sessions')).status, 401)
  assert.ok(!existsSync(join(team.home, 'people', 'ann')))
  assert.deepEqual(filesWith(team.home, 'heliotrope'), [])
  // The next one of this name finds an empty home.
  const next = await team.add('ann')
  assert.deepEqual(await sessionsOf(next), [])
})

test('a removal that was interrupted is completed at the next start', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  await say(ann, 'Hello')
  await team.foreword.close()
  const file = join(team.home, 'data', 'people.json')
  const people = JSON.parse(readFileSync(file, 'utf8')) as readonly object[]
  writeFileSync(file, JSON.stringify(people.map((each) => ({ ...each, leaving: true }))))
  await team.restart()
  await team.foreword.close()
  assert.ok(!existsSync(join(team.home, 'people', 'ann')))
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), [])
})

test('a folder that is left of somebody is not given to the next one of that name', async (t) => {
  const team = await openTeam(t)
  mkdirSync(join(team.home, 'people', 'ann', 'data'), { recursive: true })
  const response = await team.owner.request('/api/people', { body: { name: 'ann' } })
  assert.equal(response.status, 409)
  const { people } = await team.owner.json<Listed>('/api/people')
  assert.deepEqual(people, [])
})

test('what people were promised holds after a restart: sessions, browsers, and turns that had not ended', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  const session = await say(ann, 'Hello')
  await team.restart()
  assert.deepEqual(await sessionsOf(ann), [session])
})

test('a person follows the prompt and the skills of the owner, in folders of their own', async (t) => {
  const team = await openTeam(t)
  mkdirSync(join(team.home, 'context'), { recursive: true })
  writeFileSync(join(team.home, 'context', 'system_prompt.md'), 'Answer in verse.')
  writeFileSync(join(team.home, 'context', 'user_profile.json'), JSON.stringify({ name: 'The Owner' }))
  mkdirSync(join(team.home, 'skills', 'sailing'), { recursive: true })
  writeFileSync(
    join(team.home, 'skills', 'sailing', 'SKILL.md'),
    '---\nname: sailing\ndescription: How to sail.\n---\nTrim the sails.\n',
  )
  const ann = await team.add('ann')
  const preview = JSON.stringify(await ann.json('/api/context?input=Hello'))
  assert.match(preview, /Answer in verse/)
  assert.match(preview, /sailing/)
  assert.doesNotMatch(preview, /The Owner/)
})

test('a person follows the prompt that the owner has edited, as it was when the person was added', async (t) => {
  const team = await openTeam(t)
  const edit = (text: string) => team.owner.json('/api/prompt', { method: 'PUT', body: { text } })
  await edit('Answer in rhymes.')
  const ann = await team.add('ann')
  await edit('Answer in prose.')
  const read = async (who: Asker) => JSON.stringify(await who.json('/api/context?input=Hello'))
  assert.match(await read(ann), /Answer in rhymes/)
  assert.match(await read(await team.add('bob')), /Answer in prose/)
  await team.restart()
  assert.match(await read(ann), /Answer in rhymes/)
})

test('the limits of people are limits of each of them, and not of the owner', async (t) => {
  const people = { budgets: [{ limit: { tokens: 400 }, per: 'day' }], maxOpenTurns: 1 }
  const team = await openTeam(t, { people, budgets: [{ limit: { usd: 5 }, per: 'month' }] })
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  const limits = async (who: Asker) =>
    (
      await who.json<{ readonly budgets: readonly { readonly limit: number; readonly per: string }[] }>('/api/budgets')
    ).budgets.map(({ limit, per }) => `${limit} a ${per}`)
  assert.deepEqual(await limits(team.owner), ['5 a month'])
  for (const who of [ann, bob]) assert.deepEqual(await limits(who), ['400 a day'])
  // Ann's second message is one too many while her first is not answered; Bob's is not.
  const send = (who: Asker) => who.request('/api/messages', { body: { text: 'Hello' } })
  const answers = await Promise.all([send(ann), send(ann), send(bob)])
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((one, other) => one - other),
    [202, 202, 503],
  )
  assert.equal(answers.at(-1)?.status, 202)
})

test('nobody but the owner passes a limit of the owner: a call of a person that could is refused, and asks nobody', async (t) => {
  const people = { budgets: [{ limit: { tokens: 1 }, per: 'day' }] }
  const team = await openTeam(t, { people, models: { rehearsal: { free: false } } })
  const ann = await team.add('ann')
  const session = await say(ann, 'Hello')
  const { turns } = await ann.json<{ readonly turns: readonly { readonly turn: string }[] }>(
    `/api/sessions/${session}/turns`,
  )
  const { outcome } = await ann.json<{ readonly outcome?: { readonly type: string; readonly code?: string } }>(
    `/api/sessions/${session}/turns/${turns[0]!.turn}`,
  )
  assert.deepEqual([outcome?.type, outcome?.code], ['failed', 'over-budget'])
  const { approvals } = await ann.json<{ readonly approvals: readonly unknown[] }>('/api/approvals')
  assert.deepEqual(approvals, [])
})

/** Files below a folder that contain a text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((each) => {
    const path = join(each.parentPath, each.name)
    return each.isFile() && readFileSync(path).includes(text) ? [path] : []
  })
}
