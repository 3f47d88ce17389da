import { z } from 'zod'

/** One version of something that people edit, as it is answered. */
export function keptRecord(value: z.ZodObject) {
  return z.object({
    id: z.string(),
    version: z.number().describe('1, 2, 3 …'),
    time: z.string(),
    value: value.optional().describe('Absent: it was removed in this version.'),
  })
}

/**
 * What a change may hold: any of the fields, each as the schema has it. `null` takes a field away that need not be there.
 * `after` is the version that was looked at.
 */
export function changeOf(value: z.ZodObject) {
  return z.strictObject({ ...changes(value), after: versionLookedAt })
}

export const versionLookedAt = z
  .number()
  .int()
  .min(0)
  .optional()
  .describe('The version that was looked at: where another one is the newest by then, nothing is changed.')

export const restoreBody = z.strictObject({ version: z.number().int().min(1).describe('The version to bring back.') })

function changes({ shape }: z.ZodObject): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, changeTo(field as z.ZodType)]))
}

/** Without the value that stands for a missing one: what a change does not name stays as it is. */
function changeTo(field: z.ZodType): z.ZodType {
  const own = field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field
  const change = own instanceof z.ZodOptional ? (own.unwrap() as z.ZodType).nullable().optional() : own.optional()
  return field.description === undefined ? change : change.describe(field.description)
}
