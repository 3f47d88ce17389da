import { type PlantedLanguage, plantedFacts, plantedFiller } from '../../test/recall/planted-facts.ts'
import type { Said, Way } from './searchable.ts'

export const wordings = ['own words', 'question', 'other form', 'value', 'roundabout'] as const

/** The number of passages in one answer of the tool. */
const LIMIT = 8

/** How many of 40 facts a method finds by each wording, among `messages` other messages. */
export async function plantedHits(way: Way, language: PlantedLanguage, messages: number): Promise<readonly number[]> {
  const facts = plantedFacts(language)
  const every = Math.floor(messages / facts.length)
  const conversation = Array.from({ length: messages }, (_, n): Said => {
    const fact = n % every === 3 ? facts[Math.floor(n / every)] : undefined
    return { id: String(n), session: 's', text: fact?.statement ?? plantedFiller(language, n) }
  })
  const texts = new Map(conversation.map(({ id, text }) => [id, text]))
  const { search, close } = await way.fill(conversation)
  const hits = wordings.map(
    (_, wording) =>
      facts.filter((fact) => search(fact.wordings[wording]!, LIMIT).some((id) => texts.get(id)!.includes(fact.value)))
        .length,
  )
  close()
  return hits
}
