import { useEffect, useSyncExternalStore } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import type { AccessPreview, AccessStep, AccessView } from '../../../src/capability.ts'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'

/** The address of the policy. */
const FILE = '/api/tool-access'

/** What a person has changed and not saved: kept while the page is open, whichever of its pages is shown. */
let draft: string | undefined
/** One change of it after another: each is made of the text that the one before has left. */
let changes: Promise<void> = Promise.resolve()
const listeners = new Set<() => void>()

function keep(next: string | undefined): void {
  draft = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `tool-access.json`, and the change of it that is not saved yet. */
export interface AccessDraft {
  readonly file: AccessView | undefined
  /** The text as it would be written. */
  readonly text: string
  readonly isChanged: boolean
  /** The file with the change; the file itself where there is none. */
  readonly preview: AccessPreview | AccessView | undefined
  readonly error: ApiError | undefined
  setText(text: string): void
  /** Changes the draft by form. Rejects with `ApiError`. */
  apply(steps: readonly AccessStep[]): Promise<void>
  /** What steps would come to. Writes nothing, and keeps the draft. */
  attempt(options: { readonly steps?: readonly AccessStep[]; readonly tool?: string }): Promise<AccessPreview>
  discard(): void
  /** Writes what was shown. Rejects with `ApiError`. */
  save(shown: AccessPreview): Promise<void>
}

export function useAccessDraft(): AccessDraft {
  const text = useSyncExternalStore(subscribe, () => draft)
  const { data: file, error: unread } = useResource<AccessView>(FILE)
  const isChanged = text !== undefined && file !== undefined && text !== file.text
  const { data: preview, error } = useSWR<AccessPreview, ApiError>(
    isChanged ? ['tool-access', text, file.digest] : undefined,
    () => previewOf({ text }),
    { keepPreviousData: true },
  )
  const { mutate } = useSWRConfig()
  useLeaveNotice(isChanged)

  const attempt: AccessDraft['attempt'] = ({ steps = [], tool }) =>
    previewOf({
      ...(draft === undefined ? {} : { text: draft }),
      steps,
      ...(tool === undefined ? {} : { trial: { tool } }),
    })

  return {
    file,
    text: text ?? file?.text ?? '',
    isChanged,
    preview: isChanged ? preview : file,
    error: unread ?? error,
    setText: keep,
    attempt,
    apply: (steps) => {
      const change = changes.then(async () => keep((await attempt({ steps })).text))
      changes = change.catch(() => {})
      return change
    },
    discard: () => keep(undefined),
    async save({ text: written, digest, shown }) {
      try {
        const saved = await api<AccessView>(FILE, { method: 'PUT', body: { text: written, digest, shown } })
        await mutate(FILE, saved, { revalidate: false })
        keep(undefined)
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

/** What a change would come to, also while another one is not saved. */
export function previewOf(body: {
  readonly text?: string
  readonly steps?: readonly AccessStep[]
  readonly trial?: { readonly tool: string; readonly command?: string }
}): Promise<AccessPreview> {
  return api<AccessPreview>(`${FILE}/preview`, { method: 'POST', body })
}

/** The browser asks before the window is closed with a change in it. */
function useLeaveNotice(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: Event): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isChanged])
}
