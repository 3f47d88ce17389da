import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, unwatchFile, watchFile } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openClient } from '../../src/session/postgres/client.ts'

const VERSIONS = '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534

/** Why no PostgreSQL can be started here; `undefined`: one can. */
export const withoutPostgres = programs() === undefined ? 'PostgreSQL is not installed' : undefined

interface PostgresOptions {
  /** It asks for this. */
  readonly password?: string
  readonly connections?: number
  /** More of its settings, such as `work_mem=1MB`. */
  readonly settings?: readonly string[]
  /** A file for what it logs. Messages of several connections are not mixed there, as they are where somebody listens. */
  readonly logFile?: string
}

/** A PostgreSQL of its own on a socket in a temporary folder, as a plain user. Ends with `stop`. */
export async function startPostgres({ password, connections = 60, settings = [], logFile }: PostgresOptions = {}) {
  const folder = await mkdtemp('/tmp/foreword-postgres-')
  const data = join(folder, 'data')
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) await chown(folder, NOBODY, NOBODY)
  const environment = { cwd: folder, env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }, ...as }
  await promisify(execFile)(
    join(programs()!, 'initdb'),
    ['-D', data, '-U', 'foreword', '-E', 'UTF8', '--no-sync', '-A', ...(await access())],
    environment,
  )
  let server = await start()
  let databases = 0
  const address = (database: string) => `postgres://foreword@/${database}?host=${folder}`

  return {
    address,
    /** The number of its first process, whose children the others are. */
    pid: () => server.pid!,
    /** The address of a new database. */
    async database(): Promise<string> {
      databases += 1
      const name = `store_${databases}`
      await execute(`create database ${name}`)
      return address(name)
    },
    execute,
    /** Ends every connection and starts the server again. */
    async restart() {
      await end('SIGINT')
      server = await start()
    },
    async stop() {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }

  async function execute(sql: string, database = 'postgres') {
    const client = await openClient({ address: address(database), password })
    try {
      return await client.execute(sql)
    } finally {
      await client.end()
    }
  }

  async function access(): Promise<readonly string[]> {
    if (password === undefined) return ['trust']
    const file = join(folder, 'password')
    await writeFile(file, password)
    return ['scram-sha-256', '--pwfile', file]
  }

  async function start(): Promise<ChildProcess> {
    const all = ['listen_addresses=', 'fsync=off', `max_connections=${connections}`, ...settings]
    const options = ['-D', data, '-k', folder, ...all.flatMap((setting) => ['-c', setting])]
    const log = logFile === undefined ? undefined : openSync(logFile, 'a')
    const started = spawn(join(programs()!, 'postgres'), options, {
      ...environment,
      stdio: ['ignore', 'ignore', log ?? 'pipe'],
    })
    if (log !== undefined) closeSync(log)
    await new Promise<void>((resolve, reject) => {
      started.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}`)))
      const isReady = (text: unknown) => String(text).includes('ready to accept connections')
      if (logFile === undefined) started.stderr!.on('data', (text) => isReady(text) && resolve())
      else watchFile(logFile, { interval: 20 }, () => isReady(readFileSync(logFile)) && resolve())
    })
    if (logFile !== undefined) unwatchFile(logFile)
    return started
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }
}

function programs(): string | undefined {
  if (!existsSync(VERSIONS)) return undefined
  return readdirSync(VERSIONS)
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((path) => existsSync(join(path, 'initdb')))
}
