import { workerData } from 'node:worker_threads'
import { Client } from 'pg'
import { ENDS, GIVEN, MIXED, NONE, SIGN_MS, type SignsTask, UNANSWERED, SILENT_SIGNS, STATE } from './signs-task.ts'

/**
 * A thread that asks the database for next to nothing, over a connection of its own, whatever the thread of the turns is busy with. The
 * database notes when it was asked last.
 */
const { connection, name, shared } = workerData as SignsTask

/** How many times in a row nobody answers until the connection is given up. */
const MOST_MISSED = 20

let client: Client | undefined
let server: unknown
let isAsking = false
let isGivenUp = false
let missed = 0

while (Atomics.load(shared, ENDS) === 0 && Atomics.load(shared, STATE) !== MIXED) {
  if (isAsking) miss()
  else void ask()
  // oxlint-disable-next-line no-await-in-loop -- one sign after the other
  await Atomics.waitAsync(shared, ENDS, 0, SIGN_MS).value
}
await client?.end().catch(() => {})

async function ask(): Promise<void> {
  isAsking = true
  try {
    const { rows } = await (client ?? (await connect())).query({ text: 'select pg_backend_pid() as pid' })
    const [{ pid }] = rows as unknown as readonly [{ readonly pid: number }]
    server ??= pid
    missed = 0
    // A pooler gives each question another connection: none of them is that of this process.
    Atomics.store(shared, STATE, pid === server ? GIVEN : MIXED)
  } catch {
    client = undefined
    // A server that refuses a connection has answered.
    if (!isGivenUp) {
      missed = 0
      Atomics.store(shared, STATE, NONE)
    }
    isGivenUp = false
  } finally {
    isAsking = false
  }
}

/** Counted, so that a process that did not run has missed none. */
function miss(): void {
  missed += 1
  if (missed >= SILENT_SIGNS) Atomics.store(shared, STATE, UNANSWERED)
  if (missed % MOST_MISSED > 0) return
  isGivenUp = true
  client?.connection.stream.destroy()
}

async function connect(): Promise<Client> {
  const next = new Client({
    ...connection,
    application_name: name,
    keepAlive: true,
    pipeline: false,
    connectionTimeoutMillis: 0,
    types: { getTypeParser: () => Number },
  })
  client = next
  server = undefined
  next.on('error', () => {})
  next.on('end', () => {
    if (client === next) client = undefined
  })
  await next.connect()
  return next
}
