import type { Manifest } from '../context.ts'
import type { Tool } from '../tool.ts'

/** What a call sends that some tools are offered beside. */
export interface Sent {
  /** Something of the conversation is no longer in front of the model. */
  readonly cut: boolean
  /** Layers with the form they are sent in, as `layer/form`. */
  readonly forms: ReadonlySet<string>
}

export const noneSent: Sent = { cut: false, forms: new Set() }

/** What a call sends by its account, and what was known to be sent before. */
export function sentBeside({ cut, entries }: Manifest, before: Sent): Sent {
  const forms = new Set(before.forms)
  for (const { layer, form, outcome } of entries) {
    if (form !== undefined && outcome !== 'omitted') forms.add(`${layer}/${form}`)
  }
  return { cut: before.cut || cut !== undefined || entries.some(({ id }) => id === 'earlier'), forms }
}

/**
 * The tools that a call offers: those that ask for nothing; those whose layer is sent in their form; the reader of the
 * history where some of it is missing; and the reader of long results beside any tool that can give one.
 */
export function toolsBeside(allowed: readonly Tool[], { cut, forms }: Sent): readonly Tool[] {
  const tools = allowed.filter(({ name, offeredWith }) => {
    if (name === 'read_history') return cut
    return offeredWith === undefined || isSent(forms, `${offeredWith.layer}/${offeredWith.form}`)
  })
  const canBeLong = tools.some(({ readsContext }) => !readsContext)
  return canBeLong ? tools : tools.filter(({ name }) => name !== 'read_result')
}

/** In this form, or in a smaller one that is named after it: `list`, `list-names`. */
function isSent(forms: ReadonlySet<string>, wanted: string): boolean {
  return [...forms].some((form) => form === wanted || form.startsWith(`${wanted}-`))
}
