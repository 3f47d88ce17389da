/** An object without the keys whose value may be `undefined`: those become optional. */
export type Defined<Fields extends object> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key]
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>
}

/** A copy of `fields` without the keys that are `undefined`, for `{ ...defined({ title }) }`. `null` stays. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
