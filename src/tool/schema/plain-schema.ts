/** The most schemas within a plain one, levels of them, and values that one of them lists. */
const MOST_SCHEMAS = 100
const DEEPEST = 6
const MOST_LISTED = 100

/** The most values and levels within a small input, and characters of its texts and names. */
const DEEPEST_INPUT = 128
const MOST_VALUES = 2_000
const MOST_CHARACTERS = 1_000_000

/** Rules whose cost does not depend on the schema: one comparison, or one look at each character. */
const simpleRules = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
])

/** What no check reads. */
const notes = new Set(['$comment', '$schema', 'title', 'description', 'default', 'examples', 'format', 'deprecated'])

/**
 * Whether compiling a schema and checking a small input by it cannot take long, no matter who wrote them: it has no pattern, no
 * reference and no rule that looks at one value more than a few times, and it is small itself.
 */
export function isPlainSchema(schema: unknown): boolean {
  let schemas = 0

  function isPlain(value: unknown, depth: number, isAlternative: boolean): boolean {
    schemas += 1
    if (schemas > MOST_SCHEMAS || depth > DEEPEST) return false
    if (typeof value === 'boolean') return true
    if (!isObject(value)) return false
    return Object.entries(value).every(([rule, given]) => {
      if (notes.has(rule)) return rule !== '$schema' || depth === 0
      if (rule === 'type') return typeof given === 'string' || isShortList(given)
      if (rule === 'enum') return isShortList(given)
      if (rule === 'const') return isPrimitive(given)
      if (simpleRules.has(rule)) return typeof given === 'number'
      // An alternative has none of its own, so no value is looked at more often than there are schemas beside each other.
      if (isAlternative) return false
      if (rule === 'required') return isShortList(given)
      if (rule === 'anyOf' || rule === 'oneOf') {
        return Array.isArray(given) && given.length <= 8 && given.every((each) => isPlain(each, depth + 1, true))
      }
      if (rule === 'items' || rule === 'additionalProperties') return isPlain(given, depth + 1, false)
      return (
        rule === 'properties' &&
        isObject(given) &&
        Object.values(given).every((each) => isPlain(each, depth + 1, false))
      )
    })
  }

  return isPlain(schema, 0, false)
}

/** Whether an input is so small that looking at each of its values takes no time. */
export function isSmallInput(input: unknown): boolean {
  let values = 0
  let characters = 0

  function isSmall(value: unknown, depth: number): boolean {
    values += 1
    if (depth > DEEPEST_INPUT) return false
    if (typeof value === 'string') characters += value.length
    if (values > MOST_VALUES || characters > MOST_CHARACTERS) return false
    if (Array.isArray(value)) return value.length <= MOST_VALUES && value.every((each) => isSmall(each, depth + 1))
    if (typeof value !== 'object' || value === null) return true
    for (const name in value) {
      characters += name.length
      if (!isSmall((value as Record<string, unknown>)[name], depth + 1)) return false
    }
    return true
  }

  return isSmall(input, 0)
}

function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_LISTED && value.every(isPrimitive)
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
