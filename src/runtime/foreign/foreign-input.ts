import type { CallRecord } from '../../session.ts'
import { type WireFormat } from '../../wire.ts'

/** What is recorded of a call of another program: its body can be put together again, byte by byte. */
export interface ForeignInput {
  readonly foreign: {
    readonly method: string
    /** Behind the address of the provider, with its query. */
    readonly path: string
    readonly format?: WireFormat
    readonly body: StoredBody
    /** What the program sent, where a cut of ours left with something else. */
    readonly caller?: StoredBody
    readonly marks?: string
  }
  readonly counter: string
}

/** A body in parts, each stored once however many bodies have it. */
export interface StoredBody {
  /** `sha256:HASH` of a list of parts, as JSON: `sha256:HASH` of each part, or of a list of parts in an array. */
  readonly parts: string
  /** Of the body after its encoding was undone. */
  readonly sha256: string
  readonly bytes: number
  /** It is no text: its parts are base64. */
  readonly base64?: true
  /** Secrets were taken out of it, so that it cannot be put together as it left. */
  readonly redacted?: true
  /** Its bytes are gone: the gateway ended before they were on disk, or they contain a secret. It has no parts. */
  readonly lost?: true
  /** As it left, such as `gzip`; absent where it left as it is. */
  readonly encoding?: string
}

/** Methods with which nothing is bought. */
export const COSTLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'DELETE'])

/** Whether a call was made by another program. */
export function isForeign({ input }: Pick<CallRecord, 'input'>): boolean {
  return typeof (input as Partial<ForeignInput> | undefined)?.foreign === 'object'
}
