import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Asker, openTeam, say, untilIdle } from './team.ts'

interface Kept {
  readonly id: string
  readonly version: number
  readonly shared?: true
  readonly value: { readonly name: string; readonly sharedWith?: readonly string[] }
}

const kinds = {
  agent: { prompt: 'You are a clerk.' },
  project: { instructions: 'Answer in one line.' },
  template: { text: 'When does the tide turn?' },
} as const

const make = (who: Asker, kind: keyof typeof kinds, name: string, sharedWith?: readonly string[]) =>
  who.json<Kept>(`/api/${kind}s`, { body: { name, ...kinds[kind], ...(sharedWith && { sharedWith }) } })

const listed = async (who: Asker, kind: string) =>
  (await who.json<Readonly<Record<string, readonly Kept[]>>>(`/api/${kind}s`))[`${kind}s`]!

const namesOf = async (who: Asker, kind: string) => (await listed(who, kind)).map(({ value }) => value.name)

const failure = async (response: Response) =>
  ((await response.json()) as { readonly error: { readonly code: string; readonly message: string } }).error

for (const kind of ['agent', 'project', 'template'] as const) {
  test(`the owner shares a ${kind} with everybody, a person or a group, and nobody else has it`, async (t) => {
    const team = await openTeam(t)
    const [ann, bob, carol] = [await team.add('ann'), await team.add('bob'), await team.add('carol', 'guest')]
    await make(team.owner, kind, 'own')
    await make(team.owner, kind, 'all', ['*'])
    await make(team.owner, kind, 'anns', ['ann'])
    const ofGroup = await make(team.owner, kind, 'divers', ['group:divers', 'group:captains'])
    await team.owner.json('/api/people/bob', { method: 'PATCH', body: { groups: ['divers'] } })

    assert.deepEqual(await namesOf(ann, kind), ['all', 'anns'])
    assert.deepEqual(await namesOf(bob, kind), ['all', 'divers'])
    assert.deepEqual(await namesOf(carol, kind), ['all'])
    const [found] = (await listed(bob, kind)).filter(({ value }) => value.name === 'divers')
    assert.equal(found!.shared, true)
    // Who else has it is nobody's business.
    assert.equal(found!.value.sharedWith, undefined)
    assert.equal((await ann.request(`/api/${kind}s/${ofGroup.id}`)).status, 404)
    assert.equal((await ann.request(`/api/${kind}s/${ofGroup.id}/versions`)).status, 404)

    // From now on, without a restart.
    await team.owner.json('/api/people/bob', { method: 'PATCH', body: { groups: [] } })
    assert.deepEqual(await namesOf(bob, kind), ['all'])
    await team.owner.json(`/api/${kind}s/${ofGroup.id}`, { method: 'PATCH', body: { sharedWith: ['bob'] } })
    assert.deepEqual(await namesOf(bob, kind), ['all', 'divers'])
    await team.owner.json(`/api/${kind}s/${ofGroup.id}`, { method: 'PATCH', body: { sharedWith: null } })
    assert.equal((await bob.request(`/api/${kind}s/${ofGroup.id}`)).status, 404)
  })

  test(`nobody changes a ${kind} that the owner shares, and a member has some of their own`, async (t) => {
    const team = await openTeam(t)
    const [ann, bob, carol] = [await team.add('ann'), await team.add('bob'), await team.add('carol', 'guest')]
    const { id } = await make(team.owner, kind, 'all', ['*'])
    const tries = [
      { path: `/api/${kind}s/${id}`, method: 'PATCH', body: { name: 'other' } },
      { path: `/api/${kind}s/${id}`, method: 'DELETE' },
      { path: `/api/${kind}s/${id}/restore`, method: 'POST', body: { version: 1 } },
    ]
    for (const who of [ann, carol]) {
      for (const { path, ...options } of tries) {
        const response = await who.request(path, options)
        assert.equal(response.status, 403, `${who.name} ${options.method} ${path}`)
        assert.equal((await failure(response)).code, 'forbidden')
      }
    }
    assert.deepEqual(
      (await listed(team.owner, kind)).map(({ value, version }) => [value.name, version]),
      [['all', 1]],
    )
    const own = await make(ann, kind, 'mine')
    assert.deepEqual(await namesOf(ann, kind), ['mine', 'all'])
    assert.deepEqual(await namesOf(bob, kind), ['all'])
    assert.deepEqual(await namesOf(team.owner, kind), ['all'])
    assert.equal((await bob.request(`/api/${kind}s/${own.id}`)).status, 404)
    await ann.json(`/api/${kind}s/${own.id}`, { method: 'PATCH', body: { name: 'my-own' } })
    assert.deepEqual(await namesOf(ann, kind), ['my-own', 'all'])
    const body = { name: 'x', ...kinds[kind] }
    assert.equal((await carol.request(`/api/${kind}s`, { body })).status, 403)
    const shares = await ann.request(`/api/${kind}s`, { body: { ...body, sharedWith: ['*'] } })
    assert.match((await failure(shares)).message, /Only the owner of the gateway can share/)
    // A token of the owner for approvals is no person.
    const { token } = await team.owner.json<{ readonly token: string }>('/api/tokens', {
      body: { name: 'decider', scope: 'approve' },
    })
    const decider = team.asker('decider', { authorization: `Bearer ${token}` })
    assert.equal((await decider.request(`/api/${kind}s`, { body })).status, 403)
  })
}

test('a shared agent answers in a session of a person, and no longer once it is not shared', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  const { id } = await make(team.owner, 'agent', 'clerk', ['ann'])
  const session = await say(ann, 'Hello')
  await ann.json(`/api/sessions/${session}`, { method: 'PATCH', body: { agent: id } })
  await say(ann, 'Who are you?', session)
  const texts = async () => {
    const { calls } = await ann.json<{ readonly calls: readonly { readonly id: string }[] }>(
      `/api/sessions/${session}/calls`,
    )
    return await Promise.all(
      calls.map(async ({ id: call }) => (await ann.request(`/api/calls/${call}/request`)).text()),
    )
  }
  assert.deepEqual(
    (await texts()).map((text) => text.includes('You are a clerk.')),
    [false, true],
  )
  await team.owner.json(`/api/agents/${id}`, { method: 'PATCH', body: { sharedWith: null } })
  await say(ann, 'And now?', session)
  assert.deepEqual(
    (await texts()).map((text) => text.includes('You are a clerk.')),
    [false, true, false],
  )
})

test('the files of a shared project go with it: they are sent, read and searched, and only the owner changes them', async (t) => {
  const team = await openTeam(t)
  const [ann, bob] = [await team.add('ann'), await team.add('bob')]
  const { id } = await make(team.owner, 'project', 'handbook', ['ann'])
  const upload = async (who: Asker, name: string, text: string) => {
    const form = new FormData()
    form.append('project', id)
    form.append('file', new Blob([text], { type: 'text/plain' }), name)
    const { files } = await who.upload('/api/files', form)
    await untilIdle(team.owner)
    return files[0]?.id
  }
  const first = await upload(team.owner, 'tides.txt', 'High water is at heliotrope hour.')
  const filesOf = async (who: Asker) =>
    (
      await who.json<{ readonly files: readonly { readonly id: string }[] }>(`/api/files?owner=project/${id}`)
    ).files.map((each) => each.id)
  assert.deepEqual(await filesOf(ann), [first])
  assert.deepEqual(await filesOf(bob), [])
  const { id: session } = await ann.json<{ readonly id: string }>('/api/sessions', { body: { project: id } })
  await say(ann, 'When is high water?', session)
  const { calls } = await ann.json<{ readonly calls: readonly { readonly id: string }[] }>(
    `/api/sessions/${session}/calls`,
  )
  const request = await (await ann.request(`/api/calls/${calls[0]!.id}/request`)).text()
  assert.match(request, /heliotrope hour/)
  await untilIdle(ann)
  const search = async (who: Asker) => (await who.request('/api/search?q=heliotrope')).text()
  assert.match(await search(ann), /tides\.txt/)
  assert.doesNotMatch(await search(bob), /tides\.txt/)

  const deleted = await ann.request(`/api/files/${first}`, { method: 'DELETE' })
  assert.equal(deleted.status, 403)
  const form = new FormData()
  form.append('project', id)
  form.append('file', new Blob(['mine'], { type: 'text/plain' }), 'mine.txt')
  await assert.rejects(ann.upload('/api/files', form), /Only the owner of the gateway can change/)
  assert.deepEqual(await filesOf(team.owner), [first])

  // What the owner changes is changed for everybody, and what is shared no longer is gone with all its words.
  const second = await upload(team.owner, 'more.txt', 'Low water is later.')
  assert.deepEqual(await filesOf(ann), [first, second])
  await team.owner.json(`/api/files/${first}`, { method: 'DELETE' })
  assert.deepEqual(await filesOf(ann), [second])
  assert.equal((await ann.request(`/api/files/${first}/text`)).status, 404)
  await team.owner.json(`/api/projects/${id}`, { method: 'PATCH', body: { sharedWith: null } })
  assert.equal((await ann.request(`/api/files/${second}/text`)).status, 404)
  assert.deepEqual((await ann.json<{ readonly files: readonly unknown[] }>('/api/files')).files, [])
})
