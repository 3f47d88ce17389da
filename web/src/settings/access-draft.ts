import useSWR, { useSWRConfig } from 'swr'
import type { AccessPreview, AccessStep, AccessView } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { createShared } from '../parts/asked.ts'
import { useLate } from '../parts/use-now.ts'
import { useLeaveNotice } from './leave-notice.ts'

const FILE = '/api/tool-access'
/** How long a person has to stop typing before the gateway is asked what the text comes to, ms. */
const TYPING_MS = 250

/** What a person has changed and not saved: kept while the page is open, whichever of its pages is shown. */
const draft = createShared<string | undefined>(undefined)
/** Whether its newest change was typed, rather than made by form. */
let isTyped = false
/** One change of it after another: each is made of the text that the one before has left. */
let changes: Promise<void> = Promise.resolve()

function keep(next: string | undefined, typed = false): void {
  isTyped = typed
  draft.set(next)
}

/** `tool-access.json`, and the change of it that is not saved yet. */
export interface AccessDraft {
  readonly file: AccessView | undefined
  /** The text as it would be written. */
  readonly text: string
  readonly isChanged: boolean
  /** The file with the change; the file itself where there is none, or until the first answer about it. */
  readonly preview: AccessPreview | AccessView | undefined
  /** Whether the preview is of an older text than `text`. */
  readonly isBehind: boolean
  readonly error: ApiError | undefined
  setText(text: string): void
  /** Changes the draft by form. Rejects with `ApiError`. */
  apply(steps: readonly AccessStep[]): Promise<void>
  /** Previews steps. Writes nothing, and keeps the draft. */
  attempt(options: { readonly steps?: readonly AccessStep[]; readonly tool?: string }): Promise<AccessPreview>
  discard(): void
  /** Writes what was shown. Rejects with `ApiError`. */
  save(shown: AccessPreview): Promise<void>
}

export function useAccessDraft(): AccessDraft {
  const text = draft.use()
  const { data: file, error: unread } = useResource<AccessView>(FILE)
  const isChanged = text !== undefined && file !== undefined && text !== file.text
  const late = useLate(text, TYPING_MS)
  const asked = isTyped ? late : text
  const { data: preview, error } = useSWR<AccessPreview, ApiError>(
    isChanged && asked !== undefined ? previewKey(asked, file.digest) : undefined,
    () => previewOf({ text: asked! }),
    { keepPreviousData: true },
  )
  const { mutate } = useSWRConfig()
  useLeaveNotice(isChanged)

  const attempt: AccessDraft['attempt'] = ({ steps = [], tool }) =>
    previewOf({
      ...(draft.get() !== undefined && { text: draft.get() }),
      steps,
      ...(tool !== undefined && { trial: { tool } }),
    })

  const applyNow = async (steps: readonly AccessStep[]): Promise<void> => {
    const made = await attempt({ steps })
    await mutate(previewKey(made.text, made.digest), made, { revalidate: false })
    keep(made.text)
  }

  return {
    file,
    text: text ?? file?.text ?? '',
    isChanged,
    preview: isChanged ? (preview ?? file) : file,
    isBehind: isChanged && preview?.text !== text,
    error: unread ?? error,
    setText: (next) => keep(next, true),
    attempt,
    apply: (steps) => {
      const change = changes.then(() => applyNow(steps))
      changes = change.catch(() => {})
      return change
    },
    discard: () => keep(undefined),
    async save({ text: written, digest, shown }) {
      try {
        const saved = await api<AccessView>(FILE, { method: 'PUT', body: { text: written, digest, shown } })
        await mutate(FILE, saved, { revalidate: false })
        // What was typed while it was being saved stays, as a change of what was saved.
        if (draft.get() === written) keep(undefined)
        await Promise.all([mutate('/api/tools'), mutate(`${FILE}/versions`)])
      } catch (failure) {
        // Somebody else may have changed the file: the difference is then shown against theirs.
        await mutate(FILE)
        await mutate((key) => Array.isArray(key) && key[0] === 'tool-access')
        throw failure
      }
    },
  }
}

/** Where the answer about a text is kept, for a file as it is. */
export function previewKey(text: string, digest: string | undefined): readonly unknown[] {
  return ['tool-access', text, digest]
}

/** Previews a change, even while another one is not saved. */
export function previewOf(body: {
  readonly text?: string
  readonly steps?: readonly AccessStep[]
  readonly trial?: { readonly tool: string; readonly command?: string }
}): Promise<AccessPreview> {
  return api<AccessPreview>(`${FILE}/preview`, { method: 'POST', body })
}
