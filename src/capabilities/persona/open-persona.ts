import type { z } from 'zod'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { Layer } from '../../context.ts'
import { textLayer } from '../../capability.ts'
import { readText, type TextRead, type TextReader } from '../../tool.ts'
import { soulSchema, soulText, userProfileSchema, userProfileText } from './persona-text.ts'

interface PersonaOptions {
  /** Path of `soul.json`. */
  readonly soulFile: string
  /** Path of `user_profile.json`. */
  readonly userProfileFile: string
  /** Whether the files should be there: a missing one is then a warning and a blank layer, as in the preset `ayati`. */
  readonly expected?: boolean
  readonly read?: TextReader
}

/** Layers `soul` and `user-profile`. A file that is missing or wrong gives an empty layer and a warning, never a crash. */
export async function openPersona({ soulFile, userProfileFile, expected = false, read = readText }: PersonaOptions) {
  const opened = {
    layers: [] as readonly Layer[],
    warnings: [] as readonly string[],
    async reload(): Promise<void> {
      const sources = await Promise.all([
        source('soul', soulFile, 'context/soul.json', soulSchema, soulText),
        source('user-profile', userProfileFile, 'context/user_profile.json', userProfileSchema, userProfileText),
      ])
      opened.layers = sources.flatMap(({ layers }) => layers)
      opened.warnings = sources.flatMap(({ warnings }) => warnings)
    },
  }

  async function source<Value>(
    layer: string,
    file: string,
    ref: string,
    schema: z.ZodType<Value>,
    toText: (value: Value) => string,
  ): Promise<Source> {
    const found = parseJson(await read(file), schema)
    if (found.type === 'value') return { layers: [textLayer(layer, toText(found.value), ref)], warnings: [] }
    if (found.type === 'invalid') {
      return {
        layers: [textLayer(layer, '', ref)],
        warnings: found.faults.map((fault) => `${ref} is not used: ${fault}`),
      }
    }
    return expected
      ? { layers: [textLayer(layer, '', ref)], warnings: [`${ref} is missing`] }
      : { layers: [], warnings: [] }
  }

  await opened.reload()
  return opened
}

interface Source {
  readonly layers: readonly Layer[]
  readonly warnings: readonly string[]
}

/** A checked value, or why there is none. Faults name a position or a field, never its content. */
type JsonRead<Value> =
  | { readonly type: 'value'; readonly value: Value }
  | { readonly type: 'missing' }
  | { readonly type: 'invalid'; readonly faults: readonly string[] }

/** Reads JSON, with comments where somebody wrote some, and checks it as a whole. */
function parseJson<Value>(read: TextRead, schema: z.ZodType<Value>): JsonRead<Value> {
  if (read.type === 'missing') return read
  if (read.type === 'unreadable') return { type: 'invalid', faults: [read.why] }
  const errors: ParseError[] = []
  const json: unknown = parse(read.text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error)
    return {
      type: 'invalid',
      faults: [`no JSON at ${positionText(read.text, error.offset)} (${printParseErrorCode(error.error)})`],
    }
  const checked = schema.safeParse(json)
  if (checked.success) return { type: 'value', value: checked.data }
  return {
    type: 'invalid',
    faults: checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
  }
}

function positionText(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
