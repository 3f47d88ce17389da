import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import type { ToolOutput } from '../context.ts'
import { filePart } from './file-part.ts'

/** A tool's output as the AI SDK's language models read it. Media in older forms are brought into the current one. */
export function toolOutput(output: ToolOutput, images: boolean): LanguageModelV4ToolResultOutput {
  if (output.type !== 'content') return output
  return { type: 'content', value: output.value.map((part) => contentPart(part, images)) }
}

type ContentPart = Extract<ToolOutput, { type: 'content' }>['value'][number]
type WirePart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

function contentPart(part: ContentPart, images: boolean): WirePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'custom':
      return part
    case 'file':
      return filePart(part, images)
    case 'file-data':
    case 'image-data':
      return filePart({ type: 'file', mediaType: part.mediaType, data: part.data }, images)
    case 'file-url':
    case 'image-url':
      return filePart({ type: 'file', mediaType: mediaTypeOf(part), data: new URL(part.url) }, images)
    default:
      return { type: 'text', text: `[${part.type}]` }
  }
}

function mediaTypeOf(part: { readonly type: string; readonly mediaType?: string }): string {
  return part.mediaType ?? (part.type === 'image-url' ? 'image' : 'application/octet-stream')
}
