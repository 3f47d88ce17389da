import type { ConversationItem } from './conversation-items.ts'

/** Items that leave or stay together: a person's words and the first rounds that answer them, or further rounds. */
export interface ItemGroup {
  /** The same in every later call of the conversation, as long as its beginning stays as it is. */
  readonly id: string
  /** As in its id. */
  readonly number: number
  /** The turn that it belongs to, from 1. */
  readonly turn: number
  /** Positions from `first` up to and without `end`. */
  readonly first: number
  readonly end: number
  readonly stays: boolean
}

export interface GroupedItems {
  /** How many items there are before the first answer: they stay, and so do the instructions in them. */
  readonly head: number
  /** Oldest first. The last one is the one that is being answered. */
  readonly groups: readonly ItemGroup[]
  /** The positions of a person's words that begin the turn which is being answered. Empty where they are in the head. */
  readonly opening: readonly number[]
}

/** An answer of the model with the results of its calls is a round. So many of them are a group. */
const ROUNDS = 8

export function numberOf(id: string): number {
  return Number(id.slice('group-'.length))
}

/** Groups end where no call is open, and where they ended in the call before: what comes later changes none. */
export function groupItems(items: readonly ConversationItem[]): GroupedItems {
  const first = items.findIndex(({ side }) => side === 'model' || side === 'results')
  const head = first < 0 ? items.length : first
  const answeredUntil = openUntil(items)
  const groups: ItemGroup[] = []
  let opening: number[] = []
  let turn = 1
  let rounds = 0
  let begin = head
  const close = (end: number) => {
    if (end === begin) return
    const stays = items.slice(begin, end).some((item) => item.stays)
    const number = groups.length + 1
    groups.push({ id: `group-${number}`, number, turn, first: begin, end, stays })
    begin = end
    rounds = 0
  }
  let before: ConversationItem['side'] = 'person'
  for (let at = head; at < items.length; at += 1) {
    const { side } = items[at]!
    if (side === 'operator') continue
    const asks = side === 'person'
    const isFree = answeredUntil[at]! <= at
    if (asks && before !== 'person' && isFree) {
      close(at)
      turn += 1
      opening = []
    }
    if (side === 'model' && before !== 'model') {
      if (rounds >= ROUNDS && isFree) close(at)
      rounds += 1
    }
    if (asks) opening.push(at)
    before = side
  }
  close(items.length)
  return { head, groups, opening }
}

/** For each position, behind which one the last result of the calls before it is. */
function openUntil(items: readonly ConversationItem[]): readonly number[] {
  const results = new Map<string, number>()
  for (const [at, { parts }] of items.entries()) {
    for (const { role, call } of parts) if (role === 'tool' && call !== undefined) results.set(call, at)
  }
  const until: number[] = []
  let open = 0
  for (const { parts } of items) {
    until.push(open)
    for (const { kind, call } of parts) {
      if (kind === 'call' && call !== undefined) open = Math.max(open, (results.get(call) ?? -1) + 1)
    }
  }
  return until
}
