import {
  type AnyMessage,
  type Assembly,
  type CutRecord,
  type Manifest,
  outputText,
  type Piece,
  type ToolDefinition,
  toolResults,
  type VerbatimAssembly,
} from '../../context.ts'
import type { ForeignAssembly } from '../../foreign.ts'
import { type Forecast, type KindTokens, type TextKind, textKind } from '../../model.ts'
import { defined, sha256, sha256OfJson } from '../../platform.ts'
import type { FailedModel } from '../models/fallback.ts'

/** The digest of a request: of tools, system and messages, in this order. It identifies the request. */
export function requestDigest({ tools, system, messages }: CanonicalRequest): string {
  return sha256OfJson({ tools, ...defined({ system }), messages })
}

interface CanonicalRequest {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  readonly messages: readonly AnyMessage[]
}

/** What the runtime adds to the account of the core. */
export interface SealedManifest extends Manifest {
  readonly requestDigest: string
  /** Against the session's call before this one: what a prompt cache can reuse, and where the change begins. */
  readonly reuse?: Reuse
  /** What was known of the costs before the call was made. */
  readonly forecast?: CallForecast
  /** Where this call has cut the conversation: what that hid, saved and cost. */
  readonly cutRecord?: CutRecord
  /** Why another model than the one that was wanted is called. */
  readonly fallback?: FallbackRecord
}

/** Why a call is made to another model than the one that was wanted, and what that changes. */
export interface FallbackRecord {
  /** The model that was wanted. */
  readonly wanted: string
  /** Every model that did not answer, in the order in which they were asked. */
  readonly failed: readonly Omit<FailedModel, 'message'>[]
  /** All of that for a person. */
  readonly sentence: string
}

export interface CallForecast extends Forecast {
  readonly counted?: KindTokens
  readonly messages?: number
  /** Of the prompt, what its provider has reported before, tokens; absent where that is an estimate, too. */
  readonly known?: number
}

/** What of a request was sent before, tokens, and where it begins to differ. */
export interface Reuse {
  readonly tokens: number
  /** Behind the first difference: what was sent before, too, and is sent again. */
  readonly again?: number
  readonly firstChange?: {
    readonly id: string
    readonly slot: string
    readonly cause: string
    /** The cause as a sentence, where it is known that well. */
    readonly why?: string
  }
}

/** An assembly with the SHA-256 of every piece, of every candidate that went in, and of the whole. */
export interface Sealed {
  readonly manifest: Manifest & { readonly requestDigest: string }
  /** The pieces with their digests in place of their content: small enough to keep, exact enough to compare. */
  readonly fingerprint: readonly SealedPiece[]
}

/** A piece with its digest in place of its content. */
export interface SealedPiece extends Pick<Piece, 'entry' | 'tokens'> {
  readonly content: string
  readonly role: 'tools' | AnyMessage['role']
  readonly blocks: number
  readonly kind: TextKind
  /** The next call has it elsewhere or not at all. */
  readonly moves?: true
  /** A mark of the request itself stands behind it, with the life that it asks for, such as `1h`: only of other programs' calls. */
  readonly mark?: { readonly life?: string }
}

/** Messages of settled turns come back in call after call: each is hashed once. */
const hashed = new WeakMap<object, string>()

function pieceDigest(content: Piece['content']): string {
  if (typeof content === 'string') return sha256(content)
  const known = hashed.get(content)
  if (known !== undefined) return known
  const digest = sha256OfJson(content)
  hashed.set(content, digest)
  return digest
}

type Sealable = (Assembly | VerbatimAssembly) & Partial<Pick<ForeignAssembly, 'marks'>>

/** Adds the digests to an account. `digest`: of the whole request, where it is known. */
export function seal({ request, manifest, pieces, marks = [] }: Sealable, digest = requestDigest(request)): Sealed {
  const marked = new Map(marks.map(({ piece, ...mark }) => [piece, mark]))
  const fingerprint = pieces.map(({ entry, tokens, content }, index) => ({
    entry,
    tokens,
    content: pieceDigest(content),
    ...pieceForm(content),
    ...(manifest.entries[entry]?.slot === 'after-input' ? { moves: true as const } : {}),
    ...defined({ mark: marked.get(index) }),
  }))
  const digests = new Map<number, string[]>()
  for (const { entry, content } of fingerprint) digests.set(entry, [...(digests.get(entry) ?? []), content])
  const entries = manifest.entries.map((entry, index) => {
    const own = digests.get(index)
    return own ? { ...entry, digest: own.length === 1 ? own[0]! : sha256(own.join('\n')) } : entry
  })
  return { manifest: { ...manifest, entries, requestDigest: digest }, fingerprint }
}

type PieceForm = Pick<SealedPiece, 'role' | 'blocks' | 'kind'>

const forms = new WeakMap<object, PieceForm>()

function pieceForm(content: Piece['content']): PieceForm {
  if (typeof content === 'string') return { role: 'system', blocks: 1, kind: textKind(content) }
  // A definition of another program's tool may have a field of any name.
  if ('inputSchema' in content || !('role' in content)) return { role: 'tools', blocks: 1, kind: 'json' }
  const known = forms.get(content)
  if (known) return known
  const { role, content: parts } = content
  const form: PieceForm = {
    role,
    blocks: typeof parts === 'string' ? 1 : parts.length,
    kind: textKind(messageText(content)),
  }
  forms.set(content, form)
  return form
}

function messageText(message: AnyMessage): string {
  const { content } = message
  if (typeof content === 'string') return content
  const results = message.role === 'tool' ? toolResults(message).map(({ output }) => outputText(output)) : []
  const texts = content.flatMap((part) => {
    if (part.type === 'text') return [part.text]
    return part.type === 'tool-call' ? [JSON.stringify(part.input)] : []
  })
  return [...texts, ...results].join('\n')
}
