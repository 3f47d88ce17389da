import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { random } from '../kit/random-wires.ts'
import { postgresForTests } from '../session/postgres-for-tests.ts'
import { addPeople, check, type Gateway, hasEnded, openWorld, say, TOKEN } from './gateways.ts'

const { options, server: database } = postgresForTests({ connections: 300 })

/** How many messages are sent while gateways fail. */
const TURNS = Number(process.env['TURNS'] ?? (process.env['CASES'] === 'all' ? 2_400 : 120))
/** Which faults, by their names, one after the other. */
const FAULTS = (process.env['FAULTS'] ?? 'kill,freeze,database,cut-off,apart,clock').split(',')
const SEED = Number(process.env['SEED'] ?? 1)
/** How long a fault lasts that ends, ms: longer than the lease. */
const LASTS_MS = 8_000

test(
  'whatever happens to gateways, nobody loses a message, and no letter is sent twice',
  {
    ...options,
    timeout: 3_600_000,
  },
  async (t) => {
    const store = await database().database()
    const { start, letters } = await openWorld(t, store)
    const gateways = new Set<Gateway>([await start({ ways: true })])
    const [first] = gateways
    const people = [
      ...(await addPeople(first!, ['ann', 'bob', 'carol', 'dave', 'erin'])),
      { name: 'owner', token: TOKEN, said: [] },
    ]
    for (let more = 0; more < 3; more += 1) gateways.add(await start({ ways: true }))
    /** What a load balancer takes for alive, asked as the guide has it. */
    let alive: readonly Gateway[] = [...gateways]
    const over = new AbortController()
    const balancing = (async () => {
      while (!over.signal.aborted) {
        const answers = await Promise.all(
          [...gateways].map(async (gateway) => ((await isAlive(gateway)) ? [gateway] : [])),
        )
        alive = answers.flat()
        await sleep(1_000)
      }
    })()
    const waits: { readonly milliseconds: number; readonly fault: string; readonly trace: readonly string[] }[] = []
    let fault = 'none'
    const note = (text: string) => {
      if (process.env['TRACE']) process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(1)} s ${text}\n`)
    }
    const each = Math.ceil(TURNS / people.length)
    const began = performance.now()
    const talking = people.map(async (person) => {
      for (let number = 0; number < each || !isComplete(); number += 1) {
        const trace: string[] = []
        const [asked, during] = [performance.now(), fault]
        await say(() => (alive.length > 0 ? alive : [...gateways]), person, `${person.name} ${number}`, trace)
        waits.push({
          milliseconds: performance.now() - asked,
          fault: fault === during ? during : `${during}, ${fault}`,
          trace,
        })
        await sleep(30)
      }
    })
    /** Each fault has happened at least once. */
    let faults = 0
    const isComplete = () => faults >= FAULTS.length
    const chance = random(SEED)
    const failing = (async () => {
      while (!isComplete() || waits.length < TURNS) {
        const kind = FAULTS[faults % FAULTS.length]!
        const victim = chance.one([...gateways])
        fault = `${kind} ${faults}`
        note(`${fault} at ${victim.url}`)
        await happen(kind, victim)
        for (const gateway of gateways) if (hasEnded(gateway.child)) gateways.delete(gateway)
        while (gateways.size < 4) gateways.add(await start({ ways: true }))
        faults += 1
        await sleep(1_500)
      }
    })()

    async function happen(kind: string, victim: Gateway): Promise<void> {
      const { child } = victim
      switch (kind) {
        case 'kill':
          child.kill('SIGKILL')
          await once(child, 'close')
          return
        case 'freeze':
          child.kill('SIGSTOP')
          await sleep(LASTS_MS)
          child.kill('SIGCONT')
          return void (await sleep(1_500))
        case 'database':
          return database().restart()
        case 'cut-off':
          victim.toDatabase!.lose()
          await sleep(LASTS_MS)
          victim.toDatabase!.heal()
          return void (await sleep(1_500))
        case 'apart':
          victim.toGateway!.lose()
          await sleep(LASTS_MS)
          return victim.toGateway!.heal()
        case 'clock':
          for (const minutes of [10, -10, chance.whole(60) - 30]) {
            victim.setClock(minutes * 60_000)
            await sleep(700)
          }
          return
        default:
          throw new Error(`There is no fault ${kind}.`)
      }
    }

    await Promise.all(talking)
    await failing
    fault = 'none'
    const { letters: sent, unknown } = await check(() => alive, people, letters)
    over.abort()
    await balancing
    t.diagnostic(
      `${waits.length} messages, ${faults} faults, ${Math.round((performance.now() - began) / 1_000)} s; ${sent} letters, ${unknown} of which the log says that nobody knows`,
    )
    t.diagnostic(`ms until accepted: ${summary(waits)}`)
    for (const kind of FAULTS) {
      const during = waits.filter(({ fault: of }) => of.includes(kind))
      t.diagnostic(`  where ${kind} happened: ${summary(during)}`)
    }
    const slow = waits.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, 5)
    for (const { milliseconds, fault: of, trace } of slow)
      if (milliseconds > 5_000) t.diagnostic(`${Math.round(milliseconds)} ms (${of}):\n  ${trace.join('\n  ')}`)
  },
)

async function isAlive({ url }: Gateway): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(1_000) })).ok
  } catch {
    return false
  }
}

function summary(waits: readonly { readonly milliseconds: number }[]): string {
  const all = waits.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(all[Math.min(all.length - 1, Math.floor(share * all.length))] ?? 0)
  return `${all.length}, median ${at(0.5)}, 95 of 100 ${at(0.95)}, longest ${at(1)}`
}
