// Lists the nouns of exported types that docs/words.md does not explain, with the types. Exits with 1 if there are any.
import { dirname } from 'node:path'
import { uncoveredWords } from './docs/uncovered-words.ts'

const uncovered = uncoveredWords(dirname(import.meta.dirname))
for (const [noun, types] of uncovered) process.stdout.write(`${noun}: ${types.join(', ')}\n`)
const types = [...uncovered.values()].flat().length
process.stdout.write(`${uncovered.size} nouns of ${types} exported types are missing in docs/words.md.\n`)
process.exitCode = uncovered.size === 0 ? 0 : 1
