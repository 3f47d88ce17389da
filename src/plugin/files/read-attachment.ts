import type { Tool } from '../../tool.ts'
import { PAGE_CHARS, textPage } from '../text-page.ts'

/** A file that the session may read, with its text. */
export interface ReadableFile {
  readonly id: string
  readonly name: string
  text(): Promise<string | undefined>
}

/** `read_attachment`: pages through a file of the conversation that does not stand before the model, or not as a whole. */
export function readAttachmentTool(files: readonly ReadableFile[]): Tool {
  return {
    name: 'read_attachment',
    description: 'Read a file of this conversation by its id, page by page: "offset" and "limit" in characters.',
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1 },
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: PAGE_CHARS },
      },
      required: ['id'],
      additionalProperties: false,
    },
    idempotent: true,
    readsContext: true,
    origin: 'file',
    async execute(input) {
      const { id, offset = 0, limit = PAGE_CHARS } = input as { id: string; offset?: number; limit?: number }
      const file = files.find((each) => each.id === id)
      if (!file) return { ok: false, error: noSuchFile(id, files) }
      const text = await file.text()
      if (text === undefined) return { ok: false, error: `${file.name} has no text that could be read` }
      return { ok: true, output: textPage(text, offset, limit) }
    },
  }
}

/** What a model may ask for instead. */
export function noSuchFile(id: string, files: readonly ReadableFile[]): string {
  const shown = files.slice(0, 50).map((file) => `${file.id} (${file.name})`)
  return `there is no file ${id.slice(0, 100)} in this conversation; there are ${shown.join(', ') || 'none'}`
}
