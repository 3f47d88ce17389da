import { z } from 'zod'
import { type CompletionInput, type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import {
  composedNote,
  noteIndex,
  noteInstruction,
  noteWordsWithin,
  rewordedNote,
  toolCalls,
  wordsFault,
} from '../../../context.ts'
import { collectAnswer, CONFIGURED_MODEL, ignoredHeader, json, namingHeaders } from '../../../server.ts'
import { UNREPORTED_USAGE, type Usage } from '../../../wire.ts'
import { forewordField, openaiUsage } from '../http/openai-answer.ts'
import type { KeptResponses } from './kept-responses.ts'
import { asResponses } from './response-builder.ts'
import { type OutsideInput, outsideInput } from './response-source.ts'
import { noteContent, ownNote } from './response-tools.ts'
import { responseBody, responseId, type ResponseItem } from './response-schema.ts'

/** What is done with a conversation outside sessions beside answering it: it is counted, or compacted. */
export function conversationRoutes(runtime: Runtime, kept: KeptResponses): readonly Route[] {
  return [
    route('POST /v1/responses/input_tokens', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Counts the prompt tokens of a request outside sessions, and sends nothing',
      description: 'Estimated by the counter of the gateway, corrected by what the provider reported of earlier calls.',
      holdsFiles: true,
      body: responseBody,
      answers: jsonAnswer('The count', z.looseObject({ input_tokens: z.number() })),
      handle: async ({ body, request, caller }) => {
        const { completion, ignored } = await outsideInput({ runtime, kept }, body, { request, caller }).catch(
          asResponses,
        )
        const { tokens } = await runtime.completionSize(completion).catch(asResponses)
        return json({ object: 'response.input_tokens', input_tokens: tokens }, 200, ignoredHeader(ignored))
      },
    }),
    route('POST /v1/responses/compact', {
      scope: 'talk',
      tag: 'openai',
      summary: 'Puts a note in the place of a conversation outside sessions',
      description:
        'What the answer lists stands in the place of the conversation: its messages of people and instructions, and a note of the model ' +
        'on all of it, with an index of what it held. A note that came with the conversation is in the new one.',
      holdsFiles: true,
      body: responseBody,
      answers: jsonAnswer('Items for the next `input`', z.looseObject({})),
      handle: async ({ body, request, caller }) => {
        const input = await outsideInput({ runtime, kept }, body, { request, caller }).catch(asResponses)
        const { answer, headers } = await compacted(runtime, input, request.signal).catch(asResponses)
        return json(answer, 200, { ...ignoredHeader(input.ignored), ...headers })
      },
    }),
  ]
}

/**
 * A conversation outside sessions in fewer items: what people said and instructions as they are, and behind them a note, as cuts of
 * sessions make it: words of the model, which is asked here, and an index. An answer that is no note leaves the index.
 */
async function compacted(runtime: Runtime, { completion, items }: OutsideInput, signal: AbortSignal) {
  const { messages } = completion
  const notes = items.filter((item) => ownNote(item) !== undefined)
  const about = { from: '', to: '', turns: messages.filter(({ role }) => role === 'user').length }
  const index = noteIndex([{ messages: messages.map((message) => ({ message })) }], MOST_INDEX)
  const note = composedNote(about, { words: undefined, index, reader: undefined })
  const answer = collectAnswer({}, completion.model ?? CONFIGURED_MODEL)
  const input = noteInput(completion, (await runtime.model(completion.model)).facts.maxOutput, notes.length > 0)
  if (input) for await (const event of runtime.complete({ ...input, signal })) answer.note(event)
  const { text, finish, calls } = answer.said
  const isNote = finish?.reason === 'stop' && wordsFault(text, 0, 0) === undefined
  const names = answer.names()
  const key = calls[0] ?? runtime.store.clock.newId('call')
  const created = Math.floor(runtime.store.clock.now() / 1000)
  const kept = items.flatMap((item, at) => keptItem(item, `msg_${key}_${at}`))
  const content = noteContent(isNote ? rewordedNote(note, text, key).text : note.text)
  return {
    headers: calls.length === 0 ? {} : namingHeaders(names),
    answer: {
      id: responseId(key),
      object: 'response.compaction',
      created_at: created,
      // Words say what the notes before them say; an index does not.
      output: [...kept, ...(isNote ? [] : notes), { id: `cmp_${key}`, type: 'compaction', encrypted_content: content }],
      usage: openaiUsage(finish?.usage, SIDES, 0) ?? openaiUsage(NOTHING, SIDES, 0),
      foreword: await forewordField(runtime, names, { calls, citations: [] }),
    },
  }
}

const SIDES = ['input', 'output'] as const
const NOTHING: Usage = { ...UNREPORTED_USAGE, promptTokens: 0, outputTokens: 0 }

/** Characters. */
const MOST_INDEX = 1_400

/** What the model is asked; `undefined` where its longest answer is too short for a note. */
function noteInput(completion: CompletionInput, longest: number, folds: boolean): CompletionInput | undefined {
  const most = noteWordsWithin(longest)
  if (most === undefined) return undefined
  const { parameters: _parameters, tools = [], messages, ...same } = completion
  const offered = new Set(tools.map(({ name }) => name))
  const called = new Set(messages.flatMap((message) => toolCalls(message).map(({ toolName }) => toolName)))
  // Some providers refuse calls of tools that are not offered.
  const missing = [...called].filter((name) => !offered.has(name))
  const all = [...tools, ...missing.map((name) => ({ name, inputSchema: { type: 'object', properties: {} } }))]
  return {
    cut: 'auto',
    ...same,
    messages: [...messages, { role: 'user', content: noteInstruction(Math.round(most * WORDS_PER_TOKEN), folds) }],
    ...(all.length === 0 ? {} : { tools: all, toolChoice: 'none' }),
    maxOutputTokens: Math.min(longest, Math.max(most * 2, LEAST_ANSWER)),
    answerRoom: 'left',
  }
}

/** Some models think before they write. */
const LEAST_ANSWER = 4_000
const WORDS_PER_TOKEN = 0.7

function keptItem(item: ResponseItem, id: string): readonly ResponseItem[] {
  const { type, role, content } = item
  if ((type ?? 'message') !== 'message' || role === 'assistant') return []
  const parts = Array.isArray(content) ? content : [{ type: 'input_text', text: content }]
  const whole = parts.map((part: ResponseItem) => (part.type === 'input_image' ? { detail: 'auto', ...part } : part))
  return [{ ...item, id: item.id ?? id, type: 'message', status: 'completed', content: whole }]
}
