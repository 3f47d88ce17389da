import { fieldsOf } from '../../platform.ts'
import type { ConversationFormat } from '../foreign-call.ts'
import { conversationFields, type ConversationItem } from './conversation-items.ts'

/** No call may lose its result, and no result its call; nothing but what was dropped may be missing. Throws otherwise. */
export function requirePairs(
  format: ConversationFormat,
  text: string,
  {
    items,
    dropped,
    notes,
  }: { readonly items: readonly ConversationItem[]; readonly dropped: ReadonlySet<number>; readonly notes: boolean },
): void {
  const parsed = JSON.parse(text) as unknown
  const count = fieldsOf(parsed)[conversationFields[format]]
  const wanted = items.length - dropped.size + Number(notes)
  if (!Array.isArray(count) || count.length !== wanted) throw new Error('the body that was cut has other items')
  const sides = (isKept: boolean) => {
    const calls = new Set<string>()
    for (const [at, { parts }] of items.entries()) {
      if (dropped.has(at) === isKept) continue
      for (const { kind, role, call } of parts)
        if (call !== undefined && (kind === 'call' || role === 'tool')) calls.add(call)
    }
    return calls
  }
  const [kept, gone] = [sides(true), sides(false)]
  const torn = [...kept].filter((call) => gone.has(call))
  if (torn.some((call) => isTorn(items, dropped, call))) throw new Error('a call would lose its result')
}

/** An id that comes back in a conversation is torn only where a pair of it is. */
function isTorn(items: readonly ConversationItem[], dropped: ReadonlySet<number>, id: string): boolean {
  let open: boolean | undefined
  for (const [at, { parts }] of items.entries()) {
    for (const { kind, role, call } of parts) {
      if (call !== id) continue
      if (kind === 'call') open = dropped.has(at)
      else if (role === 'tool' && open !== undefined && open !== dropped.has(at)) return true
    }
  }
  return false
}
