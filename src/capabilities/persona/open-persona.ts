import type { z } from 'zod'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { Layer } from '../../context.ts'
import { textLayer } from '../../capability.ts'
import { readText, type TextReader } from '../../tool.ts'
import { soulSchema, soulText, userProfileSchema, userProfileText } from './persona-text.ts'

interface PersonaOptions {
  readonly soulFile: string
  readonly userProfileFile: string
  /** A missing file is then a warning and a blank layer, as in the preset `ayati`. */
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
    const found = await read(file)
    const blank = [textLayer(layer, '', ref)]
    if (found.type === 'missing') {
      return expected ? { layers: blank, warnings: [`${ref} is missing`] } : { layers: [], warnings: [] }
    }
    const json = found.type === 'text' ? parseJson(found.text, schema) : { faults: [found.why] }
    if ('value' in json) return { layers: [textLayer(layer, toText(json.value), ref)], warnings: [] }
    return { layers: blank, warnings: json.faults.map((fault) => `${ref} is not used: ${fault}`) }
  }

  await opened.reload()
  return opened
}

interface Source {
  readonly layers: readonly Layer[]
  readonly warnings: readonly string[]
}

/** Faults name a position or a field, never its content. */
function parseJson<Value>(
  text: string,
  schema: z.ZodType<Value>,
): { readonly value: Value } | { readonly faults: readonly string[] } {
  const errors: ParseError[] = []
  const json: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) {
    const before = text.slice(0, error.offset).split('\n')
    const position = `line ${before.length}, column ${before.at(-1)!.length + 1}`
    return { faults: [`no JSON at ${position} (${printParseErrorCode(error.error)})`] }
  }
  const checked = schema.safeParse(json)
  if (checked.success) return { value: checked.data }
  return { faults: checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`) }
}
