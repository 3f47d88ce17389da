import type { ScriptedRequest } from '../../src/testing/scripted-provider-answer.ts'

/** What a body holds besides system text and tools: the characters of its texts and calls, and its images. */
export interface WireContent {
  /** Without line breaks, which some wires put between two texts. */
  readonly characters: number
  readonly texts: readonly string[]
  readonly images: number
  /** Of these, in results of tools. */
  readonly resultImages: number
}

/** Takes the messages of a body apart, on every wire that there is a provider for. */
export function wireContent({ body }: Pick<ScriptedRequest, 'body'>): WireContent {
  const texts: string[] = []
  let images = 0
  let resultImages = 0
  let inResult = false
  const read = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value)) value.forEach(read)
    else if (typeof value === 'object' && value !== null) readPart(value)
  }
  const readPart = (part: Part): void => {
    if (part.role === 'system') return
    if (IMAGES.has(part.type ?? '')) {
      images += 1
      if (inResult) resultImages += 1
    }
    images += part.images?.length ?? 0
    if (part.type === 'tool_use') texts.push(JSON.stringify(part.input))
    for (const call of part.tool_calls ?? []) texts.push(jsonOf(call.function.arguments))
    if (part.type === 'function_call') texts.push(jsonOf(part.arguments))
    read(part.text)
    const outside = inResult
    inResult ||= part.type === 'tool_result' || part.type === 'function_call_output'
    read(part.content)
    read(part.output)
    inResult = outside
  }
  read(body['messages'] ?? body['input'])
  return { texts, images, resultImages, characters: texts.join('').replaceAll('\n', '').length }
}

const IMAGES = new Set(['image_url', 'input_image', 'image'])

interface Part {
  readonly type?: string
  readonly role?: string
  readonly text?: unknown
  readonly content?: unknown
  readonly output?: unknown
  readonly images?: readonly unknown[]
  readonly input?: unknown
  readonly arguments?: unknown
  readonly tool_calls?: readonly { readonly function: { readonly arguments: unknown } }[]
}

function jsonOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
