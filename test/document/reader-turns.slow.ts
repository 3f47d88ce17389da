import assert from 'node:assert/strict'
import test from 'node:test'
import { readerOf, readingProcesses, until } from './opened-reader.ts'
import { fairTurns, systemClock } from '../../src/platform.ts'
import { openTeam } from '../people/team.ts'

/** Keeps a process busy for longer than any test waits. */
const endless = Buffer.from('<div><b>'.repeat(400_000))

test('files that take too long hold both readers for one round, and a file of another owner is next', async (context) => {
  const reader = readerOf(context, { clock: systemClock, limits: { timeMs: 1500 } })
  const order: string[] = []
  const read = async (owner: string, bytes: Buffer) => {
    const { kind } = await reader.read({ bytes, name: 'a.html', owner })
    order.push(`${owner}: ${kind}`)
  }
  const attack = Array.from({ length: 3 }, () => read('attacker', endless))
  await until(() => readingProcesses().length === 2)
  // Plain text: what reads HTML takes a second of a busy processor to load.
  const others = ['one', 'two'].map((owner) => read(owner, Buffer.from('Hello.')))
  await Promise.all([...attack, ...others])
  assert.deepEqual(order.slice(0, 4).toSorted().slice(2), ['one: text', 'two: text'])
  assert.deepEqual(order.slice(4), ['attacker: unreadable'])
})

test('a reader among others takes no more turns than one may, so that a file elsewhere waits for none', async (context) => {
  const turns = fairTurns(3, systemClock, 2)
  const readerIn = (home: string, most?: number) =>
    readerOf(context, { clock: systemClock, turnAmongOthers: (signal) => turns.take(home, signal, most) })
  const [anns, bobs, carols] = [readerIn('ann'), readerIn('bob', 1), readerIn('carol')]
  const leaving = new AbortController()
  const { signal } = leaving
  const attack = (reader: typeof anns, number: number) =>
    reader.read({ bytes: endless, name: 'a.html', owner: String(number), signal }).catch(() => {})
  const attacks = [1, 2, 3].map((number) => attack(anns, number))
  await until(() => readingProcesses().length === 2)
  const { kind } = await carols.read({ bytes: Buffer.from('Hello.'), name: 'a.txt' })
  assert.equal(kind, 'text')
  assert.equal(readingProcesses().length, 3)
  attacks.push(...[1, 2, 3].map((number) => attack(bobs, number)))
  // Carol's waits for the next file, and bob's has the place.
  await until(() => readingProcesses().length === 4)
  leaving.abort()
  await Promise.all(attacks)
})

test('as many files of a person are read at once as may be', async (context) => {
  const team = await openTeam(context, { people: { limits: [{ for: 'bob', readersAtOnce: 1 }] } })
  const bob = await team.add('bob')
  const page = '<div><p>The <b>word</b> is long.</p></div>'.repeat(5_000)
  /** With what is around it, one reader is several processes. */
  async function processesFor(names: readonly string[]): Promise<number> {
    const form = new FormData()
    for (const name of names) form.append('file', new Blob([`${name} ${page}`]), `${name}.html`)
    let most = 0
    const looking = setInterval(() => (most = Math.max(most, readingProcesses().length)), 10)
    const { files } = await bob.upload('/api/files', form)
    assert.equal(files.length, names.length)
    await bob.json('/api/status?wait=idle')
    clearInterval(looking)
    return most
  }
  const ofOne = await processesFor(['a'])
  assert.ok(ofOne > 0)
  assert.equal(await processesFor(['b', 'c', 'd', 'e']), ofOne)
})
