import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { type Clock, sha256 } from '../../platform.ts'
import { openStore, storePath } from '../../session.ts'
import { accessFilePath, homeAt } from '../home/home.ts'
import { acceptedAccess, type AcceptedPolicy, acceptedWrite, isAccepted, readAccepted } from '../tools/edit-access.ts'
import { widenedWords } from '../tools/pinned-policy.ts'

interface Arriving {
  readonly home: string
  /** Where its new content lies before it is put in place. */
  readonly arriving: string
  readonly clock: Clock
}

/** What the policy that arrives lets through beyond what the home has accepted, in sentences. */
export async function widenedPolicy({ home, arriving, clock }: Arriving): Promise<readonly string[]> {
  const accepted = await acceptedIn(home, clock)
  return widenedWords(acceptedAccess(accepted ?? { text: '' }), await policyText(arriving))
}

/** What the archive says that was accepted is no word of this home's owner: its policy is compared with what was accepted here. */
export async function pinPolicy({ home, arriving, clock }: Arriving, time: string): Promise<void> {
  const accepted = (await acceptedIn(home, clock)) ?? { text: '' }
  const text = await policyText(arriving)
  const waits = !isAccepted(accepted, text)
  const why = { waiting: sha256(text), unconfined: 'it came with a backup that the key of this home did not sign' }
  const folder = homeAt(arriving).data
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const store = await openStore({ path: storePath(folder), clock })
  try {
    await store.transaction([acceptedWrite({ ...accepted, ...(waits ? why : {}) }, time)])
  } finally {
    await store.close()
  }
}

async function policyText(home: string): Promise<string> {
  const path = await accessFilePath(home)
  return existsSync(path) ? readFile(path, 'utf8') : ''
}

/** What a home has accepted of its policy. Damage of it is often the reason for a restore: then nothing. */
async function acceptedIn(home: string, clock: Clock): Promise<AcceptedPolicy | undefined> {
  const path = storePath(homeAt(home).data)
  if (!existsSync(path)) return undefined
  try {
    const store = await openStore({ path, clock, readOnly: true })
    try {
      return await readAccepted(store)
    } finally {
      await store.close()
    }
  } catch {
    return undefined
  }
}
