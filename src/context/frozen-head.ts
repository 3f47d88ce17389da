import { type AssemblyInput, available } from './assembly-input.ts'
import type { Attachment } from './attachment.ts'
import { type Head, type HeadChange, headChanges } from './head-change.ts'
import type { Layer } from './layer.ts'
import type { Manifest } from './manifest.ts'
import { layerPlacement, renditionTokens } from './placed-layer.ts'
import { isHeadPlacement } from './layout.ts'

/** A change of the head, announced behind the history, and the head as it would be with it. */
export interface AnnouncedHead {
  /** The turn above whose message it is sent. */
  readonly turn: string
  readonly messages: readonly Attachment[]
  readonly head: Head
}

/** The head of a session's calls since it was last composed, and what has changed since. */
export interface PinnedHead {
  readonly head: Head
  /** In which form each layer is sent, by its id. One that is left out has none. */
  readonly forms: Readonly<Record<string, string | undefined>>
  /** In the order of their turns. */
  readonly announcements: readonly AnnouncedHead[]
}

/** An input with the head that its conversation began with. */
interface FrozenInput {
  readonly input: AssemblyInput
  readonly announcements: readonly AnnouncedHead[]
  /** Why the head has to be composed again instead. */
  readonly folds?: 'first-tools' | 'large-change'
}

/** Share of what is available that announcements may take together: they cannot give way, so a larger change is composed. */
const MOST_ANNOUNCED = 0.2

/**
 * Puts the pinned head in the place of the one that the input has. Where they differ, the change is announced above the message of
 * the current turn, if `announces`: the bytes at the beginning of the request stay as they are, and a prompt cache goes on.
 * Announcements of turns that are no longer in the conversation do not count: what they said is announced again. Pure.
 */
export function freezeHead(input: AssemblyInput, pinned: PinnedHead, announces: boolean): FrozenInput {
  const { current, history, tools = [], layout, counter } = input
  const turns = new Set([...history.map(({ id }) => id), current.id])
  const gone = pinned.announcements.findIndex(({ turn }) => !turns.has(turn))
  const live = gone === -1 ? pinned.announcements : pinned.announcements.slice(0, gone)
  const known = live.at(-1)?.head ?? pinned.head

  const ids = new Set([...pinned.head.layers, ...known.layers].map(({ id }) => id))
  const isHead = (layer: Layer) => ids.has(layer.id) || isHeadPlacement(layerPlacement(layer, layout, counter))
  const wanted: Head = { layers: input.layers.filter(isHead), tools }
  const changes = headChanges(known, wanted, (layer) => sentText(layer, pinned, input))
  const isSame = changes.length === 0 && live.length === 0 && sameHead(pinned.head, wanted)
  if (isSame) return { input, announcements: [] }

  const announcements = announces && changes.length > 0 ? [...live, announce(current.id, changes, wanted)] : live
  const messages = announcements.flatMap((each) => each.messages)
  const frozen: AssemblyInput = {
    ...input,
    layers: [...pinned.head.layers, ...input.layers.filter((layer) => !isHead(layer))],
    tools: pinned.head.tools,
    ...(messages.length > 0 ? { attachments: [...messages, ...(input.attachments ?? [])] } : {}),
  }
  const folds = whyFold(pinned, wanted, messages, input)
  return { input: frozen, announcements, ...(folds ? { folds } : {}) }
}

/** The head that a request was sent with, from its input and its account. */
export function sentHead(
  { layers, tools = [] }: Pick<AssemblyInput, 'layers' | 'tools'>,
  { entries }: Pick<Manifest, 'entries'>,
): Omit<PinnedHead, 'announcements'> {
  const sent = entries.filter(({ slot, layer }) => isHeadPlacement(slot) && layer !== 'tool')
  const forms = Object.fromEntries(sent.map(({ id, form }) => [id, form]))
  return { head: { layers: layers.filter(({ id }) => Object.hasOwn(forms, id)), tools }, forms }
}

function sameHead(one: Head, other: Head): boolean {
  return JSON.stringify([one.layers, one.tools]) === JSON.stringify([other.layers, other.tools])
}

function whyFold(pinned: PinnedHead, wanted: Head, messages: readonly Attachment[], input: AssemblyInput) {
  // A request without any tool has no place for a call, and some providers refuse one.
  if (pinned.head.tools.length === 0 && wanted.tools.length > 0) return 'first-tools' as const
  const { counter, budget } = input
  const tokens = messages.reduce((sum, message) => sum + renditionTokens({ text: message.text ?? '' }, counter), 0)
  return tokens > available(budget) * MOST_ANNOUNCED ? ('large-change' as const) : undefined
}

/** The text of a layer in the form in which the head has it; of a layer that the head does not have, the fullest that is short. */
function sentText(layer: Layer, { forms }: PinnedHead, { counter, budget }: AssemblyInput) {
  if (layer.withheld) return undefined
  const { renditions, id } = layer
  const short = available(budget) * (MOST_ANNOUNCED / 2)
  const sent = Object.hasOwn(forms, id)
    ? renditions.find(({ form }) => form === forms[id])
    : (renditions.find((each) => renditionTokens(each, counter) <= short) ?? renditions.at(-1))
  // A form that the layer no longer has: its fullest. What was left out of the head is announced in no form.
  const rendition = sent ?? (forms[id] === undefined ? undefined : renditions[0])
  return rendition && rendition.text.trim() !== '' ? { form: rendition.form, text: rendition.text } : undefined
}

function announce(turn: string, changes: readonly HeadChange[], head: Head): AnnouncedHead {
  const messages = changes.map(({ id, text, layer, origin }): Attachment => ({
    turn,
    id: `${turn}/head-change/${id}`,
    name: id,
    text,
    announces: { layer, origin },
  }))
  return { turn, messages, head }
}
