import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '../simulate/random.ts'
import { type Asker, openTeam, untilIdle } from './team.ts'

/** Steps of everybody together. */
const STEPS = Number(process.env['STEPS'] ?? 2_000)
const SEED = Number(process.env['SEED'] ?? 1)

/** Everything that somebody has said carries this: it is theirs alone. */
const markOf = (name: string) => `mark-of-${name}-${name.length}q`

interface Known {
  readonly who: Asker
  readonly sessions: string[]
  readonly files: string[]
  readonly subjects: string[]
}

test(`nothing of one person reaches another in ${STEPS.toLocaleString('en')} random steps`, async (t) => {
  const team = await openTeam(t)
  const names = ['ann', 'bob', 'carol', 'dave']
  const everybody: Known[] = []
  for (const name of names) everybody.push({ who: await team.add(name), sessions: [], files: [], subjects: [] })
  everybody.push({ who: team.owner, sessions: [], files: [], subjects: [] })
  const { chance, pick } = randomOf(`people ${SEED}`)
  let steps = 0
  const seen = new Map<string, number>()

  /** What is answered to somebody has no mark of another; what is looked for there is not found. */
  async function ask(known: Known, path: string, options?: Parameters<Asker['request']>[1]): Promise<unknown> {
    const response = await known.who.request(path, options)
    const text = await response.text()
    for (const { who } of everybody) {
      if (who === known.who) continue
      assert.ok(!text.includes(markOf(who.name)), `seed ${SEED}, step ${steps}: ${known.who.name} ${path}: ${text}`)
    }
    const kind = `${options?.method ?? (options?.body ? 'POST' : 'GET')} ${path.replace(/\?.*/, '').replaceAll(/[a-z]+_\w+|s\d+/g, ':')}`
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    return text.startsWith('{') ? JSON.parse(text) : undefined
  }

  const actions: readonly ((known: Known) => Promise<unknown>)[] = [
    async (known) => {
      const text = `${markOf(known.who.name)} is what step ${steps} is about`
      const answer = (await ask(known, '/api/messages', { body: { text } })) as { readonly session?: string }
      if (answer.session) known.sessions.push(answer.session)
      await untilIdle(known.who)
    },
    async (known) => {
      if (known.sessions.length === 0) return
      await ask(known, `/api/sessions/${pick(known.sessions)}/messages`, {
        body: { text: `more of ${markOf(known.who.name)}` },
      })
      await untilIdle(known.who)
    },
    async (known) => {
      const form = new FormData()
      form.append('file', new Blob([`page of ${markOf(known.who.name)} ${steps}`], { type: 'text/plain' }), 'note.txt')
      known.files.push((await known.who.upload('/api/files', form)).files[0]!.id)
    },
    async (known) => {
      const id = `s${known.subjects.length}`
      await ask(known, '/api/subjects', { body: { id } })
      await ask(known, `/api/subjects/${id}/log`, { body: { text: markOf(known.who.name) } })
      known.subjects.push(id)
    },
    (known) => ask(known, '/api/sessions'),
    (known) => ask(known, `/api/sessions?words=${markOf(pick(everybody).who.name)}`),
    (known) => ask(known, `/api/search/history?q=${markOf(pick(everybody).who.name)}`),
    (known) => ask(known, `/api/search?q=${markOf(pick(everybody).who.name)}`),
    (known) => ask(known, '/api/calls'),
    (known) => ask(known, '/api/costs?by=session'),
    (known) => ask(known, '/api/usage?by=session'),
    (known) => ask(known, '/api/audit'),
    (known) => ask(known, '/api/subjects'),
    (known) => ask(known, '/api/files'),
    (known) => ask(known, '/api/status'),
    (known) => ask(known, `/api/context?input=${markOf(known.who.name)}`),
    // What belongs to somebody else, by its true id.
    async (known) => {
      const other = pick(everybody.filter((each) => each !== known))
      const session = other.sessions.length === 0 ? undefined : pick(other.sessions)
      const file = other.files.length === 0 ? undefined : pick(other.files)
      if (session !== undefined) {
        const part = pick(['', '/entries', '/turns', '/calls', '/memory', '/notes', '/export', '/exchanges'])
        await ask(known, `/api/sessions/${session}${part}`)
        await ask(known, `/api/sessions/${session}/messages`, { body: { text: `a try of ${markOf(known.who.name)}` } })
        await ask(known, `/api/messages`, {
          body: { text: 'with a file', attachments: file === undefined ? [] : [file] },
        })
        if (chance(0.2)) await ask(known, `/api/sessions/${session}`, { method: 'DELETE' })
      }
      if (file !== undefined) {
        await ask(known, `/api/files/${file}${pick(['', '/text', '/content'])}`)
        if (chance(0.2)) await ask(known, `/api/files/${file}`, { method: 'DELETE' })
      }
    },
    async (known) => {
      if (known.sessions.length === 0) return
      await ask(known, `/api/sessions/${pick(known.sessions)}/${pick(['entries', 'calls', 'memory'])}`)
    },
    async (known) => {
      if (!chance(0.1) || known.sessions.length < 3) return
      const session = known.sessions.shift()!
      await ask(known, `/api/sessions/${session}`, { method: 'DELETE' })
    },
  ]

  for (let rounds = 0; rounds * everybody.length < STEPS; rounds += 1) {
    // Several at once, as people are.
    const round = everybody.map(async (known) => {
      steps += 1
      await pick(actions)(known)
    })
    await Promise.all(round)
    if (steps % 2_000 < everybody.length) await team.restart()
  }
  for (const { who, sessions, files } of everybody) {
    for (const session of sessions) await who.json(`/api/sessions/${session}`)
    for (const file of files) await who.json(`/api/files/${file}`)
  }
  t.diagnostic(`${steps} steps, ${seen.size} kinds of requests`)
})
