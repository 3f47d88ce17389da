/** A field of what may be an object. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}

/** The items of what may be a list. */
export function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
