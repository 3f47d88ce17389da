import { defined } from '../platform.ts'
import { z } from 'zod'

/** What the configuration has to know of a setting besides its schema: `meta` of that schema. */
export interface SettingFacts {
  /** A path. As written it may be relative to the home; as read it is absolute. A `file` or `folder` that somebody named and that is not there is a warning. */
  readonly path?: 'file' | 'folder' | true
  /** What to do where that is not there. */
  readonly whenMissing?: string
  /** The id of a model, `PROVIDER/MODEL`. */
  readonly model?: true
  /** The kind of an embedding model. A kind that no capability of the list provides is a problem. */
  readonly embedder?: true
  /** It is of one machine, and not of all gateways on a database. `with-all`: so is everything beside it. */
  readonly ofMachine?: true | 'with-all'
  /** Environment variables of others that set it too. */
  readonly variables?: readonly string[]
}

/** A path to a folder or a file; made absolute before anybody reads the setting. */
export function homePath(facts: Omit<SettingFacts, 'model'> = {}): z.ZodString {
  return z
    .string()
    .min(1)
    .meta({ path: 'folder', ...facts })
}

/** The id of a model. `foreword start` and the doctor warn where no model can have this name. */
export function modelId(): z.ZodString {
  return z.string().min(1).meta({ model: true })
}

export function environmentVariable(): z.ZodString {
  return z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
    .meta({ ofMachine: true })
}

/** The longest time of a timer: a longer one would end at once. */
export function milliseconds(): z.ZodInt {
  return z.int().min(1).max(2_147_483_647)
}

export function tokens(): z.ZodInt {
  return z.int().min(0)
}

/** 0 to 1. */
export function share(): z.ZodNumber {
  return z.number().min(0).max(1)
}

export function httpAddress(error?: string): z.ZodURL {
  return z.url({ protocol: /^https?$/, ...defined({ error }) })
}

/** A schema without the wrappers that make it optional. */
export function innerSchema(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType }
  return innerType === undefined ? schema : innerSchema(innerType)
}

export function settingFacts(schema: z.ZodType): SettingFacts {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType }
  return { ...(innerType && settingFacts(innerType)), ...(z.globalRegistry.get(schema) as SettingFacts | undefined) }
}

/** Takes what is for the configuration alone out of a JSON Schema. */
export function withoutSettingFacts({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }): void {
  for (const fact of ['path', 'whenMissing', 'model', 'embedder', 'ofMachine', 'variables']) delete jsonSchema[fact]
}
