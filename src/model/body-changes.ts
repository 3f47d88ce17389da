import { elementsOf, fieldsOf, isObject, parseJson } from '../platform.ts'
import { type CallParameters, PARAMETER_NAMES } from './call-parameters.ts'

/**
 * What is changed in the body of a request because a server refuses it otherwise, by the name of a field: left out (`null`),
 * sent under another name (a text), or made no larger than a number. `tools.NAME` is a field of each definition of a tool.
 */
export type RequestChanges = Readonly<Record<string, string | number | null>>

/** Names beside those of fields: nothing sealed goes back that stands before the calls which are being answered, or nothing at all. */
export const UNSEALED_EARLIER = 'sealed reasoning of earlier turns'
export const UNSEALED = 'sealed reasoning'

/** A server does not take back reasoning that was signed or encrypted: by another account, model or time. */
const REFUSES_SEAL =
  /(?:encrypted[ _]content|thought[ _]?signature|`?signature`?).{0,80}(?:could not be|not valid|invalid|corrupted|decrypt|verif)|(?:invalid|corrupted|expired)[ _]`?(?:encrypted[ _]content|thought[ _]?signature|signature)/is

/** The body with the changes. Fields that it lacks stay absent. */
export function changedBody(
  body: Uint8Array<ArrayBuffer>,
  changes: RequestChanges | undefined,
): Uint8Array<ArrayBuffer> {
  if (changes === undefined || Object.keys(changes).length === 0) return body
  const fields = parseJson(new TextDecoder().decode(body))
  if (!isObject(fields)) return body
  const changed = Object.entries(fields).flatMap(([former, value]) => {
    const change = changes[former]
    if (change === null) return []
    const name = typeof change === 'string' ? change : former
    const most = changes[name]
    if (name === 'tools') return [[name, elementsOf(value).map((tool) => changedTool(tool, changes))]]
    return [[name, typeof most === 'number' && typeof value === 'number' ? Math.min(most, value) : value]]
  })
  return new TextEncoder().encode(JSON.stringify(Object.fromEntries(changed)))
}

/** A definition of a tool without the fields that are left out; in Chat Completions they are in its `function`. */
function changedTool(tool: unknown, changes: RequestChanges): unknown {
  if (!isObject(tool)) return tool
  const kept = Object.entries(tool).filter(([name]) => changes[`tools.${name}`] !== null)
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'function' ? changedTool(value, changes) : value]),
  )
}

/** Fields that Foreword or a library adds by itself, and that an answer is possible without. */
const ADDED = [
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'parallel_tool_calls',
  'prompt_cache_key',
  'prompt_cache_retention',
  'cache_prompt',
  'id_slot',
  'reasoning_effort',
  'tool_choice',
  'include',
  'output_config',
  'thinking',
  'reasoning',
  'tools.strict',
  'tools.eager_input_streaming',
]

const REFUSES =
  /unrecogni[sz]ed|unknown|unsupported|unexpected|not (?:supported|permitted|allowed|recogni[sz]ed)|extra (?:inputs?|fields?)|invalid|does(?: not|n't) support|too (?:large|high|big)|must be|at most|exceeds?|maximum|valid range|use '?max_/i

const LARGEST_ANSWER =
  /(?:at most|maximum(?: allowed)?(?: value)?(?: is| of|:)?|<=|less than or equal to|up to|cannot exceed|limit(?: is| of|:)?|\d+ >|range of \w+ is \[\d+,) (?<limit>\d+)/i

/**
 * The change after which a server may accept what it has refused with this sentence: it names a field that was added to the
 * request and not asked for by the caller. `undefined`: none is known.
 */
export function changeFor(
  refusal: string,
  body: Uint8Array,
  { known, parameters = {} }: { readonly known: RequestChanges; readonly parameters?: CallParameters | undefined },
): RequestChanges | undefined {
  if (REFUSES_SEAL.test(refusal) && !(UNSEALED in known)) {
    return { ...known, [UNSEALED_EARLIER in known ? UNSEALED : UNSEALED_EARLIER]: null }
  }
  if (!REFUSES.test(refusal)) return undefined
  const sent = fieldsOf(parseJson(new TextDecoder().decode(body)))
  const asked = new Set((Object.keys(parameters) as (keyof CallParameters)[]).map((name) => PARAMETER_NAMES[name]))
  const inTools = elementsOf(sent['tools']).flatMap((tool) => [tool, fieldsOf(tool)['function']].map(fieldsOf))
  const name = ADDED.find((field) => {
    const own = field.replace('tools.', '')
    const isSent = own === field ? field in sent : inTools.some((tool) => own in tool)
    return isSent && !asked.has(field) && new RegExp(`\\b${own}\\b`).test(refusal)
  })
  if (name === undefined) return undefined
  const value = sent[name]
  const limit = Number(LARGEST_ANSWER.exec(refusal)?.groups?.['limit'])
  if (typeof value === 'number' && limit > 0 && limit < value) return { ...known, [name]: limit }
  const other = /\b(?<other>max_(?:completion_|output_)?tokens)\b/.exec(
    refusal.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), ''),
  )
  return { ...known, [name]: other?.groups?.['other'] ?? null }
}
