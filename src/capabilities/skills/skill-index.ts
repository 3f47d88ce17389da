import { splitWords } from '../../search.ts'
import type { Skill } from './skill.ts'
import { skillSummary } from './skills-text.ts'

export type SearchedSkill = Pick<Skill, 'name' | 'description' | 'body'>

/** The share of a word's weight for a word that only begins like it, such as `invoices` for `invoice`. */
const BEGINNING = 0.6
/** A word of the name counts for more than one of the description. */
const NAME_WEIGHT = 3
/** BM25: how fast repetition stops counting, and how much length counts. */
const BM25 = { k: 1.2, b: 0.75 } as const

/** BM25 over names (counted three times) and descriptions. Returns the search: matching skills, best first. */
export function skillIndex(skills: readonly SearchedSkill[]): (query: string) => readonly SearchedSkill[] {
  const documents = skills.map((skill) => {
    const counts = new Map<string, number>()
    const add = (text: string, weight: number) => {
      for (const word of searchWords(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
    }
    add(skill.name, NAME_WEIGHT)
    add(skillSummary(skill), 1)
    return { skill, counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
  const holders = new Map<string, number>()
  for (const { counts } of documents) for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1)

  /** The words of the index that match a word of the query, with the share of their weight that counts. */
  function matches(word: string): readonly (readonly [word: string, share: number])[] {
    const near = [...holders.keys()].filter((known) => known !== word && beginAlike(word, known))
    const exact = holders.has(word) ? ([[word, 1]] as const) : []
    return [...exact, ...near.map((known) => [known, BEGINNING] as const)]
  }

  return (query) => {
    const wanted = [...new Set(searchWords(query))].map(matches)
    const scored = documents.map(({ skill, counts, length }) => {
      const spread = BM25.k * (1 - BM25.b + (BM25.b * length) / mean)
      const score = wanted.reduce((sum, words) => {
        const best = words.map(([word, share]) => {
          const count = counts.get(word)
          if (count === undefined) return 0
          const held = holders.get(word)!
          const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
          return (share * rarity * count * (BM25.k + 1)) / (count + spread)
        })
        return sum + Math.max(0, ...best)
      }, 0)
      return { skill, score }
    })
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ skill }) => skill)
  }
}

/** Names are written with hyphens, underscores and capitals within: each part is a word. */
function searchWords(text: string): readonly string[] {
  return splitWords(text.replaceAll(/[_\-/.]+/g, ' ').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
}

function beginAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= 4 && long.length - short.length <= 3 && long.startsWith(short)
}
