import type { Ajv } from 'ajv'
import { Interrupted, interruptible } from '../../tool.ts'

/** The longest that one schema is read, ms. */
const READING_MS = 3_000

type Schema = Readonly<Record<string, unknown>>

/** Made once: that takes far longer than a check does. Made anew after a check that did not come to its end. */
let oldDrafts: Promise<Ajv> | undefined
let newDraft: Promise<Ajv> | undefined

/**
 * Why a schema cannot be that of a tool's input, or `undefined`. One broken schema would make a provider refuse the whole
 * request, so it is found here. 2020-12, or an older draft where `$schema` says so.
 */
export async function schemaFault(schema: Schema): Promise<string | undefined> {
  if (schema['type'] !== 'object') return 'it must describe an object ("type": "object")'
  const { $schema: dialect, ...rules } = schema
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect)
  const validator = await (isOld ? (oldDrafts ??= makeOld()) : (newDraft ??= makeNew()))
  try {
    interruptible(() => validator.compile(rules), READING_MS)
    return undefined
  } catch (error) {
    if (error instanceof Interrupted) oldDrafts = newDraft = undefined
    return oneLine(error instanceof Error ? error.message : String(error))
  } finally {
    // Or it would be kept for good.
    validator.removeSchema(rules)
  }
}

const options = {
  strict: false,
  validateFormats: false,
  addUsedSchema: false,
  inlineRefs: false,
  logger: false,
} as const

/** Loaded late: where no server is contacted it is never needed. */
async function makeOld(): Promise<Ajv> {
  const { Ajv: Validator } = await import('ajv')
  return new Validator(options)
}

async function makeNew(): Promise<Ajv> {
  const { Ajv2020: Validator } = await import('ajv/dist/2020.js')
  return new Validator(options)
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}
