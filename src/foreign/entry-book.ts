import {
  type AnyMessage,
  exactLine,
  includedSection,
  type ManifestEntry,
  omittedSection,
  type Origin,
} from '../context.ts'
import { commandFields, targetFields } from './recognisers/general.ts'
import type { TextSection } from './sections.ts'
import { type WirePart, textOf } from '../wire.ts'
import { fieldsOf, redactSecrets, elementsOf } from '../platform.ts'

/** A part of a text, and its tokens. */
export interface PricedSection extends TextSection {
  readonly tokens: number
}

export function entryBook() {
  const entries: Draft[] = []
  const byKey = new Map<string, number>()
  const calls = new Map<string, { readonly tool: string; readonly target: string | undefined }>()
  const turns = turnCount()
  /** Tools by which a program keeps what its provider has a type of tool for: Anthropic's memory. */
  const memories = new Set<string>()
  /** The newest name of each layer. */
  const newest = new Map<string, string>()
  let isPastSystem = false

  const draft = (about: Omit<Draft, 'tokens'>, key?: string): number => {
    const known = key === undefined ? undefined : byKey.get(key)
    if (known !== undefined) return known
    const index = entries.push({ ...about, tokens: 0 }) - 1
    if (key !== undefined) byKey.set(key, index)
    return index
  }

  const textEntry = (part: WirePart, section: PricedSection): number => {
    const { layer, continues } = section
    const name = section.name ?? (continues && layer !== undefined ? newest.get(layer) : undefined)
    const ofLayer = (own: string) => ({
      layer: own,
      id: name ?? own,
      name,
      origin: ofText(section.origin ?? 'operator', name ?? own),
    })
    if (layer !== undefined && name !== undefined) newest.set(layer, name)
    if (part.field !== undefined) {
      const origin: Origin = { kind: 'operator', ref: part.field }
      if (part.leads) return draft({ layer: 'answer-format', id: 'answer-format', slot: 'system', origin })
      return draft({ layer: 'other', id: `field-${idText(part.field)}`, slot: 'after-input', origin })
    }
    if (part.role === 'system' && (part.leads || turns.isBefore())) {
      const own = layer ?? (part.kind === 'other' ? 'other' : 'system-prompt')
      return draft({ ...ofLayer(own), slot: isPastSystem ? 'preamble' : 'system' })
    }
    if (layer !== undefined && (part.role === 'user' || part.role === 'system')) {
      const slot = turns.isBefore() ? 'preamble' : undefined
      isPastSystem ||= slot !== undefined
      const turn = slot ? undefined : turns.pending()
      // Equal ones of a turn are one.
      const key = turn && `${layer} ${turn.number} ${name ?? ''}`
      return draft({ ...ofLayer(layer), slot, turn }, key)
    }
    if (part.role === 'system') return draft({ ...ofLayer('system-message'), turn: turns.pending() })
    const turn = part.role === 'user' && part.kind !== 'other' ? turns.asked() : turns.answered()
    if (part.kind === 'other') {
      const kind = part.role === 'assistant' ? 'model' : part.role === 'tool' ? 'tool' : 'user'
      return draft({ layer: 'other', id: 'other', turn, origin: ofText(kind, 'other') })
    }
    return draft({ layer: 'turn', id: '', turn, origin: { kind: 'user', ref: '' } }, `turn ${turn.number}`)
  }

  const entryOf = (part: WirePart, section: PricedSection): number => {
    switch (part.kind) {
      case 'tool': {
        const { type } = fieldsOf(part.content)
        if (typeof type === 'string' && /^memory_\d{8}$/.test(type)) memories.add(part.tool!)
        return draft(ofTool(part))
      }
      case 'reasoning': {
        const turn = turns.answered()
        return draft(
          { layer: 'reasoning', id: 'reasoning', turn, origin: { kind: 'model', ref: 'reasoning' } },
          `reasoning ${turn.number}`,
        )
      }
      case 'call': {
        const target = callTarget(part.tool!, part.input)
        calls.set(part.call!, { tool: part.tool!, target })
        return draft({
          layer: 'tool-call',
          id: `call-${idText(part.call!)}`,
          name: target,
          turn: turns.answered(),
          origin: { kind: 'model', ref: part.tool! },
        })
      }
      case 'result':
      case 'media':
        return part.role === 'tool'
          ? resultEntry(part, section)
          : draft({ layer: 'image', id: 'image', turn: turns.asked(), origin: { kind: 'user', ref: 'image' } })
      default:
        return textEntry(part, section)
    }
  }

  const resultEntry = (part: WirePart, { layer, name, origin }: PricedSection): number => {
    const turn = turns.answered()
    if (layer !== undefined)
      return draft({ layer, id: name ?? layer, name, turn, origin: ofText(origin ?? 'operator', name ?? layer) })
    const call = calls.get(part.call!)
    const ref = call?.tool ?? 'unknown'
    if (part.kind === 'media')
      return draft({ layer: 'image', id: 'image', name: call?.target, turn, origin: { kind: 'tool', ref } })
    const kind = memories.has(ref) ? 'memory' : 'tool-result'
    return draft(
      { layer: kind, id: idText(part.call!), name: call?.target, turn, origin: { kind: 'tool', ref } },
      `result ${turn.number} ${part.call!}`,
    )
  }

  return {
    /** What a part says, with the name of the tool where a result answers a call that was read before. */
    content(part: WirePart) {
      const tool = part.role === 'tool' && part.call !== undefined ? calls.get(part.call)?.tool : undefined
      return tool === undefined ? part.content : withTool(part.content as AnyMessage, tool)
    },
    /** Adds the sections of a part. Returns the index of the entry of each. */
    add(part: WirePart, sections: readonly PricedSection[]) {
      return sections.map((section) => {
        const index = entryOf(part, section)
        entries[index]!.tokens += section.tokens
        return index
      })
    },
    /** The account of all of them, in reading order. */
    close() {
      const last = turns.close()
      const used = new Map<string, number>()
      return entries.map((each) => closed(each, last, used))
    },
  }
}

interface Draft {
  readonly layer: string
  /** Within its turn, or in the request. */
  readonly id: string
  readonly name?: string | undefined
  readonly slot?: ManifestEntry['slot'] | undefined
  readonly turn?: { readonly number: number } | undefined
  readonly origin: Origin
  readonly deferred?: true
  tokens: number
}

function closed(draft: Draft, last: number, used: Map<string, number>): { readonly entry: ManifestEntry } {
  const { layer, turn, tokens, deferred } = draft
  const within = turn ? `turn-${turn.number}${draft.id === '' ? '' : `/${draft.id}`}` : draft.id
  let id = within
  for (let count = used.get(`${layer} ${within}`) ?? 1; used.has(`${layer} ${id}`); count += 1) {
    id = `${within}-${count + 1}`
    used.set(`${layer} ${within}`, count + 1)
  }
  used.set(`${layer} ${id}`, 1)
  const slot = draft.slot ?? (turn!.number === last ? ('input' as const) : ('history' as const))
  const origin = layer === 'turn' ? { kind: 'user' as const, ref: id } : draft.origin
  const named = draft.name === undefined ? {} : { name: exactLine(draft.name) }
  const about = { id, layer, ...named, slot, origin }
  if (!deferred) return includedSection({ ...about, form: 'full', tokens }, [])
  return omittedSection({ ...about, fullTokens: tokens, reason: { code: 'deferred' } })
}

function turnCount() {
  let number = 0
  let isAnswered = true
  let waiting: { number: number }[] = []
  const settle = (): void => {
    for (const mark of waiting) mark.number = Math.max(1, number)
    waiting = []
  }
  return {
    /** Whether no turn has begun. */
    isBefore: () => number === 0,
    /** The turn of what a person says: a new one where the last one was answered. */
    asked() {
      if (isAnswered) number += 1
      isAnswered = false
      settle()
      return { number }
    },
    /** The turn of what a model or a tool says. */
    answered() {
      if (number === 0) number = 1
      isAnswered = true
      settle()
      return { number }
    },
    /** The turn of what is said beside the words of a person: the next one, if those follow before an answer does. */
    pending() {
      const mark = { number }
      waiting.push(mark)
      return mark
    },
    /** The number of the last turn. */
    close() {
      settle()
      return Math.max(1, number)
    },
  }
}

const mcpName = /^mcp__(?<server>.+?)(?:__|\.|$)/

function ofTool({ tool = 'tool', deferred, content }: WirePart): Omit<Draft, 'tokens'> {
  const { type, server_label: label } = fieldsOf(content)
  const server = mcpName.exec(tool)?.groups?.['server'] ?? (type === 'mcp' ? textOf(label) : undefined)
  const layer = server === undefined ? 'tool' : `mcp-${idText(server)}`
  const origin: Origin = server === undefined ? { kind: 'operator', ref: tool } : { kind: 'tool', ref: server }
  return { layer, id: idText(tool), slot: 'tools', origin, ...(deferred ? { deferred } : {}) }
}

function ofText(kind: Origin['kind'], ref: string): Origin {
  return { kind, ref: exactLine(ref) }
}

/** The most characters of an id, or of what a call is about, that others chose. */
const LONGEST = 120

function idText(id: string): string {
  return exactLine(id.slice(0, LONGEST).toWellFormed())
}

/** Results with the names of their tools: one that comes back in the next body is the same object. */
const namedResults = new WeakMap<AnyMessage, { readonly toolName: string; readonly message: AnyMessage }>()

function withTool(message: AnyMessage, toolName: string): AnyMessage {
  if (message.role !== 'tool') return message
  const known = namedResults.get(message)
  if (known?.toolName === toolName) return known.message
  const content = message.content.map((part) => (part.type === 'tool-result' ? { ...part, toolName } : part))
  const named = { ...message, content }
  namedResults.set(message, { toolName, message: named })
  return named
}

/** What a call is about, as people call it: a path, a command, an address. `undefined` where it names none. Keys in a command are not shown. */
function callTarget(tool: string, input: unknown): string | undefined {
  const plain = tool.slice(tool.lastIndexOf('.') + 1)
  // The first file of a patch in the form of apply_patch.
  const patched = (textOf(input) ?? textOf(fieldsOf(input)['input']) ?? '').slice(0, SEARCHED)
  const file = /^\*\*\* (?:Update|Add|Delete) File: (?<file>[^\n]{1,400})/m.exec(patched)?.groups?.['file']
  if (file !== undefined) return shown(file)
  for (const [field, of] of targetFields) {
    const value = of && !of.test(plain) ? undefined : valueOf(fieldsOf(input)[field])
    if (value === undefined || value.trim() === '') continue
    return shown((commandFields.has(field) ? readFile(value) : undefined) ?? value)
  }
  return undefined
}

/** A text, or the command of an argument list: the last argument of a shell is the whole of it. */
function valueOf(value: unknown): string | undefined {
  // Cline reads several files at once.
  const words = elementsOf(value).map((word) => textOf(word) ?? textOf(fieldsOf(word)['path']))
  if (words.length === 0) return textOf(value)
  if (!words.every((word): word is string => typeof word === 'string')) return undefined
  return /(?:^|\/)(?:ba|z|da)?sh$/.test(words[0]!) ? words.at(-1) : words.join(' ')
}

const reading = /^\s*(?:cat|nl|bat|less|more|head|tail|type|Get-Content|sed)\b(?<rest>[^|;&<>`$\n]{1,400})$/

/** The file that a command prints and nothing else; `undefined` for any other command. */
function readFile(command: string): string | undefined {
  const rest = reading.exec(command.slice(0, 500))?.groups?.['rest']
  if (rest === undefined || command.length > 500) return undefined
  const words = rest.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  const files = words.filter((word) => !/^(?:-.*|['"]?[\d,$+]+p?['"]?)$/.test(word))
  return files.length === 1 ? files[0]!.replaceAll(/^['"]|['"]$/g, '') : undefined
}

/** Characters of a patch in which its file is looked for. */
const SEARCHED = 4_000

function shown(text: string): string {
  const line = redactSecrets(exactLine(text.slice(0, 2 * LONGEST).toWellFormed()), [])
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line
}
