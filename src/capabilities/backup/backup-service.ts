import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type AnyCapability, type Clock, RuntimeError } from '../../capability.ts'
import { defined, errorMessage, ForewordError } from '../../platform.ts'
import { type Environment, homeAt } from '../../runtime.ts'
import { type SessionStore, storePath } from '../../session.ts'
import { refuseDatabase } from './backup-error.ts'
import { backupHome } from './backup-home.ts'
import type { BackupService, BackupState, MadeBackup } from './backup-state.ts'
import { preparingPrefix } from './home-files.ts'
import { outsideFolders } from './outside-folders.ts'

/** How long an archive can be downloaded, ms. */
const KEPT_MS = 60 * 60 * 1000

const MOST_REMEMBERED = 20

const KIND = 'backup'

/** Archives for download, in a folder that no archive contains. `close` removes them. */
export function createBackupService(options: {
  readonly home: string
  readonly environment: Environment
  /** Those of the home: their search indexes are part of the archive. */
  readonly capabilities: () => readonly AnyCapability[]
  readonly store: SessionStore
  readonly version: string
  readonly clock: Clock
  readonly backUp?: typeof backupHome
}): BackupService {
  const { home, environment, store, version, clock, backUp = backupHome } = options
  let running: BackupState['running']
  let failed: BackupState['failed']
  let ready: (MadeBackup & { readonly folder: string }) | undefined
  let stopKeeping: (() => void) | undefined
  let work: Promise<void> = Promise.resolve()
  const end = new AbortController()

  /** Never rejects: what stays of an archive is removed by a backup of a later process. */
  async function remove(): Promise<void> {
    stopKeeping?.()
    const { folder } = ready ?? {}
    ready = undefined
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  }

  async function write(): Promise<void> {
    const time = clock.time()
    const capabilities = options.capabilities()
    const folder = await mkdtemp(join(homeAt(home).data, `${preparingPrefix(process.pid)}ready-`))
    try {
      const name = `foreword-${time.slice(0, 19).replace('T', '-').replaceAll(':', '')}.tar.gz`
      const { bytes, files, leftOut } = await backUp({
        home,
        capabilities,
        file: join(folder, name),
        version,
        time,
        signal: end.signal,
        onProgress: (progress) => (running = progress),
      })
      const outside = await outsideFolders({ home, environment, capabilities })
      await store.putRecord({ kind: KIND, id: KIND, value: { bytes, files } }, time)
      // The one before can be downloaded until now: an archive that fails takes none away.
      await remove()
      ready = { id: clock.newId(KIND), name, time, bytes, files, leftOut, outside, folder }
      stopKeeping = clock.timer(KEPT_MS, () => void remove(), { idle: true })
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  return {
    async state() {
      const versions = await store.recordVersions(KIND, KIND)
      const made = versions.slice(0, MOST_REMEMBERED).map(({ time, value }) => {
        const { bytes, files } = value as { readonly bytes: number; readonly files: number }
        return { time, bytes, files }
      })
      return { ...defined({ running, failed, ready: ready && shown(ready) }), made }
    },
    async make() {
      if (running) {
        const hint = 'Wait until it is ready. GET /api/backups shows how far it is.'
        throw new RuntimeError('decided', 'An archive is being made already.', {}, { hint })
      }
      await refuseDatabase(home)
      if (!existsSync(storePath(homeAt(home).data))) {
        const hint = 'Copy the home while the gateway does not run.'
        throw new RuntimeError('invalid-input', 'The store of this home cannot be saved as files.', {}, { hint })
      }
      running = { stage: 'copying the store' }
      failed = undefined
      work = write()
        .catch((error: unknown) => {
          failed = {
            message: errorMessage(error),
            ...defined({ hint: error instanceof ForewordError ? error.hint : undefined }),
          }
        })
        .finally(() => (running = undefined))
    },
    async open(id) {
      const found = ready?.id === id ? ready : undefined
      const path = found && join(found.folder, found.name)
      const facts = path === undefined ? undefined : await stat(path).catch(() => undefined)
      if (!found || path === undefined || !facts) {
        const hint = 'Make another one: an archive is kept for an hour.'
        throw new RuntimeError('not-found', 'This archive is gone.', { backup: id }, { hint })
      }
      const content = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
      return { name: found.name, bytes: facts.size, content }
    },
    async close() {
      end.abort()
      await work
      await remove()
    },
  }
}

/** Without the folder that it is in. */
function shown({ id, name, time, bytes, files, leftOut, outside }: MadeBackup): MadeBackup {
  return { id, name, time, bytes, files, leftOut, outside }
}
