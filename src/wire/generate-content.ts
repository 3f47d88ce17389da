import { elementsOf, fieldsOf, isObject } from '../platform.ts'
import type { AnswerDraft } from './answer-draft.ts'
import { failureAlone, failureIn, type FormatReader } from './answer-stream.ts'
import {
  callPart,
  countOf,
  jsonOf,
  type JsonFields,
  mediaAt,
  mediaPart,
  opened,
  otherPart,
  otherResult,
  placed,
  reasoningPart,
  restParts,
  resultMediaPart,
  resultPart,
  textOf,
  textPart,
  toolPart,
  unread,
  type WireMedia,
  type WirePart,
  type WireRole,
} from './part.ts'

/** The parts of a body of Gemini's generateContent, in the order in which the model reads them; also of a body for a count. */
function* partsOf(body: JsonFields): Generator<WirePart> {
  const { tools, systemInstruction, contents, generationConfig, generateContentRequest } = camelCased(body)
  for (const tool of elementsOf(tools)) yield* readTools(tool)
  const { responseSchema, responseJsonSchema = responseSchema } = camelCased(generationConfig)
  if (responseJsonSchema) yield { ...otherPart('system', responseJsonSchema), leads: true, field: 'format' }
  const lead = typeof systemInstruction === 'string' ? { parts: [{ text: systemInstruction }] } : systemInstruction
  for (const part of lead ? readParts('system', lead, idsOf()) : []) yield { ...part, leads: true, opens: true }
  const ids = idsOf()
  for (const [at, value] of elementsOf(contents).entries()) yield* placed(readContent(value, ids), `contents.${at}`)
  if (generateContentRequest) yield* partsOf(fieldsOf(generateContentRequest))
}

/** Servers read the names of fields in both forms: `inlineData` and `inline_data`. */
function camelCased(value: unknown): JsonFields {
  const fields = fieldsOf(value)
  if (!Object.keys(fields).some((name) => name.includes('_'))) return fields
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, each]) => [name.replaceAll(/_[a-z]/g, (it) => it[1]!.toUpperCase()), each]),
  )
}

/** Declared functions, and tools of the provider by their names. */
function readTools(value: unknown): readonly WirePart[] {
  const { functionDeclarations, ...others } = camelCased(value)
  const functions = elementsOf(functionDeclarations).map((each) => {
    const { name, description, parameters, parametersJsonSchema = parameters, ...more } = camelCased(each)
    const definition = {
      name: textOf(name) ?? 'tool',
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema: fieldsOf(parametersJsonSchema),
    }
    return toolPart(definition, isObject(each) ? (unread(more, []) ?? {}) : { value: each })
  })
  const own = Object.entries(others).map(([name, each]) => toolPart({ name, inputSchema: {} }, { value: each }))
  return isObject(value) ? [...functions, ...own] : [toolPart({ name: 'tool', inputSchema: {} }, { value })]
}

const roles: ReadonlyMap<unknown, WireRole> = new Map([
  ['user', 'user'],
  ['model', 'assistant'],
  ['function', 'user'],
  ['system', 'system'],
  [undefined, 'user'],
])

function readContent(value: unknown, ids: CallIds): readonly WirePart[] {
  const role = isObject(value) ? roles.get(value['role']) : undefined
  return role === undefined ? opened([otherPart('user', value)], 'user') : opened(readParts(role, value, ids), role)
}

function readParts(role: WireRole, value: unknown, ids: CallIds): readonly WirePart[] {
  const content = fieldsOf(value)
  const { parts } = content
  const all = Array.isArray(parts) || parts === undefined || parts === null ? elementsOf(parts) : [parts]
  return [
    ...all.flatMap((part, at) => placed(readPart(role, part, ids), `parts.${at}`)),
    ...restParts(role, unread(content, ['role', 'parts'])),
  ]
}

function readPart(role: WireRole, value: unknown, ids: CallIds): readonly WirePart[] {
  const part = camelCased(value)
  const { text, thought, thoughtSignature, functionCall, functionResponse } = part
  const sealed = textOf(thoughtSignature)
  const media = mediaOf(part)
  const read = { keys: ['thought', 'thoughtSignature'], parts: [] as readonly WirePart[] }
  if (typeof text === 'string') {
    read.keys.push('text')
    read.parts = thought === true ? [reasoningPart(text, sealed)] : [textPart(role, text)]
  } else if (isObject(functionCall)) {
    read.keys.push('functionCall')
    read.parts = readCall(functionCall, ids)
  } else if (isObject(functionResponse)) {
    read.keys.push('functionResponse')
    read.parts = readResult(functionResponse, ids)
  } else if (media) {
    read.keys.push('inlineData', 'fileData')
    read.parts = [mediaPart(media)]
  } else if (sealed === undefined || Object.keys(part).length > 1) return [otherPart(role, value)]
  // What only the provider can read of its reasoning comes with whatever it said next.
  const opaque = sealed !== undefined && thought !== true ? [reasoningPart('', sealed)] : []
  return [...opaque, ...read.parts, ...restParts(role, unread(part, read.keys))]
}

/** Calls and results without an id belong together in their order, those of each function by themselves. */
type CallIds = ReturnType<typeof idsOf>

function idsOf() {
  const counts = new Map<string, number>()
  return (kind: 'call' | 'result', name: string, given: unknown): string => {
    if (typeof given === 'string' && given !== '') return given
    const key = `${kind} ${name}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return `${name}-${counts.get(key)}`
  }
}

function readCall(call: JsonFields, ids: CallIds): readonly WirePart[] {
  const name = textOf(call['name'])
  if (!name) return [otherPart('assistant', { functionCall: call })]
  const more = restParts('assistant', unread(call, ['id', 'name', 'args']))
  return [callPart(ids('call', name, call['id']), name, call['args'] ?? {}), ...more]
}

function readResult(given: JsonFields, ids: CallIds): readonly WirePart[] {
  const result = camelCased(given)
  const id = ids('result', textOf(result['name']) ?? '', result['id'])
  const { error } = fieldsOf(result['response'])
  const media = elementsOf(result['parts']).flatMap((value, at) => {
    const found = mediaOf(camelCased(value))
    return placed([found ? resultMediaPart(id, found) : otherResult(id, value)], `functionResponse.parts.${at}`)
  })
  const more = restParts('tool', unread(result, ['id', 'name', 'response', 'parts']))
  return [resultPart(id, resultText(result['response']), typeof error === 'string'), ...media, ...more]
}

/** A text alone, such as `{"output": "…"}`, is what a function answered; anything else is read as JSON. */
function resultText(response: unknown): string {
  const field = answerField(response)
  if (field !== undefined) return fieldsOf(response)[field] as string
  return response === undefined || response === null ? '' : (textOf(response) ?? jsonOf(response))
}

/** The field with the text that a function answered, where it answered nothing else. */
export function answerField(response: unknown): string | undefined {
  const [[name, only] = [], ...others] = Object.entries(fieldsOf(response))
  const isText = others.length === 0 && typeof only === 'string'
  return isText && /^(?:output|result|content|error)$/.test(name!) ? name : undefined
}

/** Bytes in the part, or the address of a file that the provider keeps. */
function mediaOf(part: JsonFields): WireMedia | undefined {
  const [inline, file] = [camelCased(part['inlineData']), camelCased(part['fileData'])]
  const filename = textOf(inline['displayName']) ?? textOf(file['displayName'])
  const mediaType = textOf(inline['mimeType']) ?? textOf(file['mimeType']) ?? 'application/octet-stream'
  const [data, uri] = [textOf(inline['data']), textOf(file['fileUri'])]
  if (data !== undefined) {
    return { data, mediaType, field: 'inlineData.data', ...(filename === undefined ? {} : { filename }) }
  }
  return uri === undefined ? undefined : mediaAt(uri, mediaType, 'fileData.fileUri', filename)
}

/**
 * Adds a chunk of a stream, or a whole answer; also the answer to a count of tokens, and a cache that was made. Of several
 * candidates the first is the answer.
 */
function addAnswer(draft: AnswerDraft, given: JsonFields): void {
  const answer = camelCased(given)
  const cache = /(?:^|\/)cachedContents\//.test(textOf(answer['name']) ?? '')
  draft.set({
    model: answer['modelVersion'],
    id: cache ? answer['name'] : answer['responseId'],
    finish: camelCased(answer['promptFeedback'])['blockReason'],
  })
  const counted = countOf(cache ? camelCased(answer['usageMetadata'])['totalTokenCount'] : answer['totalTokens'])
  if (counted !== undefined) draft.report({ usage: { prompt_tokens: counted, completion_tokens: 0 } })
  for (const candidate of elementsOf(answer['candidates']).map(camelCased)) {
    const isFirst = (candidate['index'] ?? 0) === 0
    if (isFirst) draft.set({ finish: candidate['finishReason'] })
    for (const part of elementsOf(fieldsOf(candidate['content'])['parts'])) {
      const { text, thought, functionCall } = camelCased(part)
      if (!isFirst) draft.beside(text ?? jsonOf(functionCall))
      else if (thought === true) draft.addReasoning(text)
      else draft.addText(text)
      if (!isFirst || !isObject(functionCall)) continue
      const { id, name, args } = functionCall
      const key = String(draft.callCount())
      draft.call(key, { id, name })
      draft.addInput(key, jsonOf(args ?? {}))
    }
  }
}

/** Gemini's API and Vertex. */
export const generateContent: FormatReader = {
  fields: [
    'tools',
    'contents',
    'systemInstruction',
    'system_instruction',
    'generationConfig',
    'generation_config',
    'generateContentRequest',
    'generate_content_request',
  ],
  parts: partsOf,
  correction: () =>
    failureAlone((value, type) => {
      const error = failureIn(value, type)
      return error && { ...error, code: fieldsOf(value['error'])['status'] ?? error['code'] }
    }),
  asEvent: (answer) => answer,
  add: addAnswer,
}
