import { exactLine } from '../context.ts'
import { decodeUrlPart, defined, elementsOf, fieldsOf, parseJson } from '../platform.ts'
import type {
  ForeignClient,
  ForeignIdentity,
  ForeignKind,
  ForeignRequestHead,
  KeptConversation,
} from './foreign-call.ts'
import type { KindRule, Recogniser, ValuePlace } from './recognisers/recogniser.ts'
import { general } from './recognisers/general.ts'
import { clientTables } from './recognisers/recognisers.ts'
import { type WireFormat, countOf, textOf } from '../wire.ts'

/** Whose call it is and what for, by its path, its headers and its body. Never throws, whatever the body is. */
export function identifyCall(head: ForeignRequestHead, body: unknown): ForeignIdentity {
  // No right to call models is one to make caches, which are paid for as long as they live: `callFormat` knows them not.
  const format = callFormat(head) ?? (makesCache(head) ? 'generate-content' : undefined)
  const fields = fieldsOf(body)
  const call: IdentifiedCall = { head, body: fields, said: saidTexts(fields) }
  const { client, table } = clientOf(call)
  const tables = table ? [table, general] : [general]
  const find = (key: 'session' | 'parent' | 'turn' | 'agent'): string | undefined => {
    const places = tables.flatMap((each) => each[key] ?? [])
    return places.map((place) => valueAt(place, call)).find((value) => value !== undefined)
  }
  const [session, agent, parent] = [find('session'), find('agent'), find('parent')]
  const model = textOf(fields['model'])
  const inSession = (id: string | undefined): string | undefined =>
    id === undefined ? session : `${session ?? ''}/${id}`
  const ids = agent === undefined ? { session, parent } : { session: inSession(agent), parent: inSession(parent) }
  return {
    ...defined({
      format,
      ...ids,
      turn: find('turn'),
      kept: keptReference(fields),
      cache: cacheReference(fields),
      // Gemini's own bodies name a model with what is before it in a path.
      model: shortText(format === 'generate-content' ? model?.replace(/^.*\//, '') : model) ?? modelIn(head.path),
      maxOutputTokens: mostTokens(call),
    }),
    client,
    kind: kindOf(call, format !== undefined, tables),
    // Gemini sends events where the query asks for them, and a list of whole answers otherwise.
    stream: fields['stream'] === true || /:streamGenerateContent\?(?:[^#]*&)?alt=sse(?:&|$)/.test(head.path),
  }
}

/** What a provider keeps of the conversation of this body: of OpenAI's Responses and of Anthropic's threads. */
export function keptReference(body: Readonly<Record<string, unknown>>): KeptConversation | undefined {
  const answer = shortText(body['previous_response_id']) ?? shortText(fieldsOf(body['thread'])['previous_message_id'])
  if (answer !== undefined) return { answer }
  const conversation = shortText(body['conversation']) ?? shortText(fieldsOf(body['conversation'])['id'])
  return conversation === undefined ? undefined : { conversation }
}

/** A cache that was made by a call of its own, which the model reads before the body: of Gemini's API and of Vertex. */
export function cacheReference(body: Readonly<Record<string, unknown>>): string | undefined {
  return shortText(body['cachedContent'] ?? body['cached_content'])
}

/** The headers that are looked at, in lower case, and the one that says how a body is packed. */
export const identifyingHeaders: ReadonlySet<string> = new Set([
  'user-agent',
  'content-encoding',
  'traceparent',
  ...[general, ...clientTables].flatMap(({ signs, session = [], parent = [], turn = [], agent = [], kinds = [] }) =>
    [...signs, ...session, ...parent, ...turn, ...agent, ...kinds.map(({ at }) => at ?? {})].flatMap((place) =>
      'header' in place && place.header !== undefined ? [place.header] : [],
    ),
  ),
])

interface IdentifiedCall {
  readonly head: ForeignRequestHead
  readonly body: Readonly<Record<string, unknown>>
  readonly said: SaidTexts
}

/** The most characters of an id or a name that a client chose. */
const LONGEST = 200

function shortText(value: unknown): string | undefined {
  const text = textOf(value)
  return text === undefined || text === '' ? undefined : exactLine(text.slice(0, LONGEST).toWellFormed())
}

function clientOf(call: IdentifiedCall): { readonly client: ForeignClient; readonly table?: Recogniser } {
  const { headers } = call.head
  for (const table of clientTables) {
    for (const sign of table.signs) {
      if (!('header' in sign)) continue
      const found = sign.pattern.exec(headerText(call.head, sign.header) ?? '')
      if (found) return { client: named(table, found.groups?.['version'] ?? versionOf(headers['user-agent'])), table }
    }
  }
  const found = clientTables.find(({ signs }) =>
    signs.some((sign) => 'prompt' in sign && call.said.system.some((text) => text.includes(sign.prompt))),
  )
  if (found) return { client: named(found), table: found }
  const agent = headerText(call.head, 'user-agent')
  const name = /^[^\s/;,()]{1,80}/.exec(agent ?? '')?.[0]
  if (name === undefined) return { client: { name: 'unknown' } }
  return { client: { name: exactLine(name).toLowerCase(), ...defined({ version: versionOf(agent) }) } }
}

function named({ client }: Recogniser, version?: string): ForeignClient {
  return { name: client!, ...defined({ version }) }
}

function versionOf(agent: string | undefined): string | undefined {
  return /^[^\s/]{1,80}\/(?<version>\d[\w.-]{0,39})/.exec(agent ?? '')?.groups?.['version']
}

function headerText({ headers }: ForeignRequestHead, name: string): string | undefined {
  return Object.hasOwn(headers, name) ? textOf(headers[name]) : undefined
}

function valueAt({ header, said, body, json, pattern }: ValuePlace, call: IdentifiedCall): string | undefined {
  if (said !== undefined) {
    const values = call.said[said].map((text) => pattern?.exec(text)?.groups?.['value'])
    return shortText(values.find((value) => value !== undefined))
  }
  const found = header === undefined ? pathValue(call.body, body ?? []) : headerText(call.head, header)
  const inner = json === undefined ? found : pathValue(parsed(textOf(found)), [json])
  const text = typeof inner === 'string' ? inner : typeof inner === 'number' ? String(inner) : undefined
  if (pattern === undefined) return shortText(text)
  return shortText(pattern.exec(text?.slice(0, 2_000) ?? '')?.groups?.['value'])
}

function pathValue(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce((found, key) => (Object.hasOwn(fieldsOf(found), key) ? fieldsOf(found)[key] : undefined), value)
}

/** The most characters of a header or a field that is parsed as JSON. */
const LONGEST_JSON = 20_000

function parsed(text: string | undefined): unknown {
  if (text === undefined || text.length > LONGEST_JSON || !text.startsWith('{')) return undefined
  return parseJson(text)
}

function mostTokens({ body }: IdentifiedCall): number | undefined {
  const places = [body, fieldsOf(body['generationConfig'] ?? body['generation_config'])]
  const first = (names: readonly string[]) =>
    places.flatMap((place) => names.map((name) => countOf(place[name]))).find((count) => count !== undefined)
  const most = first(['max_output_tokens', 'max_completion_tokens', 'max_tokens', 'maxOutputTokens'])
  // Each of several answers may be as long.
  return most === undefined ? undefined : most * Math.max(1, first(['n', 'candidateCount', 'candidate_count']) ?? 1)
}

function kindOf(call: IdentifiedCall, isKnown: boolean, tables: readonly Recogniser[]): ForeignKind {
  if (!isKnown || makesCache(call.head)) return 'other'
  if (COUNT.test(withoutQuery(call.head.path))) return 'count'
  if (callFormat(call.head) === 'embeddings') return 'embedding'
  return tables.flatMap(({ kinds = [] }) => kinds).find((rule) => holds(rule, call))?.kind ?? 'turn'
}

const COUNT = /(?:\/(?:count_tokens|input_tokens)|:countTokens|\/count-tokens:rawPredict)\/?$/

function holds(rule: KindRule, call: IdentifiedCall): boolean {
  const { at, value, path, system, last, mostTokens: limit, withoutTools, answers } = rule
  const { head, body, said } = call
  if (path !== undefined && !head.path.split('?')[0]!.endsWith(path)) return false
  if (at !== undefined) {
    const found = valueAt(at, call)
    if (found === undefined || (value && !value.test(found))) return false
  }
  if (limit !== undefined && (mostTokens(call) ?? Infinity) > limit) return false
  if (withoutTools && Array.isArray(body['tools']) && body['tools'].length > 0) return false
  if (answers !== undefined && !asksFor(answers, body)) return false
  if (system && !system.some((words) => said.system.some((text) => text.includes(words)))) return false
  return !last || last.some((words) => said.last.some((text) => text.includes(words)))
}

/** Whether a schema for the answer has this key and no other. */
function asksFor(key: string, body: Readonly<Record<string, unknown>>): boolean {
  return schemaPaths.some((path) => {
    const keys = Object.keys(fieldsOf(pathValue(body, [...path.split('.'), 'properties'])))
    return keys.length === 1 && keys[0] === key
  })
}

const schemaPaths = [
  'output_config.format.schema',
  'output_format.schema',
  'text.format.schema',
  'response_format.json_schema.schema',
  'generationConfig.responseSchema',
  'generationConfig.responseJsonSchema',
]

const endings: readonly (readonly [RegExp, WireFormat])[] = [
  [/\/messages(?:\/count_tokens)?\/?$/, 'messages'],
  [/\/responses(?:\/compact|\/input_tokens)?\/?$/, 'responses'],
  [/\/chat\/completions\/?$/, 'chat-completions'],
  [/\/embeddings\/?$/, 'embeddings'],
  [/\/models\/[^/:]+:(?:(?:streamG|g)enerateContent|countTokens)$/, 'generate-content'],
  // Claude on Vertex
  [/\/publishers\/[^/]+\/models\/(?:claude|count-tokens)[^/:]*:(?:streamR|r)awPredict$/, 'messages'],
]

/** The format of a request by the end of its path, whatever is before it. `undefined`: it is of no known format. */
export function callFormat({ method, path }: ForeignRequestHead): WireFormat | undefined {
  if (method.toUpperCase() !== 'POST') return undefined
  const plain = withoutQuery(path)
  return endings.find(([ending]) => ending.test(plain))?.[1]
}

function makesCache({ method, path }: ForeignRequestHead): boolean {
  return method.toUpperCase() === 'POST' && withoutQuery(path).endsWith('/cachedContents')
}

/** The model that a path names: of Gemini and Vertex, and the deployment of Azure. */
function modelIn(path: string): string | undefined {
  const [, model, deployment] = /\/models\/([^/:]+):[a-zA-Z]+$|\/deployments\/([^/]+)\//.exec(withoutQuery(path)) ?? []
  return shortText(decodeUrlPart(model ?? deployment ?? ''))
}

function withoutQuery(path: string): string {
  return path.split(/[?#]/, 1)[0]!
}

/** The texts of a body by which the kind of a call is told. */
interface SaidTexts {
  /** The system text: the first 100,000 characters of each block. */
  readonly system: readonly string[]
  /** The last message of the user: the first 20,000 characters of each block. */
  readonly last: readonly string[]
}

const LONGEST_SYSTEM = 100_000
const LONGEST_LAST = 20_000

/** Finds them in a body of any format. Looks at few blocks, however long the conversation is. */
function saidTexts(body: Readonly<Record<string, unknown>>): SaidTexts {
  const [messages = []] = ['messages', 'contents', 'input']
    .map((key) => elementsOf(body[key]))
    .filter(({ length }) => length > 0)
  const leading = messages.slice(0, 4).filter((message) => ['system', 'developer'].includes(roleOf(message) ?? ''))
  const { system: own, instructions, systemInstruction = body['system_instruction'] } = body
  const system = [own, instructions, ...[systemInstruction, ...leading].map(contentOf)]
  const last = messages.slice(-4).findLast((message) => roleOf(message) === 'user')
  const input = typeof body['input'] === 'string' ? [body['input']] : []
  return {
    system: system.flatMap((content) => blocksOf(content, LONGEST_SYSTEM)),
    last: [...input, ...blocksOf(contentOf(last), LONGEST_LAST)],
  }
}

/** What a message says, whatever its format calls it. */
function contentOf(message: unknown): unknown {
  const { content, parts = message } = fieldsOf(message)
  return content ?? parts
}

function roleOf(message: unknown): string | undefined {
  return textOf(fieldsOf(message)['role'])
}

/** The most blocks that are looked at. */
const MOST = 50

function blocksOf(content: unknown, longest: number): readonly string[] {
  if (typeof content === 'string') return [content.slice(0, longest)]
  return elementsOf(content)
    .slice(-MOST)
    .flatMap((block) => textOf(fieldsOf(block)['text'])?.slice(0, longest) ?? [])
}
