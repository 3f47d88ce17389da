import { exactLine } from './exact-text.ts'
import { CommandFailure } from './failure.ts'
import { nearestName } from '../platform.ts'

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
  if (found !== undefined) throw ambiguous(word, [found, ...others].map(namesOf), kind)
  throw unknown(word, things.map(namesOf), kind)
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

function ambiguous(word: string, named: readonly Named[], kind: string): CommandFailure {
  const lines = named.slice(0, 10).map(({ id, name }) => (id === name ? exactLine(id) : `${id}  ${exactLine(name)}`))
  return new CommandFailure('ambiguous', `${named.length} ${kind}s are meant by ${word}.`, { hint: lines.join('\n') })
}

function unknown(word: string, named: readonly Named[], kind: string): CommandFailure {
  const near = nearestName(
    word,
    named.map(({ name }) => name),
  )
  return new CommandFailure('not-found', `there is no ${kind} ${word}.`, {
    hint: near === undefined ? `\`foreword ${kind}s\` lists them.` : `Did you mean ${exactLine(near)}?`,
  })
}
