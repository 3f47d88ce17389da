import { parseJson } from '../platform.ts'
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import type { AuditRecord } from './audit.ts'

export type ChainPosition = Pick<AuditRecord, 'number' | 'hash'>

/**
 * The end of the chain at one moment, signed. A copy outside the store proves later that the record was there: the hash of a
 * record contains the hashes of all records before it.
 */
export interface AuditCheckpoint extends ChainPosition {
  readonly version: 1
  /** Id of the chain: a store that was emptied begins another one. */
  readonly audit: string
  /** When it was taken, ISO 8601, UTC. */
  readonly time: string
  readonly key: string
  /** Present where a backup was restored: the chain goes back here, and checkpoints before this one are of the former chain. */
  readonly restore?: CheckpointRestore
  /** Ed25519, in base64, over everything else: JSON without whitespace, with sorted keys, in UTF-8. */
  readonly signature: string
}

export interface CheckpointRestore {
  /** When the backup was made, ISO 8601. */
  readonly saved: string
  /** The newest record before the restore; absent where it is unknown. */
  readonly before?: ChainPosition
}

/** The key that signs checkpoints. */
export interface AuditKey {
  /** `ed25519-` and the first 32 digits of the SHA-256 of the public key, in hexadecimal. */
  readonly id: string
  /** SPKI, PEM. */
  readonly publicKey: string
  signCheckpoint(content: Omit<AuditCheckpoint, 'version' | 'key' | 'signature'>): AuditCheckpoint
  /**
   * Signs something else of this home as a checkpoint is signed. In base64. `purpose` keeps it from being taken for the
   * signature of another thing; no checkpoint has it.
   */
  sign(statement: { readonly purpose: string; readonly [name: string]: unknown }): string
}

/** Makes a new private key: PKCS #8, PEM. */
export function newAuditKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' })
}

/** Reads a private key. Throws where the text is not an Ed25519 key. */
export function auditKey(pem: string): AuditKey {
  const privateKey = createPrivateKey(pem)
  if (privateKey.asymmetricKeyType !== 'ed25519') throw new TypeError('it is not an Ed25519 key')
  const publicKey = createPublicKey(privateKey)
  const id = auditKeyId(publicKey.export({ type: 'spki', format: 'pem' }))
  const signed = (unsigned: object) => sign(null, signedBytes(unsigned), privateKey).toString('base64')
  return {
    id,
    sign: signed,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    signCheckpoint(content) {
      const unsigned = { version: 1 as const, ...content, key: id }
      return { ...unsigned, signature: signed(unsigned) }
    },
  }
}

/** The id of a key, from its public half (SPKI, PEM). Throws where the text is no key. */
export function auditKeyId(publicKey: string): string {
  const spki = createPublicKey(publicKey).export({ type: 'spki', format: 'der' })
  return `ed25519-${createHash('sha256').update(spki).digest('hex').slice(0, 32)}`
}

/** Whether a checkpoint is signed by this key and nothing in it was changed. */
export function isSigned(checkpoint: AuditCheckpoint, { id, publicKey }: Pick<AuditKey, 'id' | 'publicKey'>): boolean {
  const { signature, ...unsigned } = checkpoint
  return checkpoint.key === id && isSignature(signature, unsigned, publicKey)
}

/** Whether this is the signature of a statement by the key with this public key (SPKI, PEM). */
export function isSignature(signature: string, statement: object, publicKey: string): boolean {
  return verify(null, signedBytes(statement), createPublicKey(publicKey), Buffer.from(signature, 'base64'))
}

/** Ends a line that a crash cut off. It is written before the next line, and such a line is no checkpoint. */
export const CUT_OFF = ' (cut off)'

/** A record as people write it, `NUMBER:HASH`; `undefined` where the text is none. */
export function parseChainPosition(text: string): ChainPosition | undefined {
  const [, number, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  return hash === undefined ? undefined : { number: Number(number), hash: hash.toLowerCase() }
}

/** One line of a checkpoint file; `undefined` where it is none. Says nothing about its signature. */
export function parseCheckpoint(line: string): AuditCheckpoint | undefined {
  const value = parseJson(line)
  return isCheckpoint(value) ? value : undefined
}

function isCheckpoint(value: unknown): value is AuditCheckpoint {
  if (typeof value !== 'object' || value === null) return false
  const { version, restore, ...rest } = value as Record<string, unknown>
  const texts = ['audit', 'time', 'key', 'signature'].map((name) => rest[name])
  return version === 1 && isPosition(rest) && texts.every((text) => typeof text === 'string') && isRestore(restore)
}

function isRestore(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const { saved, before } = value as Record<string, unknown>
  return typeof saved === 'string' && (before === undefined || isPosition(before))
}

export function isPosition(value: unknown): value is ChainPosition {
  if (typeof value !== 'object' || value === null) return false
  const { number, hash } = value as Record<string, unknown>
  return Number.isSafeInteger(number) && Number(number) >= 1 && typeof hash === 'string'
}

function signedBytes(unsigned: object): Buffer {
  return Buffer.from(JSON.stringify(sortKeys(unsigned)))
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(
    fields.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, sortKeys(each)]),
  )
}
