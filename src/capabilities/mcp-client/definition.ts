import { hash } from 'node:crypto'
import { schemaFault } from './schema-fault.ts'

/** What a server says of one of its tools; what the owner accepts is this and nothing else of it. */
export interface McpDefinition {
  /** As the server has it. */
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Hints of the server's about its own tool. Shown to the owner, and otherwise without effect. */
  readonly annotations?: Readonly<Record<string, unknown>>
}

/** A definition that can be offered, or why it cannot: a sentence that goes on from the name of the server. */
export type DefinitionRead =
  | { readonly type: 'definition'; readonly definition: McpDefinition }
  | { readonly type: 'faulty'; readonly why: string }

/** The largest definition, bytes of JSON. */
const LARGEST = 64 * 1024

const LONGEST_NAME = 256

/** Reads what a server said. Never throws. */
export async function readDefinition(said: unknown): Promise<DefinitionRead> {
  try {
    return await checked(said)
  } catch {
    // Such as a schema that is nested too deep to be looked at.
    return faulty('a tool that cannot be read')
  }
}

/** SHA-256 of a definition, whatever the order of its keys: lowercase hexadecimal. */
export function definitionDigest(definition: McpDefinition): string {
  return hash('sha256', JSON.stringify(sorted(definition)), 'hex')
}

async function checked(said: unknown): Promise<DefinitionRead> {
  if (!isObject(said)) return faulty('a tool that is no object')
  const { name, description, inputSchema, annotations } = said
  if (typeof name !== 'string' || name === '') return faulty('a tool without a name')
  if (name.length > LONGEST_NAME) return faulty(`a tool whose name has ${name.length} characters`)
  const tool = `the tool ${JSON.stringify(name)}`
  if (!isObject(inputSchema)) return faulty(`${tool} without a schema of its input`)
  const definition: McpDefinition = {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema,
    ...(isObject(annotations) && { annotations }),
  }
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes > LARGEST) return faulty(`${tool} with a definition of ${bytes} bytes, more than the ${LARGEST} allowed`)
  const fault = await schemaFault(inputSchema)
  return fault === undefined ? { type: 'definition', definition } : faulty(`${tool} with a broken schema: ${fault}`)
}

function faulty(why: string): DefinitionRead {
  return { type: 'faulty', why }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
