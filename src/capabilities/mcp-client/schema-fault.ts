import { errorMessage } from '../../platform.ts'
import { validatorFor } from '../../tool.ts'

/**
 * Why a schema cannot be that of a tool's input, or `undefined`. One broken schema would make a provider refuse the whole
 * request, so it is found here. 2020-12, or an older draft where `$schema` says so.
 */
export async function schemaFault(schema: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  if (schema['type'] !== 'object') return 'it must describe an object ("type": "object")'
  try {
    await validatorFor(schema)
    return undefined
  } catch (error) {
    return oneLine(errorMessage(error))
  }
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}
