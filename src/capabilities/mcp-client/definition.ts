import { hash } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { type Clock, fieldsOf, isObject } from '../../platform.ts'
import { schemaFault } from '../../tool.ts'

export interface ToolList {
  readonly tools: readonly unknown[]
  /** `false` if the list did not end within the limits. */
  readonly isAll: boolean
  /** Calls repeat parameters in headers, where a schema says so. */
  readonly usesHeaders?: boolean
}

const MOST_PAGES = 64
const MOST_LISTED = 1_024

export async function listServerTools(client: Client, signal: AbortSignal, timeoutMs: number): Promise<ToolList> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], isAll: true }
  const tools: unknown[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES && tools.length < MOST_LISTED; pages++) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    const page = await client.request(request, anyPage, { signal, timeout: timeoutMs })
    tools.push(...page.tools)
    if (page.nextCursor === undefined || page.nextCursor === '') return { tools, isAll: true }
    cursor = page.nextCursor
  }
  return { tools, isAll: false }
}

interface Page {
  readonly tools: readonly unknown[]
  readonly nextCursor?: string
}

interface PageSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: unknown; readonly output: Page }
    validate(value: unknown): { readonly value: Page } | { readonly issues: readonly { readonly message: string }[] }
  }
}

/** The library refuses a whole list for one broken tool; `readOffered` leaves out only that tool. */
const anyPage: PageSchema = {
  '~standard': {
    version: 1,
    vendor: 'foreword',
    validate(value) {
      const { tools, nextCursor } = (value ?? {}) as Record<string, unknown>
      if (!Array.isArray(tools)) return { issues: [{ message: 'a list of tools without tools' }] }
      return { value: { tools, ...(typeof nextCursor === 'string' && { nextCursor }) } }
    },
  },
}

interface Offered {
  /** By name. */
  readonly offered: readonly SealedDefinition[]
  /** Why tools are left out: the rest of sentences that begin with the name of the server. */
  readonly faults: readonly string[]
}

const MOST_TOOLS = 256

/** Of all definitions of one server together, bytes: they are in every request. */
const MOST_BYTES = 512 * 1024

const MOST_FAULTS = 20

/** The tools of a server that can be offered, and why the others cannot. */
export async function readOffered(clock: Clock, list: ToolList, server: string): Promise<Offered> {
  const faults: string[] = []
  const byName = new Map<string, SealedDefinition>()
  for (const tool of list.tools) {
    // Checking a large schema takes a while, so other work may run between two tools.
    await clock.yield()
    const read = await readDefinition(tool, server, list.usesHeaders)
    if (read.type === 'faulty') faults.push(`offers ${read.why}; it is left out`)
    else if (byName.has(read.definition.name)) {
      faults.push(`offers the tool ${JSON.stringify(read.definition.name)} twice; the first one counts`)
    } else byName.set(read.definition.name, { definition: read.definition, digest: definitionDigest(read.definition) })
  }
  const names = [...byName.keys()].toSorted((left, right) => (left < right ? -1 : 1))
  const first = names.slice(0, MOST_TOOLS)
  const { kept, large } = withinBytes(first.map((name) => byName.get(name)!))
  const reported = faults.slice(0, MOST_FAULTS)
  if (!list.isAll || names.length > first.length) {
    reported.push(`offers more than ${MOST_TOOLS} tools; the first ${MOST_TOOLS} by name are used`)
  }
  if (large.length > 0) {
    const more = large.length > 10 ? ` and ${large.length - 10} more` : ''
    reported.push(
      `offers definitions of more than ${MOST_BYTES} bytes together; the largest are left out: ${large.slice(0, 10).join(', ')}${more}`,
    )
  }
  return { offered: kept, faults: reported }
}

/** Leaves out the largest until the others fit, so that one large tool does not take the place of many. */
function withinBytes(offered: readonly SealedDefinition[]) {
  const sizes = new Map(offered.map((one) => [one, Buffer.byteLength(JSON.stringify(one.definition))]))
  let rest = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
  const large = new Set<SealedDefinition>()
  for (const [one, bytes] of [...sizes].toSorted(([, left], [, right]) => right - left)) {
    if (rest <= MOST_BYTES) break
    large.add(one)
    rest -= bytes
  }
  return {
    kept: offered.filter((one) => !large.has(one)),
    large: [...large].map(({ definition }) => JSON.stringify(definition.name)),
  }
}

export interface McpDefinition {
  readonly name: string
  readonly description?: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** Hints of the server about its own tool. Shown to the owner, and otherwise without effect. */
  readonly annotations?: Readonly<Record<string, unknown>>
}

export interface SealedDefinition {
  readonly definition: McpDefinition
  readonly digest: string
}

/** A definition that can be offered, or why it cannot: the rest of a sentence that begins with the name of the server. */
type DefinitionRead =
  | { readonly type: 'definition'; readonly definition: McpDefinition }
  | { readonly type: 'faulty'; readonly why: string }

const LARGEST = 64 * 1024

const LONGEST_NAME = 256

/** Never throws. */
async function readDefinition(tool: unknown, server: string, usesHeaders?: boolean): Promise<DefinitionRead> {
  try {
    const fault = usesHeaders ? headerFault(fieldsOf(tool)['inputSchema']) : undefined
    if (fault === undefined) return await checkDefinition(tool, server)
    return rejectDefinition(`the tool ${JSON.stringify(fieldsOf(tool)['name'])} with ${fault}`)
  } catch {
    // For example a schema that is nested too deeply to check.
    return rejectDefinition('a tool that cannot be read')
  }
}

/** SHA-256 of a definition, whatever the order of its keys: lowercase hexadecimal. */
export function definitionDigest(definition: McpDefinition): string {
  return hash('sha256', JSON.stringify(sortKeys(definition)), 'hex')
}

async function checkDefinition(listed: unknown, server: string): Promise<DefinitionRead> {
  if (!isObject(listed)) return rejectDefinition('a tool that is no object')
  const { name, description, inputSchema, annotations } = listed
  if (typeof name !== 'string' || name === '') return rejectDefinition('a tool without a name')
  if (name.length > LONGEST_NAME) return rejectDefinition(`a tool whose name has ${name.length} characters`)
  const tool = `the tool ${JSON.stringify(name)}`
  const offered = await usableSchema(inputSchema, server)
  if ('fault' in offered) return rejectDefinition(`${tool} with a broken schema: ${offered.fault}`)
  const definition: McpDefinition = {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: offered.schema,
    ...(isObject(annotations) && { annotations }),
  }
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (bytes > LARGEST)
    return rejectDefinition(`${tool} with a definition of ${bytes} bytes, more than the ${LARGEST} allowed`)
  return { type: 'definition', definition }
}

function rejectDefinition(why: string): DefinitionRead {
  return { type: 'faulty', why }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}

/** One broken schema would make a provider refuse the whole request. Draft 2020-12, or an older one in `$schema`. */
async function usableSchema(
  given: unknown,
  server: string,
): Promise<{ readonly schema: McpDefinition['inputSchema'] } | { readonly fault: string }> {
  const faultOf = (schema: McpDefinition['inputSchema']) => schemaFault(schema, schemaOwner(server))
  // One that is sound stays as it is, so that its digest does.
  if (isObject(given) && given['type'] === 'object' && (await faultOf(given)) === undefined) return { schema: given }
  const schema = correctedSchema(given)
  if (schema === undefined) return { fault: 'it must describe an object ("type": "object")' }
  const fault = await faultOf(schema)
  return fault === undefined ? { schema } : { fault: oneLine(fault) }
}

/**
 * What is wrong with the headers that a schema names for parameters: a client may not call such a tool. Each stands at a property that
 * is a text, a whole number or a boolean, and is reached by `properties` alone; no name is there twice.
 */
function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>()
  const visit = (value: unknown, place: 'schema' | 'properties' | 'elsewhere'): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined
    const name = place === 'properties' || Array.isArray(value) ? undefined : fieldsOf(value)[HEADER]
    if (name !== undefined) {
      const type = fieldsOf(value)['type']
      const isNamed = typeof name === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(name)
      if (!isNamed || place === 'elsewhere' || (type !== 'string' && type !== 'integer' && type !== 'boolean')) {
        return `a header that no parameter can have: ${oneLine(JSON.stringify(name))}`
      }
      if (names.has(name.toLowerCase())) return `two parameters for the header ${name}`
      names.add(name.toLowerCase())
    }
    for (const [key, inner] of Object.entries(value)) {
      const isPlain = key === 'properties' && place === 'schema'
      const fault = visit(inner, place === 'properties' ? 'schema' : isPlain ? 'properties' : 'elsewhere')
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return visit(schema, 'schema')
}

const HEADER = 'x-mcp-header'

/** Whose the schemas of a server are, as messages name it. */
export function schemaOwner(server: string): string {
  return `the MCP server ${server}`
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}

type Schema = Readonly<Record<string, unknown>>

/**
 * A schema of a tool's input with what it lacks or says in an older way put as draft 2020-12 says it, where that has one
 * meaning only: no type is an object, `null` is absent, `exclusiveMinimum: true` is the minimum. What no check could use,
 * such as a pattern that does not compile, is left out: the server checks its own input.
 *
 * @returns `undefined` for what describes no object
 */
export function correctedSchema(given: unknown): Schema | undefined {
  if (given === undefined || given === null || given === true) return { type: 'object', properties: {} }
  if (!isObject(given)) return undefined
  const rules = corrected(given) as Schema
  const { type = 'object' } = rules
  const isObjectType = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isObjectType ? { ...rules, type: 'object' } : undefined
}

function corrected(given: unknown): unknown {
  if (!isObject(given)) return given === false ? false : {}
  const fields = isObject(given['properties']) ? given['properties'] : {}
  const entries = Object.entries(given).flatMap(([rule, value]): (readonly [string, unknown])[] => {
    if (rule === 'const' || rule === 'default' || rule === 'examples') return [[rule, value]]
    if (value === null) return []
    const one = (found: unknown) => (found === undefined ? [] : [[rule, found] as const])
    switch (rule) {
      case 'type':
        return one(correctedType(value))
      case 'properties':
      case '$defs':
      case 'definitions':
      case 'dependentSchemas':
        return [[rule, mapped(value)]]
      case 'patternProperties':
        return [[rule, Object.fromEntries(Object.entries(mapped(value)).filter(([name]) => compiles(name)))]]
      case 'items':
        return Array.isArray(value) ? [['prefixItems', value.map(corrected)]] : [[rule, corrected(value)]]
      case 'additionalItems':
        return Array.isArray(given['items']) ? [['items', corrected(value)]] : []
      case 'additionalProperties':
      case 'not':
      case 'if':
      case 'then':
      case 'else':
      case 'contains':
      case 'propertyNames':
        return [[rule, corrected(value)]]
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return Array.isArray(value) && value.length > 0 ? [[rule, value.map(corrected)]] : []
      case 'enum':
        return Array.isArray(value) && value.length > 0 ? [[rule, distinct(value)]] : []
      case 'pattern':
        return typeof value === 'string' && compiles(value) ? [[rule, value]] : []
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return one(typeof value === 'number' ? value : value === true ? given[limits[rule]] : undefined)
      case 'minimum':
      case 'maximum':
        return given[exclusive[rule]] === true ? [] : one(typeof value === 'number' ? value : undefined)
      case 'divisibleBy':
        return typeof value === 'number' && value > 0 ? [['multipleOf', value]] : []
      case 'multipleOf':
        return typeof value === 'number' && value > 0 ? [[rule, value]] : []
      case 'minLength':
      case 'maxLength':
      case 'minItems':
      case 'maxItems':
      case 'minProperties':
      case 'maxProperties':
        return Number.isInteger(value) && (value as number) >= 0 ? [[rule, value]] : []
      case 'description':
      case 'title':
        return typeof value === 'string' ? [[rule, value]] : []
      // `required` is put together below; the others are names and older rules that the schema of one tool does not need.
      case 'required':
      case 'id':
      case '$id':
      case '$schema':
      case '$anchor':
      case '$vocabulary':
      case 'dependencies':
      case 'extends':
      case 'disallow':
        return []
      default:
        return [[rule, value]]
    }
  })
  const named = Array.isArray(given['required']) ? given['required'] : []
  // Draft 3 says it in the field.
  const own = Object.keys(fields).filter((name) => isObject(fields[name]) && fields[name]['required'] === true)
  const required = distinct([...named, ...own]).filter((name) => typeof name === 'string')
  return Object.fromEntries([...entries, ...(required.length > 0 ? [['required', required] as const] : [])])
}

const limits = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' } as const
const exclusive = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const

/** Names of types, with those of the languages that servers are written in. `any` is no type. */
const types: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'].map((name) => [name, name]),
  ),
  str: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  dict: 'object',
  list: 'array',
}

/** What is no type stays: such a schema cannot be used. `any` is none. */
function correctedType(type: unknown): unknown {
  if (Array.isArray(type)) return type.map(correctedType)
  const name = typeof type === 'string' ? type.toLowerCase() : ''
  return name === 'any' ? undefined : (types[name] ?? type)
}

/** A language without maps of its own, such as PHP, writes an empty one as a list. */
function mapped(value: unknown): Schema {
  if (!isObject(value)) return {}
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([name, inner]) => [name, corrected(inner)]))
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}
