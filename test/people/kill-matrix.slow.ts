import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '../kit/random-wires.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, check, end, type Gateway, hasEnded, openWorld, say, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 300 })

/** How many messages are sent at least while gateways fail. */
const TURNS = Number(process.env['TURNS'] ?? (process.env['CASES'] === 'all' ? 2_400 : 100))
/** How long somebody reads before the next four messages, ms: the faults last as long as they do, and other tests want to run. */
const READS_MS = process.env['CASES'] === 'all' ? 0 : 4_000
/** Which faults, by their names, one after the other and again. */
const FAULTS = (process.env['FAULTS'] ?? 'kill,freeze,database,cut-off,apart,clock').split(',')
const SEED = Number(process.env['SEED'] ?? 1)
/** How long a fault lasts that ends, ms: longer than the lease. */
const LASTS_MS = 8_000
const GATEWAYS = process.env['CASES'] === 'all' ? 4 : 3

/** How long somebody waited, what failed meanwhile, and what each attempt ended with. */
interface Wait {
  readonly milliseconds: number
  readonly faults: string
  readonly trace: readonly string[]
}

const title = 'gateways are killed, frozen, cut off and set to another time: nothing is lost, and nothing happens twice'

test(title, { ...options, timeout: 3_600_000 }, async (t) => {
  const { start, letters } = await openWorld(t, await database().database())
  const gateways = new Set<Gateway>([await start({ ways: true })])
  const [first] = gateways
  const people = [
    ...(await addPeople(first!, ['ann', 'bob', 'carol', 'dave', 'erin', 'finn', 'gwen'])),
    { name: 'owner', token: TOKEN, said: [] },
  ]
  while (gateways.size < GATEWAYS) gateways.add(await start({ ways: true }))
  /** Those that a load balancer takes for alive. It asks as the guide has it. */
  let alive: readonly Gateway[] = [...gateways]
  const asked = () => (alive.length > 0 ? alive : [...gateways])
  const over = new AbortController()
  const balancing = (async () => {
    while (!over.signal.aborted) {
      const all = [...gateways]
      const answers = await Promise.all(all.map(isAlive))
      alive = all.filter((_, at) => answers[at])
      await sleep(1_000)
    }
  })()

  const began = performance.now()
  const note = (text: string) => {
    if (process.env['TRACE']) process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s ${text}\n`)
  }
  let fault = 'none'
  let faults = 0
  let sent = 0
  const isOver = () => faults >= FAULTS.length && sent >= TURNS

  async function timed<Result>(
    what: string,
    work: (trace: string[]) => Promise<Result>,
    into: Wait[],
  ): Promise<Result> {
    const [from, during, trace] = [performance.now(), fault, [] as string[]]
    const result = await work(trace)
    const milliseconds = Math.round(performance.now() - from)
    into.push({ milliseconds, faults: fault === during ? fault : `${during}, ${fault}`, trace })
    if (milliseconds > 5_000) note(`${what} took ${milliseconds} ms (${during}, ${fault}):\n  ${trace.join('\n  ')}`)
    return result
  }

  const admitted: Wait[] = []
  const ended: Wait[] = []
  const talking = people.map(async (person) => {
    while (!isOver()) {
      const turns: string[] = []
      for (let each = 0; each < 4; each += 1) {
        const word = `${person.name} ${person.said.length}`
        turns.push(await timed(word, (trace) => say(asked, person, word, trace), admitted))
        sent += 1
      }
      await timed(`the turn of ${person.name}`, (trace) => end(asked, person, turns.at(-1)!, trace), ended)
      await sleep(READS_MS)
    }
  })

  const chance = random(SEED)
  while (!isOver()) {
    const kind = FAULTS[faults % FAULTS.length]!
    const victim = chance.one([...gateways])
    fault = `${kind} ${faults}`
    note(`${fault} at ${victim.url}, after ${sent} messages`)
    await happen(kind, victim)
    for (const gateway of gateways) if (hasEnded(gateway.child)) gateways.delete(gateway)
    while (gateways.size < GATEWAYS) gateways.add(await start({ ways: true }))
    await sleep(1_000)
    faults += 1
  }

  async function happen(kind: string, { child, toDatabase, toGateway, setClock }: Gateway): Promise<void> {
    switch (kind) {
      case 'kill':
        child.kill('SIGKILL')
        return void (await once(child, 'close'))
      case 'freeze':
        child.kill('SIGSTOP')
        await sleep(LASTS_MS)
        child.kill('SIGCONT')
        break
      case 'database':
        return database().restart()
      case 'cut-off':
      case 'apart': {
        const way = kind === 'apart' ? toGateway! : toDatabase!
        way.lose()
        await sleep(LASTS_MS)
        way.heal()
        break
      }
      case 'clock':
        for (const minutes of [10, -10, chance.whole(60) - 30]) {
          setClock(minutes * 60_000)
          await sleep(700)
        }
        return
      default:
        throw new Error(`There is no fault ${kind}.`)
    }
    // One that has lost the home of the owner meanwhile ends.
    await sleep(1_500)
  }

  await Promise.all(talking)
  const { letters: written, unknown } = await check(asked, people, letters)
  over.abort()
  await balancing
  const seconds = Math.round((performance.now() - began) / 1_000)
  t.diagnostic(
    `${sent} turns, ${faults} faults, ${seconds} s: ${written} letters, ${unknown} turns of which the log says that nobody knows`,
  )
  for (const [what, waits] of [
    ['until accepted', admitted],
    ['until four turns have ended', ended],
  ] as const) {
    t.diagnostic(`ms ${what}: ${summary(waits)}`)
    for (const kind of FAULTS)
      t.diagnostic(`  during ${kind}: ${summary(waits.filter((wait) => wait.faults.includes(kind)))}`)
  }
})

async function isAlive({ url }: Gateway): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) })).ok
  } catch {
    return false
  }
}

function summary(waits: readonly Wait[]): string {
  const all = waits.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other)
  const at = (share: number) => all[Math.min(all.length - 1, Math.floor(share * all.length))] ?? 0
  return `${all.length}, median ${at(0.5)}, 95 of 100 ${at(0.95)}, longest ${at(1)}`
}
