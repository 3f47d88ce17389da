import {
  type AssemblyInput,
  distinctTexts,
  exactLine,
  type ForeignText,
  foreignTexts,
  type Manifest,
  type Message,
  messageText,
  messageTexts,
  type ResultOrigins,
  textKey,
  type Turn,
} from '../../context.ts'
import { defined, isObject } from '../../platform.ts'
import type { CitationSource, Entry, EntryBody } from '../../session.ts'
import type { Taint, Tool } from '../../tool.ts'

/** What a turn has read of others since the person's message, call by call. */
export interface TurnTaint extends Taint {
  /** Notes what a call is about to read. Returns what no earlier call of the turn has read: the log keeps it. */
  assembled(call: {
    readonly input: Pick<AssemblyInput, 'layers' | 'history' | 'current'>
    readonly manifest: Manifest
    readonly messages: readonly Message[]
  }): readonly ForeignText[]
  /** Texts of others in settled turns, and those that are known already, each once: what a note on these turns is made of. */
  covered(turns: readonly Turn[], known: readonly ForeignText[]): readonly ForeignText[]
  /** Notes what the tools of a step have found, from what is written to the log about them. */
  noted(bodies: readonly EntryBody[]): void
}

/** The texts of others in the requests of a turn's calls. After a restart: what the log names, or else its messages and files. */
export function turnTaint(entries: readonly Entry[], tools: readonly Tool[]): TurnTaint {
  const ofTools = resultOrigins(tools)
  const plans = new Set(tools.filter(({ plan }) => plan !== undefined).map(({ name }) => name))
  /** Calls of the turn that never ran: what the model reads of them is a refusal, unless the tool failed to plan them. */
  const refused = new Set<string>()
  const origins: ResultOrigins = (call) =>
    refused.has(call.toolCallId) && !plans.has(call.toolName) ? [] : ofTools(call)
  const searches = new Set(tools.filter(isSearch).map(({ name }) => name))
  let texts: readonly ForeignText[] = []
  let step = 0
  const named = namedHosts()
  const found = new Set<string>()
  const calling = new Map<string, string>()

  function add(more: readonly ForeignText[]): readonly ForeignText[] {
    const before = new Set(texts.map(textKey))
    const added = distinctTexts(more).filter((text) => !before.has(textKey(text)))
    texts = [...texts, ...added.map((text) => ({ ...text, step: Math.max(step, 1) }))]
    return added
  }

  function noted(bodies: readonly EntryBody[]): void {
    for (const body of bodies) {
      if (body.type === 'tool-start') {
        calling.set(body.toolCallId, body.toolName)
        refused.delete(body.toolCallId)
      }
      if (body.type === 'tool-end' && !calling.has(body.toolCallId)) refused.add(body.toolCallId)
      if (body.type === 'tool-end' && searches.has(calling.get(body.toolCallId) ?? '')) {
        addFound(found, body.sources ?? [])
      }
    }
  }

  for (const entry of entries) {
    if (entry.type === 'assembly') {
      step += 1
      add(entry.foreign ?? [])
    }
    if (entry.type === 'input' || entry.type === 'edit') named.add(messageText(entry.message))
  }
  noted(entries)
  add([...attachedFiles(entries), ...messageTexts(readMessages(entries), origins)])

  return {
    get texts() {
      return texts
    },
    isNamed: (address) => found.has(spelled(address)) || named.has(address),
    assembled({ input, manifest, messages }) {
      step += 1
      for (const text of personsTexts(input)) named.add(text)
      const ofNotes = manifest.cut?.notes?.flatMap(({ foreign = [] }) => foreign) ?? []
      return add([...ofNotes, ...foreignTexts(manifest, messages, origins)])
    },
    covered: (turns, known) =>
      distinctTexts([
        ...known,
        ...turns.flatMap(({ messages }) =>
          messageTexts(
            messages.map(({ message }) => message),
            ofTools,
          ),
        ),
      ])
        .slice(-MOST_COVERED)
        .map(({ step: _step, ...text }) => text),
    noted,
  }
}

/** Texts of others that a note names: the newest. */
const MOST_COVERED = 20

/** A search gives addresses; what opens addresses gives pages. */
function isSearch({ origin, readsFrom }: Tool): boolean {
  return origin === 'web' && readsFrom === undefined
}

/** What results are made of, by the tools that there are: of a tool that is gone nothing is known but its name. */
function resultOrigins(tools: readonly Tool[]): ResultOrigins {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return ({ toolName, input }) => {
    const tool = byName.get(toolName)
    const kind = tool?.origin ?? 'tool'
    if (kind === 'operator' || kind === 'user' || kind === 'model') return []
    const refs = isObject(input) ? readRefs(tool, input) : []
    const owner = tool?.schemaOwner
    return (refs.length > 0 ? refs : [toolName]).map((ref) => ({ kind, ref, tool: toolName, ...defined({ owner }) }))
  }
}

/** A tool of a plugin may not expect every input. */
function readRefs(tool: Tool | undefined, input: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    return tool?.readsFrom?.(input) ?? []
  } catch {
    return []
  }
}

/** Files of the message. Texts and pictures are counted where they are sent, too. */
function attachedFiles(entries: readonly Entry[]): readonly ForeignText[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'input' && entry.type !== 'edit') return []
    return (entry.attachments ?? []).map(({ name }) => ({ kind: 'file', ref: exactLine(name) }) as const)
  })
}

/** The messages of the turn that a call has read: results of the newest step are read by the next one. */
function readMessages(entries: readonly Entry[]): readonly Message[] {
  const last = entries.findLastIndex((entry) => entry.type === 'assembly')
  return entries.slice(0, last + 1).flatMap((entry) => {
    if (entry.type === 'input') return [entry.message]
    return entry.type === 'message' && !entry.partial ? [entry.message] : []
  })
}

/** The words of the person in the session, as far as they are loaded, and those of the operator. */
function* personsTexts({ layers, history, current }: Pick<AssemblyInput, 'layers' | 'history' | 'current'>) {
  for (const { origin, renditions } of layers) {
    if (origin === undefined || origin.kind === 'operator') yield renditions[0]?.text ?? ''
  }
  for (const { messages } of [...history, current]) {
    for (const { message } of messages) if (message.role === 'user') yield messageText(message)
  }
}

/** The most addresses that are looked for in one turn: more than a person writes. What comes after them is named by nobody. */
const MOST_NAMED = 10_000

/** Adds the hosts that texts name by whole addresses. Each text is looked through once in a turn. */
function namedHosts() {
  const hosts = new Set<string>()
  const known = new Set<string>()
  let left = MOST_NAMED
  return {
    add(text: string): void {
      if (known.has(text)) return
      known.add(text)
      for (const [address] of text.matchAll(/https?:\/\/[^\s<>"'`\\]{1,2000}/gi)) {
        if (left === 0) return
        left -= 1
        const origin = originOf(withoutPunctuation(address))
        if (origin !== undefined) hosts.add(origin)
      }
    },
    has: (address: string): boolean => hosts.has(originOf(address) ?? ''),
  }
}

/** An address at the end of a sentence, or in brackets, without what follows it. */
function withoutPunctuation(address: string): string {
  let end = address.length
  while (end > 0 && ').,;:!?]}*_'.includes(address[end - 1]!)) end -= 1
  return address.slice(0, end)
}

function addFound(found: Set<string>, sources: readonly CitationSource[]): void {
  for (const { url } of sources) if (url !== undefined) found.add(spelled(url))
}

function spelled(address: string): string {
  return URL.parse(address)?.href ?? address
}

function originOf(address: string): string | undefined {
  const url = URL.parse(address)
  return url === null || url.username !== '' || url.password !== '' ? undefined : url.origin
}
