type Schema = Readonly<Record<string, unknown>>

/**
 * Why a schema cannot be that of a tool's input, or `undefined`. One broken schema would make a provider refuse the whole
 * request, so it is found here. 2020-12, or an older draft where `$schema` says so.
 */
export async function schemaFault(schema: Schema): Promise<string | undefined> {
  if (schema['type'] !== 'object') return 'it must describe an object ("type": "object")'
  const { $schema: dialect, ...rules } = schema
  const isOld = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect)
  // Loaded late: where no server is contacted it is never needed.
  const Validator = isOld ? (await import('ajv')).Ajv : (await import('ajv/dist/2020.js')).Ajv2020
  try {
    new Validator({ strict: false, validateFormats: false, addUsedSchema: false, logger: false }).compile(rules)
    return undefined
  } catch (error) {
    return oneLine(error instanceof Error ? error.message : String(error))
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}
