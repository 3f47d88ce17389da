import type { Client } from '@modelcontextprotocol/client'

/** What a server says of its tools, unchecked. */
export interface ToolList {
  readonly tools: readonly unknown[]
  /** `false` where the list never came to an end. */
  readonly isAll: boolean
}

/** A list is followed no further. */
const MOST_PAGES = 64
const MOST_LISTED = 1_024

export async function listTools(client: Client, signal: AbortSignal, timeoutMs: number): Promise<ToolList> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], isAll: true }
  const tools: unknown[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES && tools.length < MOST_LISTED; pages++) {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } }
    const page = await client.request(request, anyPage, { signal, timeout: timeoutMs })
    tools.push(...page.tools)
    if (page.nextCursor === undefined || page.nextCursor === '') return { tools, isAll: true }
    cursor = page.nextCursor
  }
  return { tools, isAll: false }
}

interface Page {
  readonly tools: readonly unknown[]
  readonly nextCursor?: string
}

interface PageSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: unknown; readonly output: Page }
    validate(value: unknown): { readonly value: Page } | { readonly issues: readonly { readonly message: string }[] }
  }
}

/** The library's own check refuses a whole list for one broken tool; ours leaves out that tool, and later. */
const anyPage: PageSchema = {
  '~standard': {
    version: 1,
    vendor: 'foreword',
    validate(value) {
      const { tools, nextCursor } = (value ?? {}) as Record<string, unknown>
      if (!Array.isArray(tools)) return { issues: [{ message: 'a list of tools without tools' }] }
      return { value: { tools, ...(typeof nextCursor === 'string' && { nextCursor }) } }
    },
  },
}
