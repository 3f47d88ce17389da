import type { Attachment, Head, AnnouncedHead, Layer, ToolDefinition } from '../../context.ts'
import { readReferredContent, type SessionStore } from '../../session.ts'

/** What a record keeps of a frozen head, besides the layers and tools that were sent. Texts are `sha256:` references. */
export interface HeadRecord {
  /** The pinned tools, where a call was sent without them. */
  readonly tools?: string
  readonly announced?: readonly AnnouncedRecord[]
}

interface AnnouncedRecord {
  readonly turn: string
  readonly messages: string
  readonly layers: readonly string[]
  readonly tools: string
}

/** What a call was sent with, beside its input. */
export interface FrozenParts {
  readonly announcements: readonly AnnouncedHead[]
  /** The pinned tools, where the call was sent without them. */
  readonly tools?: readonly ToolDefinition[] | undefined
}

/** Writes a value beside the log; `layers`: ids of the layers whose words are in it. */
type Put = (value: unknown, layers?: readonly string[]) => Promise<string>

/** The record of a frozen head; `undefined` where the layers and tools of the call say it all. */
export async function recordHead({ announcements, tools }: FrozenParts, put: Put): Promise<HeadRecord | undefined> {
  if (announcements.length === 0 && !tools) return undefined
  const announced = await Promise.all(
    announcements.map(async ({ turn, messages, head }): Promise<AnnouncedRecord> => ({
      turn,
      messages: await put(
        messages,
        messages.map(({ name }) => name),
      ),
      layers: await Promise.all(head.layers.map((layer) => put(layer, [layer.id]))),
      tools: await put(head.tools),
    })),
  )
  return { ...(tools ? { tools: await put(tools) } : {}), ...(announced.length > 0 ? { announced } : {}) }
}

/** The announcements that a call was sent with, above the files of their turns. */
export async function announcedMessages(
  head: HeadRecord | undefined,
  read: (reference: string) => Promise<unknown>,
): Promise<readonly Attachment[]> {
  const messages = (head?.announced ?? []).map(async (each) => (await read(each.messages)) as readonly Attachment[])
  return (await Promise.all(messages)).flat()
}

/** The layers, tools and announcements of a call; `undefined` where a part of them is gone. */
export async function restoreHead(
  store: Pick<SessionStore, 'content'>,
  { layers, tools, head }: { readonly layers: readonly string[]; readonly tools: string; readonly head?: HeadRecord },
): Promise<(Head & { readonly announcements: readonly AnnouncedHead[] }) | undefined> {
  const known = new Map<string, Promise<unknown>>()
  const get = (reference: string): Promise<unknown> => {
    const found = known.get(reference) ?? readJson(store, reference)
    known.set(reference, found)
    return found
  }
  const readHead = async (of: { readonly layers: readonly string[]; readonly tools: string }): Promise<Head> => ({
    layers: (await Promise.all(of.layers.map(get))) as readonly Layer[],
    tools: (await get(of.tools)) as readonly ToolDefinition[],
  })
  try {
    const announcements = await Promise.all(
      (head?.announced ?? []).map(async ({ turn, messages, ...rest }) => ({
        turn,
        messages: (await get(messages)) as readonly Attachment[],
        head: await readHead(rest),
      })),
    )
    return { ...(await readHead({ layers, tools: head?.tools ?? tools })), announcements }
  } catch (error) {
    if (error === gone) return undefined
    throw error
  }
}

const gone = new Error('a part of the head is gone')

async function readJson(store: Pick<SessionStore, 'content'>, reference: string): Promise<unknown> {
  const text = await readReferredContent(store, reference)
  if (text === undefined) throw gone
  return JSON.parse(text)
}
