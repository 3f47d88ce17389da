import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isClassDeclaration, isInterfaceDeclaration, isTypeAliasDeclaration } from 'typescript/unstable/ast/is'
import { withPublicApi } from './public-api.ts'

/** Nouns that say what form a type has, not what it is about. The word before them counts: `BackupOptions` is about a backup. */
const forms = new Set(
  (
    'action body case change choice code count data detail error event fact field filter form group id info input item ' +
    'key kind line list map mode name notice number option order output part point position question range reason ' +
    'record reply request result row rule schema setting setup size state status step summary text time title type ' +
    'update value view warning'
  ).split(' '),
)

/** Exported types of all entry points whose noun `docs/words.md` does not explain, by that noun. */
export function uncoveredWords(root: string): ReadonlyMap<string, readonly string[]> {
  const known = wordsOf(readFileSync(join(root, 'docs', 'words.md'), 'utf8'))
  const types = withPublicApi(root, ({ entryPoints }) =>
    entryPoints.flatMap(({ names }) =>
      names
        .filter(({ declarations }) =>
          declarations.some(
            (node) => isInterfaceDeclaration(node) || isTypeAliasDeclaration(node) || isClassDeclaration(node),
          ),
        )
        .map(({ name }) => name),
    ),
  )
  const uncovered = new Map<string, string[]>()
  for (const type of [...new Set(types)].toSorted()) {
    const noun = nounOf(type, known)
    if (noun !== undefined) uncovered.set(noun, [...(uncovered.get(noun) ?? []), type])
  }
  return new Map([...uncovered].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** The noun that is not explained; `undefined` where it is, alone or together with the words before it. */
function nounOf(type: string, known: ReadonlySet<string>): string | undefined {
  const words = [...type.matchAll(/[A-Z]+(?![a-z])|[A-Z][a-z0-9]*/g)].map(([word]) => singular(word.toLowerCase()))
  const endings = words.map((_, at) => words.slice(at).join(' '))
  if (endings.some((ending) => known.has(ending))) return undefined
  // A type that is named by forms alone is about the first of them.
  const noun = words.findLast((word) => !forms.has(word)) ?? words[0]!
  return known.has(noun) ? undefined : noun
}

/** The bold words of the page, each alone: `**provider, model**` are two. */
function wordsOf(page: string): ReadonlySet<string> {
  return new Set(
    [...page.matchAll(/\*\*([^*]+)\*\*/g)].flatMap(([, words]) =>
      words!
        .split(',')
        .map((word) => word.trim().toLowerCase().replaceAll('-', ' ').split(' ').map(singular).join(' ')),
    ),
  )
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (word.endsWith('xes')) return word.slice(0, -2)
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word
}
