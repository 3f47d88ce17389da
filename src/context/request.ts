import type { AssemblyLayout } from './layout.ts'
import { type AnyMessage, type Message, userMessage } from './message.ts'
import { sumTokens } from './priced-turn.ts'
import type { Section } from './section.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** What is sent, in canonical order. */
export interface Request {
  readonly tools: readonly ToolDefinition[]
  readonly system?: string
  /** Not `readonly Message[]`, so that AI SDK calls accept it as it is. */
  readonly messages: Message[]
}

/** A part of a request that stays or changes as a whole: a tool, a layer of the system text, a message. */
export interface Piece {
  /** Index of the manifest entry that it belongs to. */
  readonly entry: number
  readonly tokens: number
  readonly content: ToolDefinition | string | AnyMessage
  /** Where several entries share one message: the text of each, including the first. */
  readonly joined?: readonly { readonly entry: number; readonly text: string }[]
}

/** Turns the account back into what is sent, piece by piece. */
export function buildRequest(
  { layout, tools = [] }: { layout: AssemblyLayout; tools?: readonly ToolDefinition[] },
  sections: readonly Section[],
): { request: Request; pieces: readonly Piece[] } {
  const sentTools = tools.map(({ name, description, inputSchema, strict }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
    ...(strict === undefined ? {} : { strict }),
  }))
  const pieces: Piece[] = sentTools.map((content, entry) => ({ entry, tokens: sections[entry]!.entry.tokens, content }))
  const messages: Message[] = []
  const systemTexts: { layer: string; text: string }[] = []
  const last: number[] = []
  for (const [index, section] of sections.entries()) {
    if (section.entry.slot === 'after-input') {
      if (section.messages.length > 0) last.push(index)
      continue
    }
    for (const { message, tokens } of section.messages) {
      if (section.entry.slot === 'system') {
        const text = sentText(message)
        systemTexts.push({ layer: section.entry.layer, text })
        pieces.push({ entry: index, tokens, content: text })
      } else {
        messages.push(message)
        pieces.push({ entry: index, tokens, content: message })
      }
    }
  }
  if (last.length > 0) {
    const joined = last.map((entry) => ({
      entry,
      text: sections[entry]!.messages.map(({ message }) => sentText(message)).join('\n\n'),
    }))
    const message = userMessage(joined.map(({ text }) => text).join('\n\n'))
    const tokens = sumTokens(last.map((entry) => sections[entry]!.entry))
    messages.push(message)
    pieces.push({ entry: last[0]!, tokens, content: message, joined })
  }
  const system = systemText(systemTexts, layout)
  return { request: { tools: sentTools, ...(system === undefined ? {} : { system }), messages }, pieces }
}

function systemText(texts: readonly { layer: string; text: string }[], layout: AssemblyLayout): string | undefined {
  if (texts.length === 0) return undefined
  const { ownSpacing } = layout
  if (!ownSpacing) return texts.map(({ text }) => text).join('\n\n')
  return texts.map(({ layer, text }) => (ownSpacing.includes(layer) ? text : `${text.trim()}\n\n`)).join('')
}

function sentText(message: Message): string {
  return typeof message.content === 'string' ? message.content : ''
}
