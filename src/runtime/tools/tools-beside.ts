import type { Manifest } from '../../context.ts'
import type { Tool } from '../../tool.ts'

/** The layers that a call sends, each with its form, as `layer/form`: some tools are offered beside one. */
export type Sent = ReadonlySet<string>

export const noneSent: Sent = new Set()

/** What a call sends by its account, and what was known to be sent before. */
export function sentBeside({ entries }: Manifest, before: Sent): Sent {
  const sent = new Set(before)
  for (const { layer, form, outcome } of entries) {
    if (form !== undefined && outcome !== 'omitted') sent.add(`${layer}/${form}`)
  }
  return sent
}

/**
 * The tools that a call offers: those that ask for nothing, and those whose layer is sent in their form. The readers of the
 * history and of long results ask for nothing: they stand in every call of a session, so that no cut changes the head.
 */
export function toolsBeside(allowed: readonly Tool[], sent: Sent): readonly Tool[] {
  return allowed.filter(
    ({ offeredWith }) => offeredWith === undefined || isSent(sent, `${offeredWith.layer}/${offeredWith.form}`),
  )
}

/** In this form, or in a smaller one that is named after it: `list`, `list-names`. */
function isSent(sent: Sent, wanted: string): boolean {
  return [...sent].some((form) => form === wanted || form.startsWith(`${wanted}-`))
}
