/** A gap of a template that a person fills in. */
export interface TemplateField {
  readonly name: string
  /** Absent: it has no value of its own. One: its value unless another is given. Several: one of these, at first the first. */
  readonly options?: readonly string[]
}

const FIELD = /\{\{ *([\p{L}\p{N}](?:[\p{L}\p{M}\p{N} _-]*[\p{L}\p{M}\p{N}])?) *(?::([^{}\n]*))?\}\}/gu

/** The fields of a template in order: `{{topic}}`, `{{topic:tides}}`, `{{tone:formal|friendly}}`. One name is one field. */
export function templateFields(text: string): readonly TemplateField[] {
  const fields = new Map<string, TemplateField>()
  for (const [, name = '', options] of text.matchAll(FIELD)) {
    if (fields.get(name)?.options) continue
    fields.set(
      name,
      options === undefined ? { name } : { name, options: options.split('|').map((each) => each.trim()) },
    )
  }
  return [...fields.values()]
}

/** The text with the values of its fields. A field that has no value stays as it is written, so that no gap is sent unseen. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  const own = new Map(templateFields(text).map(({ name, options }) => [name, options?.[0]]))
  return text.replaceAll(FIELD, (placeholder, name: string) => {
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    return (own.get(name) === undefined ? given || undefined : (given ?? own.get(name))) ?? placeholder
  })
}
