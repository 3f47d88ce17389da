import assert from 'node:assert/strict'
import { test } from 'node:test'
import { includesScope, type TokenScope } from '../../src/capability.ts'
import { type Asker, openTeam, say, untilIdle } from './team.ts'

interface Operations {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly security: readonly { token: string[] }[] }>>>
  >
}

interface Door {
  readonly method: string
  readonly path: string
  /** Absent: no token is needed. */
  readonly scope: TokenScope | undefined
}

const WORD = 'heliotrope'

async function doors(who: Asker): Promise<readonly Door[]> {
  const { paths } = await who.json<Operations>('/api/openapi.json')
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path,
      scope: security[0]?.token[0] as TokenScope | undefined,
    })),
  )
}

/** Everything of somebody that has an id, by the name of the part of a path. */
async function belongings(who: Asker): Promise<Readonly<Record<string, string>>> {
  const session = await say(who, `The word is ${WORD}.`)
  const form = new FormData()
  form.append('file', new Blob([`A note about ${WORD}.`], { type: 'text/plain' }), `${WORD}.txt`)
  const uploaded = await who.upload('/api/files', form)
  await who.json('/api/subjects', { body: { id: WORD } })
  const { calls } = await who.json<{ readonly calls: readonly { readonly id: string }[] }>(
    `/api/sessions/${session}/calls`,
  )
  const { turns } = await who.json<{ readonly turns: readonly { readonly turn: string }[] }>(
    `/api/sessions/${session}/turns`,
  )
  await untilIdle(who)
  return {
    session,
    id: session,
    file: uploaded.files[0]!.id,
    call: calls[0]!.id,
    turn: turns[0]!.turn,
    subject: WORD,
    person: who.name,
  }
}

const exported = async (who: Asker, session: string) => (await who.request(`/api/sessions/${session}/export`)).text()

test('no door shows or changes what belongs to somebody else, whatever role stands before it', async (t) => {
  const team = await openTeam(t)
  const ann = await team.add('ann')
  const own = await belongings(ann)
  const before = await exported(ann, own['session']!)
  assert.ok(before.includes(WORD))
  // Signed out there is no door left to try.
  const all = (await doors(team.owner)).filter(({ path }) => path !== '/api/logout')
  assert.ok(all.length > 150)

  /** Those of the gateway, with the scopes that hold in the home of somebody where it has them. */
  const doorsOf = async (who: Asker): Promise<readonly Door[]> => {
    const theirs = new Map((await doors(who)).map((each) => [`${each.method} ${each.path}`, each]))
    return all.map((each) => theirs.get(`${each.method} ${each.path}`) ?? each)
  }
  const [bob, carol] = [await team.add('bob', 'member'), await team.add('carol', 'guest')]
  // What belongs to the owner alone is no nearer to others.
  const less = (await doorsOf(bob)).filter(({ scope }, at) => scope !== all[at]!.scope)
  assert.deepEqual(
    less.map(({ path }) => path).filter((path) => !/^\/api\/(agents|projects|templates|schedules|pairings)/.test(path)),
    [],
  )

  const others = [
    { who: bob, most: 'approve', doors: await doorsOf(bob) },
    { who: carol, most: 'talk', doors: await doorsOf(carol) },
    { who: team.asker('nobody', {}), most: undefined, doors: all },
    // The owner removes people and replaces their own token: these doors are not about what belongs to Ann.
    {
      who: team.owner,
      most: 'admin',
      doors: all.filter(({ path }) => !/^\/api\/(people|token|doctor|backups)/.test(path)),
    },
  ] as const
  for (const { who, most, doors: tried } of others) {
    for (const { method, path, scope } of tried) {
      const name = `${method} ${path} as ${who.name}`
      const place = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => own[part] ?? `no-${part}`)
      const asks = ['GET', 'DELETE'].includes(method) ? { method } : { method, body: {} }
      // The events of a session end only with their reader.
      const response = await who.request(place, asks)
      const text = await firstText(response)
      assert.ok(
        !text.replaceAll(place, '').includes(`word is ${WORD}`),
        `${name} shows the word: ${text.slice(0, 300)}`,
      )
      if (scope !== undefined && (most === undefined || !includesScope(most, scope))) {
        // What the server of a person does not have at all is not found.
        assert.ok((most === undefined ? [401] : [403, 404]).includes(response.status), `${name}: ${response.status}`)
      } else if (scope !== undefined && /\{(session|call|file|turn)\}/.test(path)) {
        assert.ok(response.status >= 400 || text === '' || isAboutNothing(text), `${name}: ${response.status} ${text}`)
      }
    }
  }
  await untilIdle(ann)
  assert.equal(await exported(ann, own['session']!), before)
  const { files } = await ann.json<{ readonly files: readonly { readonly id: string }[] }>('/api/files')
  assert.deepEqual(
    files.map(({ id }) => id),
    [own['file']],
  )
})

/** What an answer begins with; that of a stream never ends by itself. */
async function firstText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  await response.body?.cancel()
  return ''
}

/** An empty list, as of a session that is not there. */
function isAboutNothing(text: string): boolean {
  return /^\{"\w+":\[\](,"\w+":(null|false|0))*\}$/.test(text)
}
