import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { ok, problem, warning } from './finding.ts'
import type { Finding } from '../../capability.ts'

/** The home: whether it can be written, and whether others can read what is private in it. */
export async function checkHome(home: string): Promise<Finding> {
  const facts = await stat(home).catch(() => undefined)
  if (facts === undefined) return ok('home', `${home} is not there yet; \`foreword start\` makes it`)
  if (!facts.isDirectory()) {
    return problem('home', `${home} is not a folder`, 'Move it away, or name another home with FOREWORD_HOME.')
  }
  const writable = await access(home, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
  if (!writable) {
    return problem('home', `${home} cannot be read and written by this user`, `Run \`chown -R "$USER" ${home}\`.`)
  }
  const { isRestorePending } = await import('../../runtime.ts')
  if (!isRestorePending(home)) return ok('home', home)
  return problem('home', 'a restore was interrupted', 'Run `foreword start`: it completes the restore first.')
}

/** What only its owner should be able to read. */
export async function checkPrivacy(privateFiles: readonly string[]): Promise<Finding> {
  if (process.platform === 'win32') return ok('permissions', 'kept by Windows')
  const open: string[] = []
  for (const path of privateFiles) {
    const facts = await stat(path).catch(() => undefined)
    if (facts !== undefined && (facts.mode & 0o077) !== 0) open.push(path)
  }
  if (open.length === 0) return ok('permissions', 'only you can read what is private')
  return warning(
    'permissions',
    `other users of this machine can read ${open.join(', ')}`,
    `Run \`chmod go= ${open.join(' ')}\`.`,
  )
}
