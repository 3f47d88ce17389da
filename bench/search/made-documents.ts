import type { IndexedDocument } from '../../src/search/search-engine.ts'
import { chanceFrom } from './chance.ts'

/** Documents of generated words with the distribution of a language: a few words in nearly every sentence, most of them rare. */
export interface MadeDocuments {
  document(index: number): IndexedDocument
  /** A query as a person would type it: some frequent and some rare words of a document. */
  question(): string
}

const VOCABULARY = 30_000
const SYLLABLES =
  'ba be bi bo da de di do fa fe fi fo ga ge ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi vo'.split(
    ' ',
  )
/** The length of a document of about nine chunks. */
const SENTENCES = 110

export function madeDocuments(seed: number): MadeDocuments {
  const words = Array.from({ length: VOCABULARY }, (_, rank) => wordOf(rank))
  const sums: number[] = []
  let sum = 0
  // The Zipf-Mandelbrot law.
  for (let rank = 0; rank < VOCABULARY; rank += 1) sums.push((sum += 1 / (rank + 2.7)))
  const asked = chanceFrom(seed + 1)
  return {
    document(index) {
      const chance = chanceFrom(seed * 1_000_003 + index)
      const sentence = () => `${sentenceOf(chance, 6 + Math.floor(chance() * 14))}.`
      const paragraphs = Array.from({ length: SENTENCES / 5 }, () => Array.from({ length: 5 }, sentence).join(' '))
      return {
        id: `made-${index}`,
        title: sentenceOf(chance, 4),
        collections: ['all', `part-${index % 100}`],
        digest: String(index),
        text: paragraphs.join('\n\n'),
      }
    },
    question: () => sentenceOf(asked, 3 + Math.floor(asked() * 8)),
  }

  function sentenceOf(chance: () => number, length: number): string {
    return Array.from({ length }, () => words[rankAt(chance() * sum)]).join(' ')
  }

  function rankAt(share: number): number {
    let [low, high] = [0, VOCABULARY - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (sums[middle]! < share) low = middle + 1
      else high = middle
    }
    return low
  }
}

function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}
