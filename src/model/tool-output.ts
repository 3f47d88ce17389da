import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { outputText, type ToolOutput } from '../context.ts'
import { filePart } from './file-part.ts'

/**
 * A tool's output as the AI SDK's language models read it. Media in older forms are brought into the current one. A wire
 * that takes only texts as results would be sent the JSON of the parts, bytes and all: it is given their words (`rich` is false).
 */
export function toolOutput(output: ToolOutput, rich: boolean): LanguageModelV4ToolResultOutput {
  if (output.type !== 'content') return output
  return rich ? { type: 'content', value: output.value.map(contentPart) } : { type: 'text', value: outputText(output) }
}

type ContentPart = Extract<ToolOutput, { type: 'content' }>['value'][number]
type WirePart = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>['value'][number]

function contentPart(part: ContentPart): WirePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'custom':
      return part
    case 'file':
      return filePart(part)
    case 'file-data':
    case 'image-data':
      return filePart({ type: 'file', mediaType: part.mediaType, data: part.data })
    case 'file-url':
    case 'image-url':
      return filePart({ type: 'file', mediaType: mediaTypeOf(part), data: new URL(part.url) })
    default:
      return { type: 'text', text: `[${part.type}]` }
  }
}

function mediaTypeOf(part: { readonly type: string; readonly mediaType?: string }): string {
  return part.mediaType ?? (part.type === 'image-url' ? 'image' : 'application/octet-stream')
}
