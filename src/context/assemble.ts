import { type Readers, readersAmong } from './announcement.ts'
import type { Attachment } from './attachment.ts'
import { type AssemblyInput, available } from './assembly-input.ts'
import { checkInput } from './check-input.ts'
import { leastCurrentTokens, requiredTokens } from './current-turn.ts'
import type { ConversationInput } from './conversation-input.ts'
import type { CutGain } from './cut-worth.ts'
import type { ConversationNote } from './conversation-note.ts'
import { fitConversation } from './fit-conversation.ts'
import { fitNoted, type NotedConversation } from './fit-noted.ts'
import { giveWay, type Holder, type Remainder, remainingTokens, takeBack } from './give-way.ts'
import { cutReason } from './history-section.ts'
import {
  type ConditionalTool,
  formCost,
  type LayerGroup,
  layerSections,
  type PlacedLayer,
  placeLayer,
} from './placed-layer.ts'
import { isHeadPlacement, leavesRoom } from './layout.ts'
import type { Manifest } from './manifest.ts'
import { buildManifest, omittedSection, type Section } from './section.ts'
import { ContextOverflowError } from './overflow-error.ts'
import { priceAttachment, type PricedTurn, priceTurn, sumTokens } from './priced-turn.ts'
import { type Piece, type Request, buildRequest } from './request.ts'
import { type TokenCounter, toolTokens } from './token-counter.ts'
import { isOfferedWith, type ToolDefinition } from './tool-definition.ts'
import type { Turn } from './turn.ts'

/** A request, the account of it, and its pieces in the order of the wire. */
export interface Assembly {
  readonly request: Request
  readonly manifest: Manifest
  readonly pieces: readonly Piece[]
  /** The note that this call's cut has made; the marks of the cut name it. */
  readonly note?: ConversationNote
  /** Of a cut that did not have to be made yet: what it wins. */
  readonly gain?: CutGain
}

/**
 * Puts a request together. Pure: the same input gives the same bytes.
 *
 * Throws `ContextOverflowError`, which carries the whole manifest, when what must be sent does not fit; nothing else for a
 * valid input. What no request can be made of, such as a window that is no number, an unknown placement or one id twice, is a
 * `RangeError` that names the field.
 */
export function assemble(input: AssemblyInput): Assembly {
  checkInput(input)
  const plan = makePlan(input)
  const { layout, notes } = input
  const fitted = settle(plan)
  const tools = offeredTools(plan, fitted)
  const stray = strayAttachments(input)
  // Where older turns were not loaded, a file of an unknown turn is one of theirs.
  const hasOlder = (input.earlier?.turns ?? 0) > 0
  const asked: ConversationInput = {
    turns: plan.turns,
    current: plan.current,
    available: plan.available,
    beside: plan.toolTokens + fitted.wanted,
    room: plan.available - plan.toolTokens - fitted.tokens,
    rule: layout.cut,
    shrinks: layout.shrinks,
    cut: input.cut,
    earlier: input.earlier,
    undone: input.undone ?? [],
    earlierFiles: hasOlder ? stray : [],
    readers: plan.readers,
    counter: input.counter,
  }
  // Only whole turns are covered by notes.
  const isNoted = notes && layout.notes && layout.cut.unit === 'turn' && leavesRoom(layout.cut)
  const conversation: NotedConversation = isNoted
    ? fitNoted(asked, { ...notes, rule: layout.notes })
    : fitConversation(asked)
  const sections: readonly Section[] = [
    ...tools.map(({ section }) => section),
    ...layerSections(plan.head, 'system', fitted.head, fitted.headAtShare),
    ...layerSections(plan.head, 'preamble', fitted.head, fitted.headAtShare),
    ...conversation.history,
    // A file of a turn that is not part of the input has no place in the request.
    ...stray.map((attachment) =>
      omittedSection({
        id: attachment.id,
        layer: 'attachment',
        slot: 'history',
        fullTokens: priceAttachment(attachment, layout.fileFrame, input.counter).tokens,
        reason: hasOlder ? cutReason(layout.cut) : { code: 'no-such-turn', turn: attachment.turn },
        origin: { kind: 'file', ref: attachment.id },
      }),
    ),
    ...layerSections(plan.tail, 'before-input', fitted.tail),
    ...conversation.current,
    ...layerSections(plan.tail, 'after-input', fitted.tail),
  ]
  const manifest = buildManifest(input, sections, conversation.cut)
  if (manifest.used > plan.available) throw new ContextOverflowError(manifest, undefined, layout.advice)
  const { note, gain } = conversation
  return {
    manifest,
    ...buildRequest({ layout, tools: tools.map(({ tool }) => tool) }, sections),
    ...(note ? { note } : {}),
    ...(gain ? { gain } : {}),
  }
}

interface Plan {
  readonly available: number
  /** What tools, system and preamble may use together, tokens. */
  readonly headLimit: number
  readonly tools: readonly PricedTool[]
  /** Of the tools that are offered in every call. */
  readonly toolTokens: number
  readonly head: LayerGroup
  readonly tail: LayerGroup
  readonly turns: readonly PricedTurn[]
  readonly current: PricedTurn
  readonly readers: Readers
  readonly input: AssemblyInput
}

function makePlan(input: AssemblyInput): Plan {
  const { layout, layers, counter, history, current, attachments = [], tools = [], images } = input
  const always = tools.filter(({ offeredWith }) => offeredWith === undefined)
  // The notes on what was left out name no tool that may not be offered.
  const readers = readersAmong(always)
  const priced = tools.map((tool) => pricedTool(tool, counter))
  const conditional = priced.filter(({ tool }) => tool.offeredWith !== undefined)
  const placed = layers.map((layer) => placeLayer(layer, layout, counter, conditional))
  const groups = Object.groupBy(placed, ({ placement }) => (isHeadPlacement(placement) ? 'head' : 'tail'))
  const byTurn = Map.groupBy(attachments, (attachment) => attachment.turn)
  const kept = new Set(tools.filter(({ keepsOutput }) => keepsOutput).map(({ name }) => name))
  const rules = { frame: layout.fileFrame, kept, images }
  const price = (turn: Turn) => priceTurn(turn, byTurn.get(turn.id) ?? [], counter, readers.history, rules)
  const all = available(input.budget)
  const headLimit = Math.floor(all * layout.headShare)
  return {
    available: all,
    headLimit,
    tools: priced,
    toolTokens: sumTokens(priced) - sumTokens(conditional),
    head: { placed: groups.head ?? [], limit: { code: 'head-share', limit: headLimit } },
    tail: { placed: groups.tail ?? [], limit: { code: 'shortage' } },
    turns: history.map(price),
    current: price(current),
    readers,
    input,
  }
}

interface Settled {
  readonly head: Remainder
  /** What the head's share alone left of it: the rest of its loss is a shortage. */
  readonly headAtShare: Remainder
  readonly tail: Remainder
  /** Of head and tail layers, and of the tools that are offered with them. */
  readonly tokens: number
  /** The same with the tail whole. */
  readonly wanted: number
}

/**
 * The head is settled by its share alone. Only where the current turn does not fit beside the layers, its unanswered
 * results as short as they get, does the tail give way, and then the head again from the top. The tail is settled last,
 * against the final head, so that it loses nothing there is room for.
 */
function settle(plan: Plan): Settled {
  const { available: all, headLimit, toolTokens: ofTools, head, tail, current, readers, input } = plan
  const { shrinks } = input.layout
  const room = all - ofTools
  const headHolders = layerHolders(head)
  const tailHolders = layerHolders(tail)
  const wholeTail = tailHolders.map(() => 0)
  const headAtShare = giveWay(headHolders, headLimit - ofTools, shrinks)
  const settled = (headLeft: Remainder, tailLeft: Remainder): Settled => {
    const [tokens, wanted] = [tailLeft, wholeTail].map((tailForms) => sentTokens(plan, headLeft, tailForms))
    return { head: headLeft, headAtShare, tail: tailLeft, tokens: tokens!, wanted: wanted! }
  }
  const whole = settled(headAtShare, wholeTail)
  if (whole.tokens + current.tokens <= room || whole.tokens + requiredTokens(current) <= room) return whole

  const left = room - leastCurrentTokens(current, input.counter, readers.history)
  const leastTail = remainingTokens(tailHolders, giveWay(tailHolders, 0, shrinks))
  const headTokens = remainingTokens(headHolders, headAtShare)
  const headLeft = headTokens + leastTail <= left ? headAtShare : giveWay(headHolders, left - leastTail, shrinks)
  const ofTail = left - remainingTokens(headHolders, headLeft)
  return settled(headLeft, takeBack(tailHolders, giveWay(tailHolders, ofTail, shrinks), ofTail, shrinks))
}

/** Blank layers cost nothing and cannot give way. The cost of a form includes the tools that are offered with it. */
function layerHolders({ placed }: LayerGroup): readonly Holder[] {
  return filled(placed).map(({ priority, forms }) => ({
    priority,
    forms: forms.map((form) => ({ tokens: formCost(form) })),
  }))
}

function filled(placed: readonly PlacedLayer[]): readonly PlacedLayer[] {
  return placed.filter((layer) => layer.forms.length > 0)
}

/** Of head and tail layers, and of the tools that are offered with them: a tool that several bring along counts once. */
function sentTokens(plan: Plan, head: Remainder, tail: Remainder): number {
  const forms = [...sentForms(plan.head, head), ...sentForms(plan.tail, tail)]
  return sumTokens(forms) + sumTokens(offeredTools(plan, { head, tail })) - plan.toolTokens
}

/** Tools without a condition, and those whose layer is sent in their form: a model that reads the list can call the tool, and no other. */
function offeredTools(
  { tools, head, tail }: Plan,
  { head: ofHead, tail: ofTail }: Pick<Settled, 'head' | 'tail'>,
): readonly PricedTool[] {
  const sent = [...sentForms(head, ofHead), ...sentForms(tail, ofTail)]
  return tools.filter(
    ({ tool }) => tool.offeredWith === undefined || sent.some(({ layer, form }) => isOfferedWith(tool, layer, form)),
  )
}

function sentForms({ placed }: LayerGroup, remainder: Remainder) {
  return filled(placed).flatMap(({ layer, forms }, index) => {
    const left = remainder[index]
    return left === undefined ? [] : [{ ...forms[left]!, layer: layer.layer }]
  })
}

interface PricedTool extends ConditionalTool {
  readonly section: Section
}

function pricedTool(tool: ToolDefinition, counter: TokenCounter): PricedTool {
  const tokens = toolTokens(counter, tool)
  const section: Section = {
    entry: {
      id: tool.name,
      layer: 'tool',
      slot: 'tools',
      outcome: 'included',
      form: 'full',
      tokens,
      fullTokens: tokens,
      ...(tool.neutralized ? { reason: { code: 'neutralized', ...tool.neutralized } } : {}),
      origin: { kind: 'operator', ref: tool.name },
    },
    messages: [],
  }
  return { tool, tokens, section }
}

/** Files of turns that are not part of the input. */
function strayAttachments({ attachments = [], history, current }: AssemblyInput): readonly Attachment[] {
  if (attachments.length === 0) return []
  const turns = new Set([...history.map((turn) => turn.id), current.id])
  return attachments.filter((attachment) => !turns.has(attachment.turn))
}

/**
 * How many messages at the end of a request the next call has elsewhere or not at all, such as a reminder: what a provider keeps up to
 * one of them is never read again. Pure.
 */
export function movingMessages({ manifest, pieces }: Pick<Assembly, 'manifest' | 'pieces'>): number {
  const last = pieces.findLastIndex(({ entry }) => manifest.entries[entry]?.slot !== 'after-input')
  return pieces.length - 1 - last
}
