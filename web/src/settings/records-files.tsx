import { Trash2, Upload } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { api, type ApiError } from '../api/client.ts'
import { useResource } from '../api/resources.ts'
import { type FileRow, uploadFile } from '../api/upload.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { type CountedPrompt, providerTokens, TokensExplained, useCountedPrompt } from '../parts/provider-tokens.tsx'
import { ExactText } from '../parts/long-text.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useAction } from '../parts/use-action.ts'
import type { RecordWords } from './records-kind.ts'
import { t } from '../language/language.ts'

/** How often files that are still being read are asked for again, ms. */
const AGAIN_MS = 1_000

interface RecordFilesProps {
  /** `agent` or `project` */
  readonly name: string
  readonly words: NonNullable<RecordWords['files']>
  readonly id: string
}

/** The files of an agent or a project: what each costs, or why it cannot be read. */
export function RecordFiles({ name, words, id }: RecordFilesProps): ReactNode {
  const { data, error, mutate } = useResource<{ readonly files: readonly FileRow[] }>(
    `/api/files?owner=${name}/${encodeURIComponent(id)}`,
    { refreshInterval: (latest) => (latest?.files.some(({ state }) => state.type === 'processing') ? AGAIN_MS : 0) },
  )
  const { add, sending, refusal } = useAdding({ name, id }, async () => {
    await mutate()
  })
  const [leaving, setLeaving] = useState<FileRow>()
  const prompt = useCountedPrompt()
  const field = useRef<HTMLInputElement>(null)
  const [search] = useSearchParams()
  const [asked, setAsked] = useState(search.get('file'))
  const choose = (
    <Button look="plain" disabled={sending} onClick={() => field.current?.click()}>
      <Upload size={16} aria-hidden /> {sending ? t`Uploading …` : t`Add files`}
    </Button>
  )
  return (
    <section aria-label={t`Files`} className="flex flex-col gap-2 text-sm">
      <h2 className="text-lg font-semibold">{t`Files`}</h2>
      {error && <ErrorNote error={error} />}
      {data !== undefined && data.files.length > 0 && (
        <ul aria-label={t`Files`} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {data.files.map((file) => (
            <li key={file.id} className="flex items-start gap-3 py-1 ps-3 pe-1">
              <Fold
                className="min-w-0 flex-1"
                shown={asked === file.id}
                onShown={() => setAsked(null)}
                summary={
                  <>
                    <span className="wrap-anywhere" dir="auto">
                      {file.name}
                    </span>
                    <span className={`block text-xs ${file.state.type === 'failed' ? 'text-bad' : 'text-soft'}`}>
                      {stateText(file, prompt)}
                    </span>
                  </>
                }
              >
                {file.state.type === 'ready' && 'content' in file.state.reading ? (
                  <FileText file={file} start={search.get('file') === file.id ? Number(search.get('at') ?? 0) : 0} />
                ) : (
                  <p className="text-xs text-soft">{t`This file has no text to show.`}</p>
                )}
              </Fold>
              <IconButton label={t`Remove ${file.name}`} onClick={() => setLeaving(file)}>
                <Trash2 size={16} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {data !== undefined && data.files.length > 0 && <TokensExplained prompt={prompt} />}
      {refusal && <ErrorNote error={refusal} />}
      <input
        ref={field}
        type="file"
        multiple
        aria-label={words.label}
        className="hidden"
        onChange={({ target }) => {
          void add([...(target.files ?? [])])
          target.value = ''
        }}
      />
      {data?.files.length === 0 ? <Empty action={choose}>{words.none}</Empty> : <div>{choose}</div>}
      {leaving && (
        <RemoveDialog
          file={leaving}
          onClose={() => {
            setLeaving(undefined)
            void mutate()
          }}
        />
      )}
    </section>
  )
}

/** Hands files in, one after another; what is refused does not keep the others. */
function useAdding({ name, id }: Omit<RecordFilesProps, 'words'>, readAgain: () => Promise<void>) {
  const [sending, setSending] = useState(false)
  const [refusal, setRefusal] = useState<ApiError>()
  const left = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    left.current = controller
    return () => controller.abort()
  }, [])
  const add = async (files: readonly File[]): Promise<void> => {
    const { signal } = left.current
    setSending(true)
    setRefusal(undefined)
    for (const file of files) {
      try {
        await uploadFile(file, { owner: { [name]: id }, signal, onProgress: () => {} })
      } catch (failure) {
        if (!signal.aborted) setRefusal(failure as ApiError)
      }
    }
    if (signal.aborted) return
    setSending(false)
    await readAgain()
  }
  return { add, sending, refusal }
}

/** A file that is removed cannot be put back, so the person is asked. */
function RemoveDialog({ file: { id, name }, onClose }: { readonly file: FileRow; onClose(): void }): ReactNode {
  const { error, act } = useAction()
  const remove = (): Promise<void> =>
    act(async () => {
      await api(`/api/files/${encodeURIComponent(id)}`, { method: 'DELETE' })
      onClose()
    })
  return (
    <Dialog title={t`Remove a file`} onClose={onClose}>
      <div className="flex flex-col gap-4 text-sm">
        <p>{t`${name} is deleted and cannot be put back. You can add it again.`}</p>
        {error && <ErrorNote error={error} />}
        <div className="flex gap-2">
          <Button look="danger" onClick={() => void remove()}>
            {t`Remove it`}
          </Button>
          <Button look="plain" onClick={onClose}>
            {t`Keep it`}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

function stateText({ state, bytes }: FileRow, prompt: CountedPrompt | undefined): string {
  if (state.type === 'processing') return t`Being read …`
  if (state.type === 'failed') return t`Not read: ${state.reason}.`
  const { reading } = state
  return reading.kind === 'text'
    ? t`${bytes} bytes, ${providerTokens(reading.tokens, prompt)} tokens`
    : t`${bytes} bytes`
}

/** Characters that are shown at once. */
const PAGE = 20_000

interface FileTextProps {
  readonly file: FileRow
  /** Characters before the place that somebody wants to see. */
  readonly start?: number
}

/** The text of a file as a model reads it, in pieces. */
function FileText({ file: { id, name }, start = 0 }: FileTextProps): ReactNode {
  const [from, setFrom] = useState(start)
  const { data, error } = useResource<TextPiece>(
    `/api/files/${encodeURIComponent(id)}/text?offset=${from}&limit=${PAGE}`,
    { revalidateOnFocus: false, shouldRetryOnError: false },
  )
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner label={t`Reading the file`} />
  const { text, offset, total, next } = data
  return (
    <div className="flex flex-col gap-2 pe-2 pb-2">
      <p className="text-xs text-soft">
        {t`Characters ${Math.min(offset + 1, total)} to ${offset + text.length} of ${total}`}
      </p>
      <ExactText label={t`Text of ${name}`} text={text} />
      {(offset > 0 || next !== undefined) && (
        <div className="flex gap-2">
          <Button look="plain" disabled={offset === 0} onClick={() => setFrom(Math.max(0, offset - PAGE))}>
            {t`Earlier text`}
          </Button>
          <Button look="plain" disabled={next === undefined} onClick={() => setFrom(next!)}>
            {t`Later text`}
          </Button>
        </div>
      )}
    </div>
  )
}

interface TextPiece {
  readonly text: string
  readonly offset: number
  readonly total: number
  /** Absent: this is the last. */
  readonly next?: number
}
