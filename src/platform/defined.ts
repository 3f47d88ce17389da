/** An object without the keys whose value may be `undefined`: those become optional. */
export type Defined<Fields extends object> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

/** A copy of `fields` without the keys that are `undefined`, for `{ ...defined({ title }) }`. `null` stays. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) result[key] = value
  return result as Defined<Fields>
}
