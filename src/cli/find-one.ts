import { exactLine } from '../context.ts'
import { foldCase, nearestHint } from '../platform.ts'
import { CommandFailure } from './failure.ts'

/** Things that have an id and no name, such as `session_3fk9…`: how to find and describe them. */
export interface NamedById<Thing> {
  readonly kind: 'session' | 'call' | 'approval'
  readonly idOf: (thing: Thing) => string
  /** At most `limit` things, newest first; with `beginning`, those whose id begins with it, sorted by id. */
  readonly find: (query: IdQuery) => Promise<readonly Thing[]>
  /** The text beside the id where a word means several. */
  readonly describe: (thing: Thing) => string
  readonly none: (word: string) => CommandFailure
}

export interface IdQuery {
  readonly limit: number
  readonly beginning?: string
}

/** How many candidates an ambiguous word lists. */
const MOST_LISTED = 10

/** The thing that a word means: an id or a beginning of it, `last`, or `last~N`. Throws where it means none or several. */
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
 * Finds the thing that a word means among those with an id and a name: the id, the name in any case, or an unambiguous
 * beginning of either. Throws where there is none or more than one. `kind` is the singular noun for messages; `hint` says
 * how to see what there is.
 */
export function findByName<Thing>(
  word: string,
  things: readonly Thing[],
  namesOf: (thing: Thing) => Named,
  kind: string,
  hint = `List them with \`foreword ${kind}s\`.`,
): Thing {
  const wanted = foldCase(word)
  const is = (fits: (named: Named) => boolean) => things.filter((thing) => fits(namesOf(thing)))
  const candidates = [
    is(({ id }) => id === word),
    is(({ name }) => foldCase(name) === wanted),
    is(({ id, name }) => id.startsWith(word) || foldCase(name).startsWith(wanted)),
  ].find(({ length }) => length > 0)
  const [found, ...others] = candidates ?? []
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined) throw ambiguousName(word, [found, ...others].map(namesOf), kind)
  const names = things.map((thing) => namesOf(thing).name)
  throw new CommandFailure('not-found', `No ${kind} matches "${word}".`, {
    hint: nearestHint(word, names, hint, exactLine),
  })
}

function ambiguousName(word: string, named: readonly Named[], kind: string): CommandFailure {
  const lines = named.slice(0, 10).map(({ id, name }) => (id === name ? exactLine(id) : `${id}  ${exactLine(name)}`))
  return new CommandFailure('ambiguous', `${named.length} ${kind}s match "${word}".`, { hint: lines.join('\n') })
}
