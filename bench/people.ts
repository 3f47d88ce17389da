/**
 * Measures what other people on one gateway cost: the processor time and the memory of each home that is opened, and a turn of a
 * person beside a turn of the owner, who is answered without a home in between.
 *
 *   npm run bench:people [-- PEOPLE]
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createForeword } from '../src/foreword.ts'

const people = Number(process.argv[2] ?? 50)
const TURNS = 300
const home = mkdtempSync(join(tmpdir(), 'foreword-people-'))
process.on('exit', () => rmSync(home, { recursive: true, force: true }))

const foreword = await createForeword({
  home,
  configuration: { model: 'rehearsal' },
  environment: { OLLAMA_HOST: '127.0.0.1:1' },
})

async function ask(token: string, path: string, body?: unknown): Promise<Record<string, string>> {
  const response = await foreword.server.fetch(
    new Request(`http://127.0.0.1:4141${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

function milliseconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

async function memory(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return process.memoryUsage.rss() / 1e6
}

const tokens: string[] = []
const openTimes: number[] = []
// The first one loads what all of them need.
await addPerson(0)
const before = await memory()
const descriptors = () => readdirSync('/proc/self/fd').length
const descriptorsBefore = descriptors()
for (let number = 1; number <= people; number += 1) await addPerson(number)
const after = await memory()
openTimes.sort((one, other) => one - other)
console.log(
  `${people} homes of people: each ${openTimes[openTimes.length >> 1]!.toFixed(0)} ms of processor time to open,`,
)
console.log(
  `${((after - before) / people).toFixed(2)} MB of memory while it is idle, ${((descriptors() - descriptorsBefore) / people).toFixed(1)} open files.`,
)

for (const round of ['warming up', 'measured']) {
  const ofOwner = await turns(foreword.token)
  const ofPerson = await turns(tokens[1]!)
  if (round === 'measured')
    console.log(
      `A turn of the owner ${ofOwner.toFixed(2)} ms of processor time, of a person ${ofPerson.toFixed(2)} ms (${TURNS} turns each).`,
    )
}
await foreword.close()

async function addPerson(number: number): Promise<void> {
  const name = `person-${number}`
  await ask(foreword.token, '/api/people', { name })
  const { token } = await ask(foreword.token, '/api/tokens', { name, scope: 'talk', person: name })
  const began = process.cpuUsage()
  await ask(token!, '/api/status')
  if (number > 0) openTimes.push(milliseconds(began))
  tokens.push(token!)
}

/** Processor time of one turn in a session of its own. */
async function turns(token: string): Promise<number> {
  const began = process.cpuUsage()
  for (let number = 0; number < TURNS; number += 1) {
    await ask(token, '/api/messages', { text: 'Hello' })
    if (number % 50 === 49) await ask(token, '/api/status?wait=idle')
  }
  await ask(token, '/api/status?wait=idle')
  return milliseconds(began) / TURNS
}
