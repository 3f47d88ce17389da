import { createRequire } from 'node:module'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { openClient } from '../../src/session/postgres/client.ts'

/** The libraries beside which a turn is measured, with their versions. */
export const jobLibraries = { 'graphile-worker': '0.18.0', 'pg-boss': '12.38.0' } as const

export type JobLibrary = keyof typeof jobLibraries

/** Installs them into a folder: they and all that they bring are of no use to anybody who installs Foreword. */
export async function installJobLibraries(folder: string): Promise<void> {
  const packages = Object.entries(jobLibraries).map(([name, version]) => `${name}@${version}`)
  await promisify(execFile)('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefix',
    folder,
    ...packages,
  ])
}

interface Jobs {
  /** Adds a job that asks the model with this word. It is on the disk when this resolves. */
  add(word: string): Promise<void>
  /** Does jobs in this process, so many at once, each as soon as the database has it. */
  work(concurrency: number, run: (word: string) => Promise<void>): Promise<void>
  /** How many jobs have not been completed. */
  left(): Promise<number>
  close(): Promise<void>
}

const QUEUE = 'turns'

export async function openJobs(library: string, folder: string, database: string): Promise<Jobs> {
  const from = createRequire(join(folder, 'package.json'))
  const load = (name: string) => import(pathToFileURL(from.resolve(name)).href)
  const client = await openClient({ address: database })
  const count = async (sql: string) => Number((await client.execute(sql))[0]!['left'])
  if (library === 'graphile-worker') {
    const { makeWorkerUtils, run } = await load(library)
    const utils = await makeWorkerUtils({ connectionString: database, logger: await silent(load) })
    await utils.migrate()
    return {
      async add(word) {
        await utils.addJob(QUEUE, { word })
      },
      async work(concurrency, work) {
        const taskList = { [QUEUE]: ({ word }: { readonly word: string }) => work(word) }
        const options = {
          connectionString: database,
          concurrency,
          taskList,
          noHandleSignals: true,
          maxPoolSize: concurrency + 2,
        }
        await run({ ...options, logger: await silent(load) })
      },
      left: () => count('select count(*) as left from graphile_worker.jobs'),
      async close() {
        await utils.release()
        await client.end()
      },
    }
  }
  const { PgBoss } = await load(library)
  // Workers are woken by a notification.
  const boss = new PgBoss({ connectionString: database, useListenNotify: true, max: 20 })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, { notify: true })
  return {
    async add(word) {
      await boss.send(QUEUE, { word })
    },
    async work(concurrency, work) {
      const each = async (jobs: readonly { readonly data: { readonly word: string } }[]) => {
        for (const { data } of jobs) await work(data.word)
      }
      await boss.work(QUEUE, { localConcurrency: concurrency, pollingIntervalSeconds: 0.5 }, each)
    },
    left: () =>
      count(
        `select count(*) as left from pgboss.job where name = '${QUEUE}' and state in ('created', 'retry', 'active')`,
      ),
    async close() {
      await boss.stop({ graceful: false })
      await client.end()
    },
  }
}

async function silent(load: (name: string) => Promise<{ readonly Logger: new (make: () => () => void) => object }>) {
  const { Logger } = await load('@graphile/logger')
  return new Logger(() => () => {})
}
