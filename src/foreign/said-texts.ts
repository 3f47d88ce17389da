import { fieldsOf } from '../platform.ts'
import { elementsOf, textOf } from './wire-part.ts'

/** The texts of a body by which the kind of a call is told. */
export interface SaidTexts {
  /** The system text: the first 100,000 characters of each block. */
  readonly system: readonly string[]
  /** The last message of the user: the first 20,000 characters of each block. */
  readonly last: readonly string[]
}

const LONGEST_SYSTEM = 100_000
const LONGEST_LAST = 20_000

/** Finds them in a body of any format. Looks at few blocks, however long the conversation is. */
export function saidTexts(body: Readonly<Record<string, unknown>>): SaidTexts {
  const messages = Array.isArray(body['messages']) ? body['messages'] : elementsOf(body['input'])
  const leading = messages.slice(0, 4).filter((message) => ['system', 'developer'].includes(roleOf(message) ?? ''))
  const system = [body['system'], body['instructions'], ...leading.map((message) => fieldsOf(message)['content'])]
  const last = messages.slice(-4).findLast((message) => roleOf(message) === 'user')
  const input = typeof body['input'] === 'string' ? [body['input']] : []
  return {
    system: system.flatMap((content) => blocksOf(content, LONGEST_SYSTEM)),
    last: [...input, ...blocksOf(fieldsOf(last)['content'], LONGEST_LAST)],
  }
}

function roleOf(message: unknown): string | undefined {
  return textOf(fieldsOf(message)['role'])
}

/** The most blocks that are looked at. */
const MOST = 50

function blocksOf(content: unknown, longest: number): readonly string[] {
  if (typeof content === 'string') return [content.slice(0, longest)]
  return elementsOf(content)
    .slice(-MOST)
    .flatMap((block) => textOf(fieldsOf(block)['text'])?.slice(0, longest) ?? [])
}
