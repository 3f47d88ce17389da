import type { AnyMessage, Piece } from '../../../context.ts'
import { commonPrefix, type ForeignAssembly, type ForeignIdentity, identifyCall } from '../../../foreign.ts'
import { type Clock, defined, serialQueue } from '../../../platform.ts'
import { seal } from '../../ledger/seal.ts'
import type { Counters } from '../../models/counters.ts'
import { decodeBody } from '../decode-body.ts'
import { explainInSlices } from '../explain-in-slices.ts'
import { firstWords, textInMessage, newestWords, turnIn } from '../prompt-words.ts'
import { bodyContents } from '../stored-body.ts'
import { countingRests, withShorterTexts } from './shorter-texts.ts'
import {
  type BodyAnalysis,
  type BodySearch,
  type BodyToAnalyse,
  type ComparedBodies,
  LARGE_BODY,
} from './analysed-body.ts'

/** Bodies that are kept for comparisons: so many, and bytes of all of them together. */
const MOST_KEPT = 64
const MOST_BYTES = 64 * 1024 * 1024

interface KeptBody {
  readonly bytes: number
  readonly assembly?: ForeignAssembly
}

/** Does the work of this interface in this thread. It grows with the bodies: other work runs between its parts. */
export function createBodyAnalysis(clock: Clock, counters: Counters): BodyAnalysis {
  const kept = new Map<string, KeptBody>()
  const waiting = new Map<string, ReadonlyMap<string, string>>()

  function keep(id: string, body: KeptBody): void {
    kept.delete(id)
    kept.set(id, body)
    let bytes = [...kept.values()].reduce((sum, each) => sum + each.bytes, 0)
    for (const [oldest, { bytes: size }] of kept) {
      if (oldest === id || (kept.size <= MOST_KEPT && bytes <= MOST_BYTES)) break
      kept.delete(oldest)
      bytes -= size
    }
  }

  const large = serialQueue()

  const take: BodyAnalysis['take'] = async (taken) => {
    const { id, head, known } = taken
    const encoding = known ? undefined : head.headers['content-encoding']
    const decoded = await decodeBody(taken.bytes, encoding).catch(() => undefined)
    const bytes = decoded ?? taken.bytes
    const shorter = decoded && withShorterTexts(decoded)
    const body = shorter && parsedBody(shorter)
    const identity = known ? identityOf(known) : identifyCall(head, body)
    const assembly = await explain(clock, taken, identity, body, counters)
    const { contents, body: stored } = await bodyContents(clock, bytes)
    keep(id, { bytes: (shorter ?? bytes).byteLength, ...defined({ assembly }) })
    if (!known) {
      waiting.set(id, contents)
      for (const oldest of waiting.keys()) if (waiting.size > MOST_KEPT) waiting.delete(oldest)
    }
    return {
      identity,
      ...(assembly && {
        account: seal(assembly),
        turn: turnIn(assembly),
        ...defined({ words: firstWords(assembly)?.slice(0, LONGEST_WORDS) }),
      }),
      stored: { body: stored, hashes: [...contents.keys()], ...(decoded ? {} : { isEncoded: true as const }) },
    }
  }

  return {
    take: (taken) => (taken.bytes.byteLength > LARGE_BODY ? large.add(() => take(taken)) : take(taken)),
    async contents(id, hashes) {
      const texts = waiting.get(id)
      waiting.delete(id)
      return hashes.map((hash) => {
        const text = texts?.get(hash)
        if (text === undefined) throw new Error(`the content ${hash} of ${id} is not kept any more`)
        return text
      })
    },
    async compare(before, after, search) {
      const [old, now] = [kept.get(before)?.assembly, kept.get(after)?.assembly]
      return old && now && compareBodies(old, now, search)
    },
  }
}

/** Of the first words, for the name of a session, characters. */
const LONGEST_WORDS = 2_000

/** A body on record was understood when its call was made. */
function identityOf(known: NonNullable<BodyToAnalyse['known']>): ForeignIdentity {
  return { format: known.format, client: { name: known.client }, kind: 'turn', stream: false, model: known.model }
}

async function explain(
  clock: Clock,
  { provider, counter, known }: BodyToAnalyse,
  { format, client, model = 'unknown' }: ForeignIdentity,
  body: unknown,
  counters: Counters,
): Promise<ForeignAssembly | undefined> {
  if (format === undefined || body === undefined) return undefined
  return explainInSlices(clock, {
    format,
    body,
    counter: countingRests(await counters(counter)),
    client: client.name,
    model: known?.model ?? `${provider}/${model}`,
  })
}

/** `undefined`: it is no JSON. */
function parsedBody(bytes: Uint8Array): unknown {
  try {
    return bytes.byteLength === 0 ? undefined : (JSON.parse(new TextDecoder().decode(bytes)) as unknown)
  } catch {
    return undefined
  }
}

function compareBodies(
  before: ForeignAssembly,
  after: ForeignAssembly,
  { summary = '', quotes }: BodySearch = {},
): ComparedBodies {
  const reuse = commonPrefix(before, after)
  const first = before.pieces.findIndex(({ content }) => isSaidBy(content, 'user'))
  const whole = before.pieces.reduce((sum, piece) => sum + piece.tokens, 0)
  const goesOn = first >= 0 && reuse.pieces > first && reuse.tokens * 2 > whole
  const words = newestWords(after)
  return {
    reuse,
    goesOn,
    hasSameHead: first >= 0 && reuse.pieces >= first,
    isSummed: after.manifest.entries.some(({ layer }) => layer === 'summary') || countQuotes([summary], after) > 0,
    quotes: quotes ? countQuotes(firstTexts(before), after) : 0,
    hasNewWords: words !== undefined && words !== newestWords(before),
  }
}

function isSaidBy(content: Piece['content'], ...roles: readonly string[]): content is AnyMessage {
  return typeof content !== 'string' && 'role' in content && roles.includes(content.role)
}

/** Messages at the beginning of a conversation that are looked for in another body. */
const MOST_QUOTED = 12

function firstTexts({ pieces }: ForeignAssembly): readonly string[] {
  return pieces
    .flatMap(({ content }) => (isSaidBy(content, 'user', 'assistant') ? [textInMessage(content.content)] : []))
    .slice(0, MOST_QUOTED)
}

/** Characters that a quotation has at least: anything shorter may stand anywhere. */
const LEAST_QUOTED = 12
const MOST_CHARACTERS = 200

/** How many of these texts a person's words contain: of each its longest line. */
function countQuotes(texts: readonly string[], { pieces }: ForeignAssembly): number {
  const lines = texts
    .map((text) =>
      text
        .slice(0, 20_000)
        .split('\n')
        .reduce((one, other) => (other.length > one.length ? other : one)),
    )
    .map((line) => line.trim().slice(0, MOST_CHARACTERS).trim())
    .filter((line) => line.length >= LEAST_QUOTED)
  if (lines.length === 0) return 0
  const said = pieces.flatMap(({ content }) => (isSaidBy(content, 'user') ? [textInMessage(content.content)] : []))
  return lines.filter((line) => said.some((text) => text.includes(line))).length
}
