import type { z } from 'zod'
import type { Layer } from '../../context.ts'
import { textLayer } from '../../capability.ts'
import { readText, type TextReader } from '../../tool.ts'
import { jsonOf } from './json-file.ts'
import { soulSchema, soulText } from './soul.ts'
import { userProfileSchema, userProfileText } from './user-profile.ts'

export interface PersonaOptions {
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
  let sources: readonly Source[] = []

  async function load(): Promise<void> {
    sources = await Promise.all([
      source('soul', soulFile, 'context/soul.json', soulSchema, soulText),
      source('user-profile', userProfileFile, 'context/user_profile.json', userProfileSchema, userProfileText),
    ])
  }

  async function source<Value>(
    layer: string,
    file: string,
    ref: string,
    schema: z.ZodType<Value>,
    textOf: (value: Value) => string,
  ): Promise<Source> {
    const found = jsonOf(await read(file), schema)
    if (found.type === 'value') return { layers: [textLayer(layer, textOf(found.value), ref)], warnings: [] }
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

  await load()
  return {
    reload: load,
    warnings: () => sources.flatMap(({ warnings }) => warnings),
    layers: () => sources.flatMap(({ layers }) => layers),
  }
}

interface Source {
  readonly layers: readonly Layer[]
  readonly warnings: readonly string[]
}
