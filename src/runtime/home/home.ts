import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorMessage, ForewordError, shellWords, writeFileAtomically } from '../../platform.ts'
import { accessPaths, readText } from '../../tool.ts'

/** The files and folders of a home, as absolute paths (docs/guide/configuration.md). A missing one is an empty one. */
interface Home {
  readonly root: string
  readonly configurationFile: string
  readonly data: string
  readonly tokenFile: string
  readonly context: string
  readonly systemPromptFile: string
  readonly soulFile: string
  readonly userProfileFile: string
  readonly toolAccessFile: string
  /** Where Ayati keeps its own: it counts where the home has no other (BEHAVIOURS §2.3). */
  readonly contextToolAccessFile: string
}

/** Where everything of a home is. Looks at nothing. */
export function homeAt(root: string): Home {
  const context = join(root, 'context')
  const data = join(root, 'data')
  const [toolAccessFile, contextToolAccessFile] = accessPaths(root)
  return {
    root,
    configurationFile: join(root, 'config.json'),
    data,
    tokenFile: join(data, 'token'),
    context,
    systemPromptFile: join(context, 'system_prompt.md'),
    soulFile: join(context, 'soul.json'),
    userProfileFile: join(context, 'user_profile.json'),
    toolAccessFile,
    contextToolAccessFile,
  }
}

/** What no tool may touch in any workspace: the home and the host's own files in it. Capabilities have `home.places` of their own. */
export function protectedPlaces(root: string): readonly string[] {
  const { configurationFile, data, context, toolAccessFile } = homeAt(root)
  return [root, configurationFile, data, context, toolAccessFile]
}

/** Makes the missing folders for the owner alone (0700) and closes `data`. Rejects with a hint where one cannot be made. */
export async function createHome({ root, data }: Home): Promise<void> {
  for (const folder of [root, data]) {
    try {
      await makeFolder(folder)
    } catch (error) {
      const why = errorMessage(error)
      const message = `Cannot create the home ${root}: ${why}.`
      throw new ForewordError(
        'file',
        message,
        { path: folder },
        { hint: 'Name another home with FOREWORD_HOME.', cause: error },
      )
    }
  }
  await closeToOthers(data)
}

/** A mode that others cannot use stays. What belongs to somebody else cannot be closed: the doctor reports it. */
async function closeToOthers(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  try {
    const { mode } = await stat(folder)
    if ((mode & 0o077) !== 0) await chmod(folder, mode & 0o700)
  } catch {
    // It works as before.
  }
}

/** A warning where other users of this machine can open the home: a person may want that for the workspace in it. */
export async function homeWarning(root: string): Promise<string | undefined> {
  const facts = process.platform === 'win32' ? undefined : await stat(root).catch(() => undefined)
  if (facts === undefined || (facts.mode & 0o077) === 0) return undefined
  return `Other users of this machine can open the home ${root}. \`chmod go= ${shellWords([root])}\` keeps them out.`
}

/** Makes the agent's folder where it is missing. Returns a warning where it cannot be made: everything else works without. */
export async function createWorkspace(folder: string): Promise<string | undefined> {
  try {
    await makeFolder(folder)
    return undefined
  } catch (error) {
    const why = errorMessage(error)
    return `Cannot create the workspace ${folder}: ${why}. Create it yourself, or name another one as \`agent.workspace\`.`
  }
}

/** Makes a folder and those above it. Node's own `recursive` never comes back where none can be made, as in `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder)
  } catch (error) {
    const above = dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error
    // Another call may just have made it.
    if (!(await exists(above))) await makeFolder(above)
    await makeOne(folder)
  }
}

/** A folder that is there is as good. */
async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** The file that decides what may run, and that commands change; the one in the home itself where there is none yet. */
export async function accessFilePath(root: string): Promise<string> {
  const [own, inContext] = accessPaths(root)
  return !(await isThere(own)) && (await isThere(inContext)) ? inContext : own
}

/** A file that cannot be examined counts as existing: reading it then reports why it cannot be read. */
async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code !== 'ENOENT' && code !== 'ENOTDIR'
  }
}

interface TokenOptions {
  readonly home: string
  /** `gateway.token` of the configuration, if set. */
  readonly configured?: string | undefined
  /** Random bytes of the token: too many to guess. */
  readonly random: (bytes: number) => Uint8Array
}

/** The gateway's token: the configured one, that in `data/token`, or a new one of 32 random bytes. It is in `data/token` (0600) then. */
export async function ensureToken({ home, configured, random }: TokenOptions): Promise<string> {
  const kept = await readToken(home)
  const token = configured ?? kept ?? newToken(random)
  if (token !== kept) await writeToken(home, token)
  return token
}

function newToken(random: TokenOptions['random']): string {
  return Buffer.from(random(32)).toString('base64url')
}

async function writeToken(home: string, token: string): Promise<void> {
  await createHome(homeAt(home))
  const path = homeAt(home).tokenFile
  // A link keeps pointing where it pointed.
  await writeFileAtomically(await realpath(path).catch(() => path), `${token}\n`)
}

/** The token of a running gateway, for a person who replaces it. */
export interface TokenStore {
  /** Set by the configuration, which then has to be changed; otherwise a file of the home. */
  readonly isConfigured: boolean
  /** When that file was written, ISO 8601. */
  made(): Promise<string | undefined>
  /** Puts a new token into the file and returns it. The gateway has to ask for it from then on. */
  replace(): Promise<string>
}

export function tokenStore({ home, configured, random }: TokenOptions): TokenStore {
  return {
    isConfigured: configured !== undefined,
    async made() {
      const facts = await stat(homeAt(home).tokenFile).catch(() => undefined)
      return facts?.mtime.toISOString()
    },
    async replace() {
      const token = newToken(random)
      await writeToken(home, token)
      return token
    },
  }
}

/** The token that the last gateway of a home asked for; `undefined` where none was started yet. */
export async function readToken(home: string): Promise<string | undefined> {
  const path = homeAt(home).tokenFile
  const found = await readText(path)
  if (found.type === 'unreadable') throw new ForewordError('token', `Cannot read the token in ${path}: ${found.why}.`)
  const token = found.type === 'text' ? found.text.trim() : ''
  return token === '' ? undefined : token
}

/**
 * Notes which database has the sessions of a home, without its password: a command may not know `FOREWORD_STORE`. `undefined`: they are in
 * a file again.
 */
export async function noteDatabase(home: string, address: string | undefined): Promise<void> {
  const file = databaseNote(home)
  if (address === undefined) return rm(file, { force: true })
  const text = `${address}\n`
  if (!existsSync(file) || (await readFile(file, 'utf8')) !== text) await writeFileAtomically(file, text)
}

/** The database that a gateway of this home has used, as it was noted; `undefined` where none has. */
export async function notedDatabase(home: string): Promise<string | undefined> {
  const file = databaseNote(home)
  return existsSync(file) ? (await readFile(file, 'utf8')).trim() : undefined
}

function databaseNote(home: string): string {
  return join(homeAt(home).data, 'database')
}
