import { exactLine } from '../context.ts'
import { nearestName } from '../platform.ts'
import { CommandFailure } from './failure.ts'

/** Things that are named by an id alone, such as `session_3fk9…`: where they are found, and how one is told from another. */
export interface NamedById<Thing> {
  readonly kind: 'session' | 'call' | 'approval'
  readonly idOf: (thing: Thing) => string
  /** At most so many, newest first; with `beginning` those whose id begins so, by id. */
  readonly find: (query: IdQuery) => Promise<readonly Thing[]>
  /** What stands beside the id where a word means several. */
  readonly describe: (thing: Thing) => string
  /** What is said where there is none: the message, and how to go on. */
  readonly none: (word: string) => CommandFailure
}

export interface IdQuery {
  readonly limit: number
  readonly beginning?: string
}

/** Candidates that are listed where a word means several. */
const MOST_LISTED = 10

/**
 * What a word of the command line means among things that have an id: the id, the beginning of one, or of the letters behind
 * its kind, where only one begins so; `last`, the newest; `last~N`, the one that is N before it.
 */
export async function findByIdPrefix<Thing>(word: string, things: NamedById<Thing>): Promise<Thing> {
  const back = /^last(?:~(\d{1,3}))?$/.exec(word)
  if (back) {
    const before = Number(back[1] ?? 0)
    const found = (await things.find({ limit: before + 1 }))[before]
    if (found === undefined) throw things.none(word)
    return found
  }
  for (const beginning of [word, `${things.kind}_${word}`]) {
    const found = await things.find({ beginning, limit: MOST_LISTED + 1 })
    const [first] = found
    if (first === undefined) continue
    if (found.length === 1 || things.idOf(first) === word) return first
    throw ambiguous(word, found, things)
  }
  throw things.none(word)
}

function ambiguous<Thing>(
  word: string,
  found: readonly Thing[],
  { kind, idOf, describe }: NamedById<Thing>,
): CommandFailure {
  const lines = found.slice(0, MOST_LISTED).map((thing) => exactLine(`${idOf(thing)}  ${describe(thing)}`).trimEnd())
  const more = found.length > MOST_LISTED ? ['…'] : []
  const count = found.length > MOST_LISTED ? `More than ${MOST_LISTED}` : String(found.length)
  return new CommandFailure('ambiguous', `${count} ${kind}s begin with ${word}. Write more of the id.`, {
    hint: [...lines, ...more].join('\n'),
  })
}

interface Named {
  readonly id: string
  readonly name: string
}

/**
 * What a word of the command line means among things that have an id and a name: the id, the name in any case, or the
 * beginning of either where only one begins so. `kind` is what they are called.
 */
export function theOneNamed<Thing>(
  word: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => Named,
  kind: string,
): Thing {
  const wanted = folded(word)
  const is = (fits: (named: Named) => boolean) => things.filter((thing) => fits(namesOf(thing)))
  const candidates = [
    is(({ id }) => id === word),
    is(({ name }) => folded(name) === wanted),
    is(({ id, name }) => id.startsWith(word) || folded(name).startsWith(wanted)),
  ].find(({ length }) => length > 0)
  const [found, ...others] = candidates ?? []
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined) throw ambiguousName(word, [found, ...others].map(namesOf), kind)
  throw unknownName(word, things.map(namesOf), kind)
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function ambiguousName(word: string, named: readonly Named[], kind: string): CommandFailure {
  const lines = named.slice(0, 10).map(({ id, name }) => (id === name ? exactLine(id) : `${id}  ${exactLine(name)}`))
  return new CommandFailure('ambiguous', `${named.length} ${kind}s are meant by ${word}.`, { hint: lines.join('\n') })
}

function unknownName(word: string, named: readonly Named[], kind: string): CommandFailure {
  const near = nearestName(
    word,
    named.map(({ name }) => name),
  )
  return new CommandFailure('not-found', `there is no ${kind} ${word}.`, {
    hint: near === undefined ? `\`foreword ${kind}s\` lists them.` : `Did you mean ${exactLine(near)}?`,
  })
}
