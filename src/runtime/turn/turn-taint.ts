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
  outputText,
  type ResultOrigins,
  textKey,
  toolResults,
  type Turn,
  unframedResults,
} from '../../context.ts'
import { defined, elementsOf, fieldsOf, isObject, parseJson } from '../../platform.ts'
import type { Entry, EntryBody } from '../../session.ts'
import { opensAddresses, type Taint, type Tool } from '../../tool.ts'

/** Of the input of a call: where a person or the operator may have written. */
type Readable = Pick<AssemblyInput, 'layers' | 'history' | 'current'>

/** What a turn has read of others since the person's message, call by call. */
export interface TurnTaint extends Taint {
  /** Notes what a call is about to read. Returns what no earlier call of the turn has read: the log keeps it. */
  assembled(call: {
    readonly input: Readable
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
  // A search gives addresses; what opens addresses gives pages.
  const searching = tools.filter(({ origin, readsFrom }) => origin === 'web' && readsFrom === undefined)
  const searches = new Set(searching.map(({ name }) => name))
  let texts: readonly ForeignText[] = []
  let step = 0
  /** Of what the calls have read. Looked through once an address is asked about, since most turns open none. */
  const reads: { readonly input: Readable; readonly messages: readonly Message[] }[] = []
  let named: ReturnType<typeof namedAddresses> | undefined
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
        for (const { url = '' } of body.sources ?? []) found.add(spelled(url) ?? '')
      }
    }
  }

  for (const entry of entries) {
    if (entry.type === 'assembly') {
      step += 1
      add(entry.foreign ?? [])
    }
  }
  noted(entries)
  const read = readMessages(entries)
  const said = entries.flatMap((entry) =>
    entry.type === 'input' || entry.type === 'edit' ? [{ message: entry.message }] : [],
  )
  reads.push({ input: { layers: [], history: [], current: { id: '', messages: said } }, messages: read })
  add([...attachedFiles(entries), ...messageTexts(read, origins)])

  return {
    get texts() {
      return texts
    },
    isNamed(address) {
      named ??= namedAddresses(new Set(tools.filter(opensAddresses).map(({ name }) => name)))
      for (const { input, messages } of reads.splice(0)) {
        for (const text of personsTexts(input)) named.add(text)
        for (const message of messages) named.read(message)
      }
      return found.has(spelled(address) ?? '') || named.has(address)
    },
    assembled({ input, manifest, messages }) {
      step += 1
      reads.push({ input, messages })
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

/** The own words of the person in the session, as far as they are loaded, and those of the operator. */
function* personsTexts({ layers, history, current }: Readable) {
  for (const { origin, renditions } of layers) {
    if (origin === undefined || origin.kind === 'operator') yield renditions[0]?.text ?? ''
  }
  for (const { messages } of [...history, current]) {
    for (const { message } of messages) if (message.role === 'user') yield ownWords(messageText(message))
  }
}

/** The most characters of a message, and of the paragraph that counts of a longer one, beside addresses. */
const MOST_OWN = 1_000

/**
 * What a person says in a message, without what was pasted into it: fenced and quoted lines, and what was forwarded or answered.
 * Of a message with more than 1,000 characters beside its addresses, the first paragraph, unless that is as long.
 */
export function ownWords(text: string): string {
  const lines: string[] = []
  let fence: string | undefined
  let counted = 0
  for (const line of linesOf(text)) {
    // More of it changes nothing: the whole is too long, and so is the first paragraph unless it has ended.
    if (counted > MOST_OWN) break
    const said = line.trimStart()
    const mark = /^(?:`{3,}|~{3,})/.exec(said)?.[0]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && said.trimEnd() === mark) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (FORWARDED.test(said)) break
    else if (!QUOTED.test(said)) {
      lines.push(said)
      counted += withoutAddresses(said.trimEnd()).length
    }
  }
  const own = lines.join('\n').trim()
  if (isOwn(own)) return own
  const [first = ''] = own.split(/\n\s*\n/, 1)
  return isOwn(first) ? first : ''
}

/** How channels mark the words of others, behind the name of the speaker in a group. */
const FORWARDED = /^(?:.{1,200}: )?\(forwarded from /
const QUOTED = /^(?:>|(?:.{1,200}: )?\(in answer to )/

function isOwn(text: string): boolean {
  return withoutAddresses(text).length <= MOST_OWN
}

function withoutAddresses(text: string): string {
  return text.replaceAll(ADDRESS, '')
}

function* linesOf(text: string): Generator<string> {
  let start = 0
  for (const { index, 0: end } of text.matchAll(/\r\n?|[\n\u2028\u2029]/g)) {
    yield text.slice(start, index)
    start = index + end.length
  }
  yield text.slice(start)
}

/** The most addresses that are looked for in one turn: more than a person writes. What comes after them is named by nobody. */
const MOST_NAMED = 2_000

/**
 * The addresses that are opened without a question: each exactly as it stands in words of the person or the operator, and each
 * link of a page that was read, where both are on hosts that these words name. So a call can add nothing to an address.
 */
function namedAddresses(openers: ReadonlySet<string>) {
  const exact = new Set<string>()
  const hosts = new Set<string>()
  /** By the address of the page, where its redirects led. */
  const links = new Map<string, Set<string>>()
  const known = new Set<string>()
  let left = MOST_NAMED

  return {
    add(text: string): void {
      if (known.has(text)) return
      known.add(text)
      for (const [address] of text.matchAll(ADDRESS)) {
        if (left === 0) return
        left -= 1
        for (const each of readings(address)) {
          const spelling = spelled(each)
          if (spelling === undefined) continue
          exact.add(spelling)
          hosts.add(originOf(spelling))
        }
      }
    },
    /** Notes the links of pages among the results that the model has read. */
    read(message: Message): void {
      for (const { toolName, output } of toolResults(unframedResults(message))) {
        const text = outputText(output)
        if (!openers.has(toolName) || known.has(text)) continue
        known.add(text)
        for (const page of elementsOf(fieldsOf(parseJson(text))['results'])) {
          const { url, content } = fieldsOf(page)
          const from = typeof url === 'string' ? spelled(url) : undefined
          if (from === undefined || typeof content !== 'string') continue
          const found = links.get(from) ?? new Set()
          for (const [address] of content.matchAll(ADDRESS)) {
            for (const each of readings(address)) found.add(spelled(each) ?? '')
          }
          links.set(from, found)
        }
      }
    },
    has(address: string): boolean {
      const wanted = spelled(address)
      if (wanted === undefined) return false
      if (exact.has(wanted)) return true
      return (
        hosts.has(originOf(wanted)) &&
        [...links].some(([page, found]) => hosts.has(originOf(page)) && found.has(wanted))
      )
    },
  }
}

/** Ends where a link in Markdown begins its address. */
const ADDRESS = /https?:\/\/(?:(?!\]\()[^\s<>"'`\\]){1,2000}/gi

/** The most signs at the end of an address that may belong to the sentence around it. */
const MOST_SIGNS = 8

/** An address as it stands, and as it may be meant: without signs at its end, in brackets, before a script without blanks. */
function readings(address: string): ReadonlySet<string> {
  const found = new Set([address, address.split(')', 1)[0]!, /^[\x21-\x7e]+/.exec(address)![0]])
  for (let signs = 1; signs <= MOST_SIGNS && ').,;:!?]}*_'.includes(address.at(-signs)!); signs += 1) {
    found.add(address.slice(0, -signs))
  }
  return found
}

/** The one spelling of an address, without its fragment, which is not sent; `undefined` where it has a name or a password, or is none. */
function spelled(address: string): string | undefined {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

function originOf(address: string): string {
  return new URL(address).origin
}
