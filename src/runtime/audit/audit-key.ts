import { join } from 'node:path'
import { ForewordError, writeFileAtomically } from '../../platform.ts'
import { type AuditKey, auditKey, newAuditKey } from '../../session.ts'
import { readText } from '../../tool.ts'
import { homeAt } from '../home/home.ts'

/** The private key of a home. It is in `data`, which no tool can reach, beside the token and the keys of providers. */
export function auditKeyFile(home: string): string {
  return join(homeAt(home).data, 'audit-key.pem')
}

/** The key that signs the checkpoints of a home; `undefined` without one. Throws ForewordError `file` where the file is no key. */
export async function readAuditKey(home: string): Promise<AuditKey | undefined> {
  const path = auditKeyFile(home)
  const found = await readText(path)
  const hint = 'Restore the file from a backup. A new key would not match the checkpoints that were signed before.'
  if (found.type === 'unreadable') {
    throw new ForewordError('file', `Cannot read the key of the audit in ${path}: ${found.why}.`, { path }, { hint })
  }
  if (found.type !== 'text') return undefined
  try {
    return auditKey(found.text)
  } catch (error) {
    const message = `The file ${path} is not the key of the audit any more.`
    throw new ForewordError('file', message, { path }, { hint, cause: error })
  }
}

/** Makes the key of a home that has none, for the owner alone (0600). `first` is done with it before it is written. */
export async function makeAuditKey(home: string, first?: (key: AuditKey) => Promise<unknown>): Promise<AuditKey> {
  const pem = newAuditKey()
  const key = auditKey(pem)
  await first?.(key)
  await writeFileAtomically(auditKeyFile(home), pem)
  return key
}
