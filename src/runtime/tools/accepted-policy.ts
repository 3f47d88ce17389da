import { defined } from '../../platform.ts'
import type { RecordStore, Write } from '../../session.ts'
import { type AccessRead, readAccess } from '../../tool.ts'

const KIND = 'accepted-policy'
const ID = 'tool-access.json'

export interface AcceptedPolicy {
  readonly text: string
  /** Where the file has forbidden more since then: the policy that remains, as a text of the same form. */
  readonly narrowed?: string
  /** SHA-256 of the text of the file that is in the audit as waiting. */
  readonly waiting?: string
}

/** Rejects where the store cannot be read. `undefined`: nothing was accepted ever. What is no record accepts nothing. */
export async function readAccepted(store: Pick<RecordStore, 'record'>): Promise<AcceptedPolicy | undefined> {
  const record = await store.record(KIND, ID)
  if (!record) return undefined
  const { text, narrowed, waiting } = (record.value ?? {}) as Partial<AcceptedPolicy>
  const areTexts = [text, narrowed ?? '', waiting ?? ''].every((each) => typeof each === 'string')
  return areTexts ? (record.value as AcceptedPolicy) : { text: '' }
}

/** `after`: the version that it is based on. */
export function acceptedWrite(value: AcceptedPolicy, time: string, after?: number): Write {
  return { type: 'record', change: { kind: KIND, id: ID, value, ...defined({ after }) }, time }
}

export function acceptedAccess({ text, narrowed }: AcceptedPolicy): AccessRead {
  return readAccess(narrowed ?? text, {})
}

/** Whether a text of the file is exactly what was accepted. */
export function isAccepted({ text: accepted, narrowed }: AcceptedPolicy, text: string): boolean {
  return narrowed === undefined && accepted === text
}
