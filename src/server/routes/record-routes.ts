import { z } from 'zod'
import { type Records, type Route, jsonAnswer, route } from '../../capability.ts'
import { json } from '../answer.ts'

/** The endpoints of one kind of records that people edit. */
export interface RecordEndpoints {
  /** Such as `agent`, for endpoints at `/api/agents`. */
  readonly name: string
  /** With its article, such as `an agent`. */
  readonly one: string
  readonly schema: z.ZodObject
  /** Warnings about a value, in sentences: shown to the person who writes it, and no reason to refuse it. */
  readonly findWarnings?: (value: unknown) => Promise<readonly string[]>
}

/** Endpoints that create, list, read, change, remove and restore records of one kind. */
export function recordRoutes<Value extends object>(
  records: () => Records<Value>,
  { name, one, schema, findWarnings = async () => [] }: RecordEndpoints,
): readonly Route[] {
  const kept = recordSchema(schema)
  const written = recordSchema(schema).extend({ warnings: z.array(z.string()).optional() })
  const withWarnings = async <Made extends { readonly value: unknown }>(made: Made) => {
    const warnings = await findWarnings(made.value)
    return warnings.length === 0 ? made : { ...made, warnings }
  }
  const all = `/api/${name}s`
  const each = `${all}/:${name}`
  const tag = `${name}s`
  return [
    route(`GET ${all}`, {
      scope: 'read',
      tag,
      summary: `Lists ${name}s in the order in which they were created`,
      query: z.strictObject({
        removed: z
          .enum(['true', 'false'])
          .transform((value) => value === 'true')
          .default(false)
          .describe('`true`: those that are removed, each in its last version, which can be restored.'),
      }),
      answers: () => jsonAnswer(`The ${name}s`, { [`${name}s`]: z.array(kept) }),
      handle: async ({ query: { removed } }) => ({
        [`${name}s`]: await (removed ? records().removed() : records().list()),
      }),
    }),
    route(`POST ${all}`, {
      scope: 'admin',
      personScope: 'approve',
      tag,
      summary: `Creates ${one}`,
      body: schema,
      answers: () => jsonAnswer('Created, with its first version', written, 201),
      handle: async ({ body }) => {
        const made = await records().create(body)
        return json(await withWarnings(made), 201, { location: `${all}/${encodeURIComponent(made.id)}` })
      },
    }),
    route(`GET ${each}`, {
      scope: 'read',
      tag,
      summary: `Reads ${one}`,
      answers: () => jsonAnswer('Its newest version', kept),
      handle: ({ param }) => records().get(param(name)),
    }),
    route(`PATCH ${each}`, {
      scope: 'admin',
      personScope: 'approve',
      tag,
      summary: `Changes ${one}`,
      description:
        'Absent fields stay as they are; `null` removes a field. The change is a new version. With `after`, the request is ' +
        'refused with `changed` where somebody else has changed the record since that version.',
      body: z.strictObject({
        ...Object.fromEntries(
          Object.entries(schema.shape).map(([key, field]) => [key, changeField(field as z.ZodType)]),
        ),
        after: expectedVersionSchema,
      }),
      answers: () => jsonAnswer('The new version', written),
      handle: async ({ param, body: { after, ...changes } }) => {
        const { version, value } = await records().get(param(name))
        const made = await records().change(param(name), applyChanges(value, changes), after ?? version)
        return await withWarnings(made)
      },
    }),
    route(`DELETE ${each}`, {
      scope: 'admin',
      personScope: 'approve',
      tag,
      summary: `Removes ${one}; its versions stay`,
      answers: { 204: { description: 'Removed' } },
      handle: ({ param }) => records().remove(param(name)),
    }),
    route(`GET ${each}/versions`, {
      scope: 'read',
      tag,
      summary: `Lists every version of ${one}, newest first`,
      answers: () => jsonAnswer('Versions', { versions: z.array(kept) }),
      handle: async ({ param }) => ({ versions: await records().versions(param(name)) }),
    }),
    route(`POST ${each}/restore`, {
      scope: 'admin',
      personScope: 'approve',
      tag,
      summary: `Restores an earlier version of ${one} as the newest, also after a removal`,
      body: restoreBodySchema,
      answers: () => jsonAnswer('The new version', kept),
      handle: ({ param, body }) => records().restore(param(name), body.version),
    }),
  ]
}

function applyChanges(value: object, changes: Readonly<Record<string, unknown>>): unknown {
  const fields = Object.entries({ ...value, ...changes })
  return Object.fromEntries(fields.filter(([, field]) => field !== null && field !== undefined))
}

function recordSchema(value: z.ZodObject) {
  return z.object({
    id: z.string(),
    version: z.number().describe('1, 2, 3 …'),
    time: z.string(),
    value: value.optional().describe('Absent: this version removed it.'),
    shared: z
      .literal(true)
      .optional()
      .describe('In the home of a person: the owner of the gateway shares it, and it can only be read.'),
  })
}

export const expectedVersionSchema = z
  .number()
  .int()
  .min(0)
  .optional()
  .describe('The version that the change is based on: nothing is changed where a newer one exists.')

export const restoreBodySchema = z.strictObject({
  version: z.number().int().min(1).describe('The version to restore.'),
})

/** Without the default value: a field that a change does not name stays as it is. */
function changeField(field: z.ZodType): z.ZodType {
  const own = field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field
  const change = own instanceof z.ZodOptional ? (own.unwrap() as z.ZodType).nullable().optional() : own.optional()
  return field.description === undefined ? change : change.describe(field.description)
}
