import { chanceFrom } from './chance.ts'
import type { JudgedCollection } from './judged-collection.ts'
import { chineseWords, englishWords, type PlaceWords } from './own-words.ts'

const DOCUMENTS = 400
const QUESTIONS = 120

/** Paragraphs of an encyclopedia of fictional places, and questions that use other words. */
export function ownCollections(): readonly JudgedCollection[] {
  return [collectionOf('own, English', englishWords), collectionOf('own, Chinese', chineseWords)]
}

/**
 * Each place has one trait of each kind. A question names two of them, and every place that has both is an answer:
 * a place with the two in its first sentences is the best answer.
 */
function collectionOf(name: string, words: PlaceWords): JudgedCollection {
  const chance = chanceFrom(11)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(chance() * items.length)]!
  const places = Array.from({ length: DOCUMENTS }, (_, index) => ({
    id: `place-${index}`,
    name: `${pick(words.beginnings)}${pick(words.middles)}${pick(words.ends)}`,
    traits: words.traits.map((kind) => Math.floor(chance() * kind.length)),
    order: words.traits.map((_kind, at) => at).toSorted(() => chance() - 0.5),
  }))
  const documents = places.map((place) => ({
    id: place.id,
    title: place.name,
    text: place.order
      .map((kind) => words.sentence(place.name, words.traits[kind]![place.traits[kind]!]!.told) + pick(words.fillers))
      .join(words.blank),
  }))
  const questions = Array.from({ length: QUESTIONS }, () => {
    const { traits } = pick(places)
    const [one, other] = words.traits.map((_kind, at) => at).toSorted(() => chance() - 0.5) as [number, number]
    const gains = places
      .filter((place) => [one, other].every((kind) => place.traits[kind] === traits[kind]))
      .map((place) => [place.id, place.order.indexOf(one) + place.order.indexOf(other) === 1 ? 2 : 1] as const)
    const asked = [one, other].map((kind) => words.traits[kind]![traits[kind]!]!.asked)
    return { text: words.question(asked[0]!, asked[1]!), gains: new Map(gains) }
  })
  return { name, documents, questions }
}
