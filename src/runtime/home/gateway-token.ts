import { realpath } from 'node:fs/promises'
import { writeFileAtomically } from '../../platform.ts'
import { readText } from '../../tool.ts'
import { createHome, homeAt } from './home.ts'

export interface TokenOptions {
  /** Path of the home. */
  readonly home: string
  /** `gateway.token` of the configuration, where somebody chose one. */
  readonly configured?: string | undefined
  /** So many random bytes that nobody can guess. */
  readonly random: (bytes: number) => Uint8Array
}

/**
 * The token of the gateway: the configured one, else the one in `data/token`, else a new one of 32 random bytes. What is
 * answered stands in `data/token` (0600) afterwards, where the commands on this machine find it.
 */
export async function ensureToken({ home, configured, random }: TokenOptions): Promise<string> {
  const kept = await readToken(home)
  const token = configured ?? kept ?? Buffer.from(random(32)).toString('base64url')
  if (token === kept) return token
  await createHome(homeAt(home))
  const path = homeAt(home).tokenFile
  // A link keeps pointing where it pointed.
  await writeFileAtomically(await realpath(path).catch(() => path), `${token}\n`)
  return token
}

/** The token that the last gateway of a home asked for; `undefined` where none was started yet. */
export async function readToken(home: string): Promise<string | undefined> {
  const path = homeAt(home).tokenFile
  const found = await readText(path)
  if (found.type === 'unreadable') throw new Error(`The token in ${path} cannot be read: ${found.why}.`)
  const token = found.type === 'text' ? found.text.trim() : ''
  return token === '' ? undefined : token
}
