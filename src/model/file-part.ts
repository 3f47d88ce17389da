import type { LanguageModelV4FilePart, LanguageModelV4TextPart, SharedV4FileData } from '@ai-sdk/provider'
import type { UserMessage } from '../context.ts'

type UserPart = Exclude<UserMessage['content'], string>[number]
type MediaPart = Extract<UserPart, { type: 'image' | 'file' }>

/** An image or file as the AI SDK's language models read it. A file that is text becomes that text. */
export function filePart(part: MediaPart): LanguageModelV4FilePart | LanguageModelV4TextPart {
  const mediaType = part.mediaType ?? 'image'
  const filename = part.type === 'file' ? part.filename : undefined
  const data = fileData(part.type === 'image' ? part.image : part.data)
  if (data.type === 'text') return { type: 'text', text: data.text }
  return { type: 'file', mediaType, data, ...(filename === undefined ? {} : { filename }) }
}

/** Bytes, base64, `data:` and web addresses, and the AI SDK's tagged forms, also after a round trip through JSON. */
function fileData(data: unknown): SharedV4FileData {
  if (typeof data === 'string') return stringData(data)
  if (data instanceof URL) return { type: 'url', url: data }
  if (data instanceof Uint8Array) return { type: 'data', data }
  if (data instanceof ArrayBuffer) return { type: 'data', data: new Uint8Array(data) }
  const tagged = data as { type?: unknown; data?: unknown; url?: unknown; text?: unknown; reference?: unknown }
  if (tagged.type === 'data' && tagged.data !== undefined) return fileData(tagged.data)
  if (tagged.type === 'url' && typeof tagged.url === 'string') return { type: 'url', url: new URL(tagged.url) }
  if (tagged.type === 'url' && tagged.url instanceof URL) return { type: 'url', url: tagged.url }
  if (tagged.type === 'text' && typeof tagged.text === 'string') return { type: 'text', text: tagged.text }
  const reference = tagged.type === 'reference' ? tagged.reference : data
  return { type: 'reference', reference: reference as Record<string, string> }
}

function stringData(text: string): SharedV4FileData {
  const inline = /^data:[^,]*;base64,/.exec(text)
  if (inline) return { type: 'data', data: text.slice(inline[0].length) }
  return /^https?:\/\//.test(text) ? { type: 'url', url: new URL(text) } : { type: 'data', data: text }
}
