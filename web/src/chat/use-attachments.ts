import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { type FileRow, imageAddress, readUpload, uploadFile } from '../api/upload.ts'
import { t } from '../language/language.ts'

/** A file beside the draft, from the moment it is chosen. */
export interface Attachment {
  readonly key: string
  readonly name: string
  /** Id at the gateway, once its bytes are there. */
  readonly file: string | undefined
  /** Address of the picture within this page. */
  readonly picture: string | undefined
  readonly state: AttachmentState
}

export type AttachmentState =
  | { readonly type: 'uploading'; readonly share: number }
  | { readonly type: 'reading' }
  | { readonly type: 'ready'; readonly about: Extract<FileRow['state'], { type: 'ready' }>['reading'] }
  /** `again`: the upload can be repeated. */
  | { readonly type: 'failed'; readonly message: string; readonly hint: string; readonly again?: () => void }

export interface Attachments {
  readonly items: readonly Attachment[]
  add(files: readonly File[]): void
  /** Files that the gateway has already. */
  restore(files: readonly string[]): void
  remove(key: string): void
  clear(): void
}

interface Work {
  readonly controller: AbortController
  picture?: string
}

/** Files beside a draft: handed in at once, read by the gateway, and counted before anything is sent. */
export function useAttachments(initial: readonly string[]): Attachments {
  const [items, setItems] = useState<readonly Attachment[]>([])
  const works = useRef(new Map<string, Work>())

  const patch = useCallback((key: string, change: Partial<Attachment>) => {
    setItems((before) => before.map((item) => (item.key === key ? { ...item, ...change } : item)))
  }, [])

  const remove = useCallback((key: string) => {
    const work = works.current.get(key)
    work?.controller.abort()
    if (work?.picture !== undefined) URL.revokeObjectURL(work.picture)
    works.current.delete(key)
    setItems((before) => before.filter((item) => item.key !== key))
  }, [])

  /** Waits until the gateway has read a file, and shows what it is. */
  const follow = useCallback(
    async (key: string, id: string) => {
      const work = works.current.get(key)!
      const { signal } = work.controller
      const row = await readUpload(id, signal)
      patch(key, { name: row.name, state: stateOf(row) })
      if (row.state.type !== 'ready' || row.state.reading.kind !== 'image' || work.picture !== undefined) return
      work.picture = await imageAddress(id, row.state.reading.mediaType, signal)
      patch(key, { picture: work.picture })
    },
    [patch],
  )

  const upload = useCallback(
    (key: string, file: File) => {
      const run = async (): Promise<void> => {
        const { signal } = works.current.get(key)!.controller
        const onProgress = (share: number): void => patch(key, { state: { type: 'uploading', share } })
        onProgress(0)
        const { id } = await uploadFile(file, { signal, onProgress })
        patch(key, { file: id, state: { type: 'reading' } })
        await follow(key, id)
      }
      run().catch((error: unknown) => {
        if (works.current.get(key)?.controller.signal.aborted !== false) return
        patch(key, { state: { ...failure(error), again: () => upload(key, file) } })
      })
    },
    [follow, patch],
  )

  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files) {
        const key = crypto.randomUUID()
        const picture = file.type.startsWith('image/') ? URL.createObjectURL(file) : undefined
        works.current.set(key, { controller: new AbortController(), ...(picture === undefined ? {} : { picture }) })
        setItems((before) => [
          ...before,
          { key, name: file.name, file: undefined, picture, state: { type: 'uploading', share: 0 } },
        ])
        upload(key, file)
      }
    },
    [upload],
  )

  const restore = useCallback(
    (files: readonly string[]) => {
      for (const file of files) {
        if (works.current.has(file)) continue
        works.current.set(file, { controller: new AbortController() })
        setItems((before) => [
          ...before,
          { key: file, name: t`File`, file, picture: undefined, state: { type: 'reading' } },
        ])
        follow(file, file).catch((error: unknown) => {
          if (works.current.get(file)?.controller.signal.aborted !== false) return
          // It was removed meanwhile.
          if (error instanceof ApiError && error.code === 'not-found') remove(file)
          else patch(file, { state: failure(error) })
        })
      }
    },
    [follow, patch, remove],
  )

  const clear = useCallback(() => {
    for (const key of works.current.keys()) remove(key)
  }, [remove])

  useEffect(() => {
    restore(initial)
    return clear
    // Those that the draft began with, once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])

  return { items, add, restore, remove, clear }
}

function stateOf({ state }: FileRow): AttachmentState {
  if (state.type === 'processing') return { type: 'reading' }
  if (state.type === 'ready') return { type: 'ready', about: state.reading }
  const hint =
    state.code === 'empty'
      ? t`It is not sent.`
      : t`Remove it, and add it in another format or in parts. It is not sent.`
  return { type: 'failed', message: sentence(state.reason), hint }
}

/** A reason as a sentence of its own. */
function sentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1).replace(/\.$/, '')}.`
}

function failure(error: unknown): Extract<AttachmentState, { type: 'failed' }> {
  const { message, hint } = error as ApiError
  return { type: 'failed', message, hint: hint ?? t`Remove it, or try again.` }
}
