import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What a gateway does for its user, counted without a clock. */
export interface GatewayCounts {
  /** Named functions below `src/` that ran for one `Hello` in a new session after two others, and the files they are in. */
  readonly hello: { readonly functions: number; readonly files: number }
  /** Averages over the turns of one session, which follow each other, and what follows them. Bytes kept are pages of the databases that are in use. */
  readonly turn: DiskCounts
}

export interface DiskCounts {
  readonly statements: number
  readonly commits: number
  readonly writes: number
  readonly bytesWritten: number
  readonly bytesKept: number
  readonly looks: number
}

/** The first turns of a session fill pages and caches; an average over so many is the same at every run. */
const TURNS = 24

/**
 * Starts a gateway on a home of its own with the rehearsal model and sends it messages over HTTP. Whatever follows a turn, such as
 * the index of sessions, has ended before anything is counted; waiting for that is a request of its own, which is left out.
 */
export function gatewayCounts(root: string): Promise<GatewayCounts> {
  return withGateway(root, async ({ gateway, http }) => {
    const idle = () => http('/api/status?wait=idle')
    const take = () => takeCounts(gateway)
    await idle()
    await take()
    const own = pathToFileURL(join(root, 'src')).href

    await say(http, 'Hello')
    await say(http, 'Hello')
    await idle()
    await take()
    await say(http, 'Hello')
    const answered = await take()
    await idle()
    const settled = await take()
    await idle()
    const asked = new Set((await take()).functions.map(functionKey))
    const followed = settled.functions.filter((each) => !asked.has(functionKey(each)))
    const ran = new Map([...answered.functions, ...followed].map((each) => [functionKey(each), each.url]))
    const ofHello = [...ran.values()].filter((url) => url.startsWith(own))

    const session = await say(http, 'Hello')
    await idle()
    await take()
    for (let turn = 0; turn < TURNS; turn += 1) await say(http, 'Hello', session)
    await idle()
    const { disk: turns } = await take()
    await idle()
    const { disk: questions } = await take()
    return {
      hello: { functions: ofHello.length, files: new Set(ofHello).size },
      turn: mapCounts(turns, (sum, name) => (sum - questions[name]) / TURNS),
    }
  })
}

export interface CountedGateway {
  readonly gateway: ChildProcess
  readonly http: Http
  /** Of a process that runs a command of the same home. */
  readonly environment: Readonly<Record<string, string>>
}

/** Starts the gateway of a checkout or a package with the hook in it, on a home of its own with the rehearsal model. */
export async function withGateway<Value>(
  root: string,
  work: (counted: CountedGateway) => Promise<Value>,
): Promise<Value> {
  const home = mkdtempSync(join(tmpdir(), 'foreword-counts-'))
  const environment = {
    PATH: process.env.PATH ?? '',
    FOREWORD_HOME: home,
    FOREWORD_MODEL: 'rehearsal',
    FOREWORD_GATEWAY_PORT: '0',
    NODE_OPTIONS: '--conditions=foreword-source',
  }
  const words = [join(root, 'bin', 'foreword.js'), 'start', '--json']
  const gateway = spawn(process.execPath, ['--import', join(import.meta.dirname, 'gateway-hook.mjs'), ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    const [line] = (await once(gateway.stdout!, 'data')) as [Buffer]
    const { address } = JSON.parse(line.toString()) as { readonly address?: string }
    if (address === undefined) throw new Error(`the gateway did not start: ${line.toString()}`)
    const http = client(address, readFileSync(join(home, 'data', 'token'), 'utf8').trim())
    return await work({ gateway, http, environment })
  } finally {
    gateway.kill()
    await once(gateway, 'close')
    rmSync(home, { recursive: true, force: true })
  }
}

type Http = (path: string, body?: object) => Promise<unknown>

function client(address: string, token: string): Http {
  return async (path, body) => {
    const response = await fetch(`${address}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`)
    return JSON.parse(text)
  }
}

/** Sends a message, in a new session unless one is given, and returns its session when the turn has ended. */
async function say(http: Http, text: string, session?: string): Promise<string> {
  const sent = (await http('/api/messages', { text, ...(session === undefined ? {} : { session }) })) as {
    readonly session: string
    readonly turn: string
  }
  const turn = (await http(`/api/sessions/${sent.session}/turns/${sent.turn}?wait=60000`)) as {
    readonly outcome?: { readonly type: string }
  }
  if (turn.outcome?.type !== 'completed') throw new Error(`a turn ended with ${JSON.stringify(turn.outcome)}`)
  return sent.session
}

interface RanFunction {
  readonly url: string
  readonly name: string
  readonly start: number
}

interface Counts {
  readonly functions: readonly RanFunction[]
  /** All since the start of the process. */
  readonly modules: readonly string[]
  readonly disk: DiskCounts
}

/** What the gateway did since these counts were last taken. */
export async function takeCounts(gateway: ChildProcess): Promise<Counts> {
  gateway.send('take')
  const [answer] = (await once(gateway, 'message')) as [Counts]
  return answer
}

function functionKey({ url, name, start }: RanFunction): string {
  return `${url} ${name} ${start}`
}

function mapCounts(counts: DiskCounts, change: (count: number, name: keyof DiskCounts) => number): DiskCounts {
  return Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [name, change(count, name as keyof DiskCounts)]),
  ) as unknown as DiskCounts
}
