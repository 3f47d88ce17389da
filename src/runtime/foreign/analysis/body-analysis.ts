import type { AnyMessage, Piece } from '../../../context.ts'
import { commonPrefix, type ForeignAssembly, type ForeignIdentity, identifyCall } from '../../../foreign.ts'
import { type Clock, defined, serialQueue, sha256 } from '../../../platform.ts'
import { seal } from '../../calls/seal.ts'
import type { Counters } from '../../models/counters.ts'
import { explainInSlices } from '../explain-in-slices.ts'
import { firstWords, textInMessage, newestWords, turnIn } from '../session-exchanges.ts'
import { putList } from '../stored-body.ts'
import {
  type AnalysedBody,
  type BodySearch,
  type BodyToAnalyse,
  type BodyWork,
  type ComparedBodies,
  LARGE_BODY,
} from './analysed-body.ts'
import { type ReadBody, readGrownBody, countingRests } from './read-grown-body.ts'
import { type DigestPlace, digestFrom } from '../growing-digest.ts'

/** Bodies that are kept for comparisons: so many, and bytes of all of them together. */
const MOST_KEPT = 64
const MOST_BYTES = 128 * 1024 * 1024

interface KeptBody {
  readonly bytes: number
  readonly assembly?: ForeignAssembly
  readonly digest?: RequestDigest
  /** Until another body goes on from it. */
  readonly read?: ReadBody
  /** The memory of its bytes, where it is this one's alone and may be written behind them. */
  readonly room?: number
}

/** Does the work of this interface in this thread. It grows with the bodies: other work runs between its parts. */
export function createBodyAnalysis(clock: Clock, counters: Counters): BodyWork {
  const kept = new Map<string, KeptBody>()
  const waiting = new Map<string, WaitingContents>()

  function keep(id: string, body: KeptBody): void {
    kept.delete(id)
    kept.set(id, body)
    let bytes = [...kept.values()].reduce((sum, each) => sum + sizeOf(each), 0)
    for (const [oldest, each] of kept) {
      if (oldest === id || (kept.size <= MOST_KEPT && bytes <= MOST_BYTES)) break
      kept.delete(oldest)
      bytes -= sizeOf(each)
    }
  }

  const large = serialQueue()

  const take: BodyWork['take'] = async (taken) => {
    return analyse(taken, await readGrownBody(clock, taken.bytes))
  }

  const takeRest: BodyWork['takeRest'] = async (taken) => {
    const { id, same } = taken.after!
    const before = kept.get(id)
    // Its bytes make room for those of this one.
    if (!before?.read || waiting.has(id)) return undefined
    kept.set(id, { ...before, read: undefined })
    const { bytes, room } = joined(before, same, taken.bytes)
    const read = await readGrownBody(clock, bytes, { body: before.read, same })
    return analyse(taken, read, { room, digested: before.digest })
  }

  async function analyse(
    taken: BodyToAnalyse,
    read: ReadBody,
    { room, digested }: { room?: number; digested?: RequestDigest | undefined } = {},
  ): Promise<AnalysedBody> {
    const { id, head, known, isEncoded } = taken
    const body = isEncoded ? undefined : read.value
    const identity = known ? identityOf(known) : identifyCall(head, body)
    const assembly = await explain(clock, taken, identity, body, counters)
    const digest = assembly && requestDigest(assembly.request, digested)
    const { byteLength } = read.bytes
    const isKept = byteLength <= LARGE_BODY && !known && read.canGoOn
    keep(id, { bytes: byteLength, ...defined({ assembly, digest, read: isKept ? read : undefined, room }) })
    const { contents, list } = storedContents(read)
    if (!known) {
      waiting.set(id, contents)
      for (const oldest of waiting.keys()) if (waiting.size > MOST_KEPT) waiting.delete(oldest)
    }
    return {
      identity,
      ...(assembly && {
        account: seal(assembly, digest!.sha256),
        turn: turnIn(assembly),
        ...defined({ words: firstWords(assembly)?.slice(0, LONGEST_WORDS) }),
      }),
      stored: {
        body: {
          parts: list,
          sha256: read.sha256,
          bytes: byteLength,
          ...(read.isText ? {} : { base64: true as const }),
        },
        hashes: [...contents.keys()],
        ...(isEncoded ? { isEncoded } : {}),
      },
    }
  }

  return {
    takeRest,
    take: (taken) => (taken.bytes.byteLength > LARGE_BODY ? large.add(() => take(taken)) : take(taken)),
    async contents(id, hashes) {
      const texts = waiting.get(id)
      waiting.delete(id)
      return hashes.map((hash) => {
        const text = texts?.get(hash)?.()
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

/** Contents by their hashes, in the order in which a body has them. A part is a text when it is asked for. */
type WaitingContents = ReadonlyMap<string, () => string>

function storedContents({ bytes, isText, parts }: ReadBody): {
  readonly contents: WaitingContents
  readonly list: string
} {
  const contents = new Map<string, () => string>()
  const put = (text: string): string => {
    const hash = sha256(text)
    contents.set(hash, () => text)
    return `sha256:${hash}`
  }
  if (!isText) return { list: putList([put(Buffer.from(bytes).toString('base64'))], put), contents }
  let start = 0
  for (const { hash, end } of parts) {
    const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    // The bytes of a large body are gone a moment later.
    const text = bytes.byteLength > LARGE_BODY ? part.toString('utf8') : undefined
    contents.set(hash, () => text ?? part.toString('utf8'))
    start = end
  }
  return {
    list: putList(
      parts.map(({ hash }) => `sha256:${hash}`),
      put,
    ),
    contents,
  }
}

/** The bytes of a body that goes on from another: in the memory of that one where there is room. */
function joined({ read, room = 0 }: KeptBody, same: number, rest: Uint8Array) {
  const length = same + rest.byteLength
  const hasRoom = length <= room
  const buffer = hasRoom ? read!.bytes.buffer : new ArrayBuffer(Math.ceil(length * GROWTH))
  const bytes = new Uint8Array(buffer, 0, length)
  if (!hasRoom) bytes.set(read!.bytes.subarray(0, same))
  bytes.set(rest, same)
  return { bytes, room: buffer.byteLength }
}

/** A conversation may grow by so much before its bytes are moved. */
const GROWTH = 1.5

function sizeOf({ bytes, read, room = 0 }: KeptBody): number {
  return read ? bytes + Math.max(bytes, room) : bytes
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

/** The digest of a request, with what the next one needs that has the same objects at its beginning. */
interface RequestDigest {
  readonly sha256: string
  readonly request: ForeignAssembly['request']
  /** After so many messages. */
  readonly places: readonly DigestPlace[]
}

/** Messages between two places. */
const APART = 16

/** The SHA-256 of `canonical(request)`. Messages that the request before has as the same objects are not hashed again. */
function requestDigest(request: ForeignAssembly['request'], before?: RequestDigest): RequestDigest {
  const { tools, messages } = request
  const { at, hash, places } = digestFrom(before?.places ?? [], before ? sameMessages(request, before.request) : -1)
  if (at === 0) hash.update(`{"tools":${JSON.stringify(tools)},"messages":[`)
  for (let from = at; from < messages.length; from += APART) {
    const text = JSON.stringify(messages.slice(from, from + APART)).slice(1, -1)
    hash.update(from === 0 ? text : `,${text}`)
    if (from + APART <= messages.length) places.push({ at: from + APART, hash: hash.copy() })
  }
  return { sha256: hash.update(']}').digest('hex'), request, places }
}

/** How many messages at the beginning are the same objects; -1: the tools are not. */
function sameMessages(one: ForeignAssembly['request'], other: ForeignAssembly['request']): number {
  if (one.tools.length !== other.tools.length || one.tools.some((tool, at) => tool !== other.tools[at])) return -1
  const first = one.messages.findIndex((message, at) => message !== other.messages[at])
  return first < 0 ? one.messages.length : first
}
