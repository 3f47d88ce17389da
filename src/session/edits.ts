import type { EntryBody } from './entry.ts'

/**
 * The entries as they are read: each message as it was edited last, while it waited. The edits themselves are left out. Every
 * reader of messages goes through this; only the log itself, an export and the audit have both.
 */
export function withEdits<Body extends EntryBody>(entries: readonly Body[]): readonly Body[] {
  if (!entries.some(({ type }) => type === 'edit')) return entries
  const edits = new Map(
    entries.flatMap((entry: EntryBody) => (entry.type === 'edit' ? [[entry.turn, entry] as const] : [])),
  )
  return entries.flatMap((entry): readonly Body[] => {
    if (entry.type === 'edit') return []
    const edit = entry.type === 'input' ? edits.get(entry.turn) : undefined
    if (edit === undefined) return [entry]
    const { message, tokens, attachments } = edit
    const { attachments: _before, ...kept } = entry as Extract<EntryBody, { readonly type: 'input' }>
    return [{ ...kept, message, tokens, ...(attachments === undefined ? {} : { attachments }) } as unknown as Body]
  })
}
