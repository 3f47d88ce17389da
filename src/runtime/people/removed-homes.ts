import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import type { StoreSetting } from '../configuration/home-store.ts'
import type { Environment } from '../configuration/value.ts'
import { editValue } from '../edit-value.ts'
import { homeAt } from '../home/home.ts'
import { peopleHomesIn, personHome } from '../tokens/people.ts'

/** By name, how often a person of that name was removed. */
const KEY = 'gateway/removed-people'
const counts = z.record(z.string(), z.int())

type Store = Pick<SessionStore, 'value'>

/** Tells all gateways on the database that the home of a person is gone, so that each removes the folder that it has of it. */
export async function noteRemoved(
  database: StoreSetting,
  { environment, clock }: { readonly environment: Environment; readonly clock: Clock },
  name: string,
): Promise<void> {
  const { openBeside } = await import('../configuration/home-store.ts')
  const store = await openBeside(database, environment, clock)
  try {
    await editValue(store, KEY, (was) => {
      const before = counts.parse(was ?? {})
      return { ...before, [name]: (before[name] ?? 0) + 1 }
    })
  } finally {
    await store.close()
  }
}

/** Removes the folder of a person who was removed at another gateway. That of somebody who has the name since stays. */
export async function removeFormer(home: string, name: string, store: Store): Promise<void> {
  const folder = personHome(home, name)
  if (!existsSync(folder)) return
  const stamp = await readFile(stampOf(folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '0'
    throw error
  })
  if (Number(stamp) < (await timesRemoved(store, name))) await rm(folder, { recursive: true, force: true })
}

/** The same for everybody whose folder is here. `isPresent`: somebody of that name is there now, who may be being added. */
export async function removeAllFormer(home: string, isPresent: (name: string) => boolean, store: Store): Promise<void> {
  for (const name of (await peopleHomesIn(home)).map((folder) => basename(folder)))
    if (!isPresent(name)) await removeFormer(home, name, store)
}

/** Makes the folder of a person where there is none, with a note after how many removals it was made. */
export async function makeFolder(home: string, name: string, store: Store): Promise<void> {
  await removeFormer(home, name, store)
  const folder = personHome(home, name)
  if (existsSync(folder)) return
  await mkdir(homeAt(folder).data, { recursive: true, mode: 0o700 })
  const times = await timesRemoved(store, name)
  if (times > 0) await writeFile(stampOf(folder), String(times), { mode: 0o600 })
}

async function timesRemoved(store: Store, name: string): Promise<number> {
  return counts.parse((await store.value(KEY)) ?? {})[name] ?? 0
}

const stampOf = (folder: string) => join(homeAt(folder).data, 'removed-before')
