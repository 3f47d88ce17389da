import {
  type AnyMessage,
  type AssistantMessage,
  entrySentences,
  listedName,
  type Manifest,
  type ManifestEntry,
  messageTokens,
  slotTitles,
  tokenx,
  toolTokens,
  numberText,
} from '../../context.ts'
import {
  answerRoom,
  type CallOptions,
  type Model,
  ModelError,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type ModelErrorCode,
} from '../../model.ts'
import { type Clock, fieldsOf, sha256, elementsOf, parseJson } from '../../platform.ts'
import { UNREPORTED_USAGE } from '../../wire.ts'

/** The window that coding agents expect, tokens. With a smaller one they cut their own context at every call. */
const REHEARSAL_WINDOW = 128_000

const FACTS: Omit<ModelFacts, 'maxOutput'> = {
  window: REHEARSAL_WINDOW,
  tools: true,
  vision: true,
  reasoning: true,
  toolChoiceNone: true,
  free: true,
  source: 'catalog',
}

/**
 * A scripted model without weights: it answers with a summary of its request, or follows script lines in the newest
 * user message (`docs/decisions/0004-models.md`). The same request gets the same answer in any process. `stop`, JSON
 * formats and required tools are respected.
 */
export function rehearsalModel(clock: Clock, facts: Partial<ModelFacts> = {}): Model {
  const { window } = { ...FACTS, ...facts }
  return {
    id: 'rehearsal',
    facts: { ...FACTS, maxOutput: answerRoom(window), ...facts },
    call: (request, options) => answer(clock, request, options),
  }
}

async function* answer(clock: Clock, request: ModelRequest, options: CallOptions): AsyncGenerator<ModelEvent> {
  const step = untilStop(dueStep(request.messages) ?? unscriptedStep(request, options), options)
  const calls = options.toolChoice === 'none' ? [] : step.calls
  const text = calls.length < step.calls.length ? withoutCalls(step) : step.text
  const said: string[] = []
  const words = (step.fail && text === '' ? summary(request, options) : text).match(/\S+\s*|\s+/g) ?? []
  for (const word of step.fail ? words.slice(0, step.fail.afterWords) : words) {
    stopIfAborted(options.signal)
    said.push(word)
    yield { type: 'text-delta', text: word }
    if (step.slowMs > 0) await clock.sleep(step.slowMs, options.signal)
  }
  stopIfAborted(options.signal)
  if (step.fail)
    throw new ModelError(step.fail.code, `the script of this rehearsal asked for the failure ${step.fail.code}`, NAMES)

  const parts: Exclude<AssistantMessage['content'], string> = []
  if (text !== '') parts.push({ type: 'text', text })
  for (const [index, { toolName, input }] of calls.entries()) {
    const toolCallId = `call_${sha256(JSON.stringify(request.messages)).slice(0, 12)}_${index + 1}`
    parts.push({ type: 'tool-call', toolCallId, toolName, input })
    yield { type: 'tool-call', toolCallId, toolName, input }
  }
  const message: AssistantMessage = { role: 'assistant', content: parts }
  const usage = {
    ...UNREPORTED_USAGE,
    promptTokens: promptTokens(request, options),
    outputTokens: messageTokens(tokenx, message),
  }
  yield { type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage, message }
}

function unscriptedStep(request: ModelRequest, options: CallOptions): ScriptStep {
  const { toolChoice, responseFormat } = options.parameters ?? {}
  const wanted = request.tools.find(({ name }) => toolChoice === 'required' || name === toolChoice?.toolName)
  if (wanted) {
    return { text: '', calls: [{ toolName: wanted.name, input: schemaExample(wanted.inputSchema) }], slowMs: 0 }
  }
  const text = summary(request, options)
  if (!responseFormat) return { text, calls: [], slowMs: 0 }
  const { schema } = responseFormat
  return { text: JSON.stringify(schema ? schemaExample(schema) : { rehearsal: text }), calls: [], slowMs: 0 }
}

function untilStop(step: ScriptStep, { parameters }: CallOptions): ScriptStep {
  const ends = (parameters?.stop ?? []).map((stop) => step.text.indexOf(stop)).filter((at) => at >= 0)
  return ends.length === 0 ? step : { ...step, text: step.text.slice(0, Math.min(...ends)), calls: [] }
}

const BEGINNING = 'This is a rehearsal: no model has read your message. A model would have read'

function summary(request: ModelRequest, { account }: CallOptions): string {
  if (account) return `${BEGINNING} ${accountWords(account)}`
  const lines = request.messages.map((message) => `- ${message.role}: ${messageTokens(tokenx, message)} tokens`)
  if (request.system) lines.unshift(`- system: ${tokenx.text(request.system)} tokens`)
  if (request.tools.length > 0) lines.unshift(`- tools: ${request.tools.map(({ name }) => name).join(', ')}`)
  return `${BEGINNING}:\n\n${lines.join('\n')}`
}

/** Names of one slot, and sentences about what is not sent as it is, that an answer lists. */
const [NAMED, EXPLAINED] = [4, 6]

/** Each slot with its tokens and what is in it, then what is not sent as it was written, and why. */
function accountWords(manifest: Manifest): string {
  const { used, budget, entries, slots } = manifest
  const names = new Map<ManifestEntry['slot'], string[]>()
  let isWhole = true
  for (const entry of entries) {
    if (entry.outcome !== 'included' || entry.reason) isWhole = false
    if (entry.outcome === 'omitted') continue
    const listed = names.get(entry.slot) ?? []
    const name = entry.layer === 'note' ? 'a note' : listedName(entry, manifest)
    const words = entry.slot === 'tools' || entry.name !== undefined ? name : name.replaceAll('-', ' ')
    // Of the turn itself its files have names.
    if (entry.slot !== 'input' || entry.layer === 'attachment') listed.push(words)
    names.set(entry.slot, listed)
  }
  const lines = [`${numberText(used)} of the ${numberText(budget.window)} tokens of its window:`, '']
  for (const [slot, listed] of names) {
    const more = listed.length > NAMED ? `, and ${listed.length - NAMED} more` : ''
    const list = listed.length === 0 ? '' : `: ${listed.slice(0, NAMED).join(', ')}${more}`
    // A turn has the calls and results of its steps, too.
    const title = slot === 'input' ? 'This turn' : slotTitles[slot]
    lines.push(`- ${title}, ${numberText(slots[slot])} tokens${list}`)
  }
  if (isWhole) return lines.join('\n')
  const sentences = entrySentences(manifest)
  const others = sentences.length > EXPLAINED ? [`and ${sentences.length - EXPLAINED} more`] : []
  if (sentences.length > 0) lines.push('', 'Shortened, changed or left out:', '')
  for (const sentence of [...sentences.slice(0, EXPLAINED), ...others]) lines.push(`- ${sentence}`)
  return lines.join('\n')
}

function withoutCalls(step: ScriptStep): string {
  const wanted = step.calls.map(({ toolName }) => toolName).join(', ')
  const notice = `I was asked to call no tool; the script wanted ${wanted}.`
  return step.text === '' ? notice : `${step.text}\n${notice}`
}

/** What the account says that the call holds, so that no figure differs from the summary; counted where there is none. */
function promptTokens(request: ModelRequest, { account }: CallOptions): number {
  if (account) return account.used
  let tokens = request.system ? tokenx.perMessage + tokenx.text(request.system) : 0
  for (const tool of request.tools) tokens += toolTokens(tokenx, tool)
  for (const message of request.messages) tokens += messageTokens(tokenx, message)
  return tokens
}

const NAMES = { provider: 'rehearsal', model: 'rehearsal' }

function stopIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new ModelError('cancelled', 'the call of rehearsal was cancelled', NAMES)
}

type Schema = Readonly<Record<string, unknown>>

/** A small value that a JSON Schema allows, always the same for one schema. Rare keywords are ignored. */
function schemaExample(schema: unknown): unknown {
  return valueFor(schema, schema, 0)
}

/** Limits schemas that refer to themselves. */
const DEEPEST = 20

function valueFor(given: unknown, root: unknown, depth: number): unknown {
  const schema = fieldsOf(given)
  if (depth > DEEPEST) return null
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  const [first] = [...elementsOf(schema['enum']), ...elementsOf(schema['examples'])]
  if (first !== undefined) return first
  const referred = typeof schema['$ref'] === 'string' ? target(root, schema['$ref']) : undefined
  const [choice = referred] = [
    ...elementsOf(schema['anyOf']),
    ...elementsOf(schema['oneOf']),
    ...elementsOf(schema['allOf']),
  ]
  if (choice !== undefined) return valueFor(choice, root, depth + 1)
  return valueForType(schema, (inner) => valueFor(inner, root, depth + 1))
}

function valueForType(schema: Schema, example: (schema: unknown) => unknown): unknown {
  const [type = 'properties' in schema ? 'object' : 'string'] = [schema['type']].flat()
  switch (type) {
    case 'object': {
      const properties = fieldsOf(schema['properties'])
      return Object.fromEntries(elementsOf(schema['required']).map((name) => [name, example(properties[String(name)])]))
    }
    case 'array':
      return Array.from({ length: Math.min(Number(schema['minItems'] ?? 0), 10) }, () => example(schema['items']))
    case 'integer':
    case 'number':
      return Math.max(0, Number(schema['minimum'] ?? 0))
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return 'rehearsal'
  }
}

function target(root: unknown, reference: string): unknown {
  const path = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return path.reduce<unknown>((value, key) => fieldsOf(value)[key], root)
}

interface ScriptStep {
  readonly text: string
  readonly calls: readonly { readonly toolName: string; readonly input: unknown }[]
  readonly fail?: { readonly code: ModelErrorCode; readonly afterWords: number }
  /** Between words, ms. */
  readonly slowMs: number
}

/**
 * The script is the newest user message with script lines; the number of assistant messages after it is the number of
 * completed steps. `undefined` without a script, or at its end.
 */
function dueStep(messages: readonly AnyMessage[]): ScriptStep | undefined {
  const at = messages.findLastIndex((message) => message.role === 'user' && LINE.test(messageText(message)))
  const script = messages[at]
  if (!script) return undefined
  const done = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length
  return steps(messageText(script))[done]
}

const LINE = /^\/(?:call|say|fail|slow)\b/m

/**
 * `/say` lines are the text of a step, and the `/call` lines after them its parallel calls. A step ends with its
 * calls or with `/fail`. An invalid line becomes text that explains its syntax.
 */
function steps(script: string): readonly ScriptStep[] {
  const whole: ScriptStep[] = []
  let slowMs = 0
  let says: string[] = []
  let calls: ScriptStep['calls'] = []
  const end = (fail?: ScriptStep['fail']) => {
    if (says.length + calls.length > 0 || fail)
      whole.push({ text: says.join('\n'), calls, slowMs, ...(fail ? { fail } : {}) })
    says = []
    calls = []
  }
  for (const line of script.split(/\r\n|\n|\r/)) {
    const [, command = '', rest = ''] = /^\/(call|say|fail|slow)\b\s*(.*)$/.exec(line) ?? []
    if (command === '') continue
    if (command !== 'call' && calls.length > 0) end()
    const read = READERS[command as keyof typeof READERS](rest)
    if (typeof read === 'string') says.push(read)
    else if ('toolName' in read) calls = [...calls, read]
    else if ('code' in read) end(read)
    else slowMs = read.slowMs
  }
  end()
  return whole
}

type Read = string | ScriptStep['calls'][number] | NonNullable<ScriptStep['fail']> | { readonly slowMs: number }

const READERS: Readonly<Record<'call' | 'say' | 'fail' | 'slow', (rest: string) => Read>> = {
  say: (rest) => rest,
  call(rest) {
    const [, toolName, json = ''] = /^([\w.:-]+)\s*(.*)$/.exec(rest) ?? []
    const input = parseJson(json === '' ? '{}' : json)
    if (toolName && input !== undefined) return { toolName, input }
    return `A call is written /call tool {"name": "value"} on one line, with its input as JSON. This one is not: /call ${rest}`
  },
  fail(rest) {
    const [, code, words = '0'] = /^(\S+)(?:\s+(\d+))?$/.exec(rest.trim()) ?? []
    if (code && isCode(code)) return { code, afterWords: Number(words) }
    return `A failure is written /fail code, or /fail code N to fail after N words, and the code is one of ${Object.keys(CODES).join(', ')}. This one is not: /fail ${rest}`
  },
  slow(rest) {
    if (/^\d{1,5}$/.test(rest.trim())) return { slowMs: Number(rest) }
    return `A pause between words is written /slow N, in milliseconds, at most five digits. This one is not: /slow ${rest}`
  },
}

const CODES: Readonly<Record<ModelErrorCode, true>> = {
  'context-overflow': true,
  'prompt-truncated': true,
  'rate-limit': true,
  quota: true,
  auth: true,
  'model-not-found': true,
  'bad-request': true,
  'unexpected-answer': true,
  'unsupported-parameter': true,
  server: true,
  timeout: true,
  network: true,
  'content-filter': true,
  cancelled: true,
}

function isCode(code: string): code is ModelErrorCode {
  return Object.hasOwn(CODES, code)
}

function messageText({ content }: AnyMessage): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
