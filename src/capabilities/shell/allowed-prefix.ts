import { commandWords } from '../../tool.ts'

/** How many prefixes a refusal names. */
const TOLD = 20

/**
 * Whether an argv begins with one of the prefixes: whole words, compared exactly (BEHAVIOURS §2.4). A prefix is read as a
 * command is; one that is empty, or that only a shell would understand, allows nothing.
 */
export function isAllowed(argv: readonly string[], prefixes: readonly string[]): boolean {
  return readable(prefixes).some((words) => words.every((word, index) => argv[index] === word))
}

/** What a model may read of the prefixes, so that it can choose another command. */
export function allowedText(prefixes: readonly string[]): string {
  const told = prefixes.filter((prefix) => readable([prefix]).length > 0)
  if (told.length === 0) return 'no command is allowed'
  const more = told.length - TOLD
  return `allowed are commands that begin with: ${told.slice(0, TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function readable(prefixes: readonly string[]): readonly (readonly string[])[] {
  return prefixes.flatMap((prefix) => {
    const read = commandWords(prefix)
    return read.type === 'words' && read.words.length > 0 ? [read.words] : []
  })
}
