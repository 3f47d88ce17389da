import type { ForeignIdentity, ForeignRequestHead, ForeignReuse } from '../../../foreign.ts'
import type { Sealed } from '../../calls/seal.ts'
import type { StoredBody } from '../foreign-input.ts'
import { type WireFormat } from '../../../wire.ts'

/** Bodies above so many bytes are taken apart one after another: each needs several times its size meanwhile. */
export const LARGE_BODY = 8 * 1024 * 1024

/** A body of another program's call, as it came or as it left. */
export interface BodyToAnalyse {
  /** Later questions about it are asked by this name. */
  readonly id: string
  readonly head: ForeignRequestHead
  /** Without their encoding. */
  readonly bytes: Uint8Array
  /** They have one that is unknown or not what it says. */
  readonly isEncoded?: true
  /** The body before it in its conversation, which is not written any more, and how many bytes at the beginning are the same. */
  readonly after?: { readonly id: string; readonly same: number }
  readonly provider: string
  readonly counter: string
  /** Of a call on record: as it was understood then. */
  readonly known?: { readonly format: WireFormat; readonly client: string; readonly model: string }
}

/** What a body says, without its words: small enough to be handed from thread to thread. */
export interface AnalysedBody {
  readonly identity: ForeignIdentity
  /** Absent where the body is no JSON of a known format: it is kept, and has no account. */
  readonly account?: Sealed
  /** The first words of a person in it. */
  readonly words?: string
  /** The last turn that a person began; absent where there is no account. */
  readonly turn?: string
  readonly stored: StoredParts
}

export interface StoredParts {
  readonly body: Omit<StoredBody, 'encoding' | 'redacted' | 'lost'>
  /** SHA-256 of each content that it is put together from, each once. */
  readonly hashes: readonly string[]
  /** Its encoding is unknown or not what it says: it is kept as it came, and has no account. */
  readonly isEncoded?: true
}

/** How a body goes on from another one. */
export interface ComparedBodies {
  readonly reuse: ForeignReuse
  /** It has the first message of the other one, and most of it at its beginning. */
  readonly goesOn: boolean
  /** Its tools and its system text are those of the other one. */
  readonly hasSameHead: boolean
  /** It has a summary of what was said before, or the `summary` that was asked about. */
  readonly isSummed: boolean
  /** How many of the first messages of the other one a person's words quote; 0 unless it was asked for. */
  readonly quotes: number
  /** A person says something in it that was not said in the other one. */
  readonly hasNewWords: boolean
}

/** What is looked for in the texts of the later body. */
export interface BodySearch {
  /** An answer that may stand for what was said. */
  readonly summary?: string | undefined
  readonly quotes?: true
}

/** Takes bodies apart and compares them. Keeps those of the last calls. */
export interface BodyAnalysis {
  take(body: BodyToAnalyse): Promise<AnalysedBody>
  /** Contents of a body by their hashes. To be asked once, soon after `take`. */
  contents(id: string, hashes: readonly string[]): Promise<readonly string[]>
  /** `undefined` where one of them is not kept any more, or has no account. */
  compare(before: string, after: string, search?: BodySearch): Promise<ComparedBodies | undefined>
}

/** The work of a thread. */
export interface BodyWork extends BodyAnalysis {
  /** `bytes` is what comes behind the same bytes. `undefined`: the body before is not kept any more, and the whole is needed. */
  takeRest(body: BodyToAnalyse): Promise<AnalysedBody | undefined>
}

/** The name of what left in the place of a call. */
export function cutName(id: string): string {
  return `${id} cut`
}
