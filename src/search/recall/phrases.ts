import type { Connection } from '../sqlite/connection.ts'
import type { Phrase } from './question.ts'
import { anyOf, numbersOf, type Scope } from './scope.ts'

/** Passages that are read for a question with phrases: the newest that hold all their words. */
const MOST_READ = 2_000

/** The passages that hold every phrase as it is written, ascending. `mark` narrows them to a kind. */
export function rowsWithPhrases(
  connection: Connection,
  scope: Scope,
  phrases: readonly Phrase[],
  mark: string,
): readonly number[] {
  const words = phrases.flatMap((phrase) => phrase.words)
  const expression = words.map(({ stems }) => anyOf(stems)).join(' AND ') + mark
  const numbers = numbersOf(connection, scope, expression, MOST_READ)
  const wanted = phrases.map(({ written }) => plain(written))
  return connection
    .all<{ readonly number: number; readonly text: string }>(
      'select number, text from passages where number in (select value from json_each(?)) order by number',
      JSON.stringify(numbers),
    )
    .filter(({ text }) => {
      const read = plain(text)
      return wanted.every((phrase) => read.includes(phrase))
    })
    .map(({ number }) => number)
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ')
}
