import { FileText, ImageOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { fileContent } from '../api/upload.ts'
import { BlobImage } from '../parts/blob-image.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { accountedFile, providerTokens } from '../parts/provider-tokens.tsx'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { Figure } from '../inspector/figure.tsx'
import type { Turn } from '../log/conversation.ts'
import { t } from '../language/language.ts'

type AttachedFile = Turn['attachments'][number]

interface AttachmentsProps {
  readonly files: readonly AttachedFile[]
  readonly label?: string
  /** The first call that read them. Absent: their sizes are not known yet. */
  readonly call?: string | undefined
}

/** The files of a message, or images of a result: images are seen, others have their name and their tokens. */
export function Attachments({ files, label = t`Attached files`, call }: AttachmentsProps): ReactNode {
  if (files.length === 0) return null
  return (
    <ul aria-label={label} className="flex max-w-full flex-wrap justify-end gap-2 self-end">
      {files.map((file) => (
        <li key={file.file} className="max-w-full">
          {file.kind === 'image' ? <Picture file={file} /> : <FileName file={file} call={call} />}
        </li>
      ))}
    </ul>
  )
}

interface FileNameProps {
  readonly file: AttachedFile
  readonly call: string | undefined
}

function FileName({ file: { file, name, kind, tokens }, call }: FileNameProps): ReactNode {
  return (
    <span className="flex items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm">
      <FileText size={16} aria-hidden className="shrink-0 text-soft" />
      <bdi className="min-w-0 truncate">{name}</bdi>
      {kind === 'unreadable' ? (
        <span className="shrink-0 text-xs text-soft">{t`could not be read`}</span>
      ) : (
        tokens !== undefined && call !== undefined && <FileTokens file={file} counted={tokens} call={call} />
      )}
    </span>
  )
}

interface FileTokensProps {
  readonly file: string
  readonly counted: number
  readonly call: string
}

/** In the tokens of the provider, as the call that read it first was counted there. */
function FileTokens({ file, counted, call }: FileTokensProps): ReactNode {
  const { data } = useResource<ReportedManifest>(`/api/calls/${encodeURIComponent(call)}/manifest`, {
    revalidateOnFocus: false,
  })
  if (data === undefined) return null
  const { total } = data.figures
  const tokens = accountedFile(data, total, file) ?? providerTokens(counted, { total, used: data.used })
  return (
    <span className="shrink-0 text-xs text-soft" title={t`Counted here: ${counted} tokens.`}>
      <Figure kind="file" call={call} value={tokens}>
        {t`${tokens} tokens`}
      </Figure>
    </span>
  )
}

function Picture({ file: { file, name } }: { readonly file: AttachedFile }): ReactNode {
  const [large, setLarge] = useState(false)
  const [unreadable, setUnreadable] = useState(false)
  if (unreadable) {
    return (
      <span className="flex items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm text-soft">
        <ImageOff size={16} aria-hidden className="shrink-0" />
        <bdi className="min-w-0 truncate">{t`${name} cannot be shown`}</bdi>
      </span>
    )
  }
  const image = (className: string): ReactNode => (
    <BlobImage
      read={(signal) => fileContent(file, signal)}
      name={file}
      alt={name}
      className={className}
      onFailure={() => setUnreadable(true)}
    />
  )
  return (
    <>
      <button
        type="button"
        aria-label={t`Show ${name} in full`}
        className="block size-40 overflow-hidden rounded-lg border border-line bg-sunken"
        onClick={() => setLarge(true)}
      >
        {image('size-full object-cover')}
      </button>
      {large && (
        <Dialog title={name} wide onClose={() => setLarge(false)}>
          {image('mx-auto max-h-[75dvh] max-w-full object-contain')}
        </Dialog>
      )}
    </>
  )
}
