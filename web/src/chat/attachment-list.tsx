import { FileText, RotateCw, Table, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Figure } from '../inspector/figure.tsx'
import { nextPreview } from '../inspector/next-preview.ts'
import { IconButton } from '../parts/button.tsx'
import { accountedFile, countedPrompt, providerTokens } from '../parts/provider-tokens.tsx'
import type { Attachment, AttachmentState } from './use-attachments.ts'
import { t } from '../language/language.ts'

interface AttachmentListProps {
  readonly items: readonly Attachment[]
  onRemove(key: string): void
}

/** The files that go with the next message: how far each is, what it costs, and a way to take it out. */
export function AttachmentList({ items, onRemove }: AttachmentListProps): ReactNode {
  if (items.length === 0) return null
  return (
    <ul aria-label={t`Attachments`} className="flex max-h-[30vh] flex-wrap gap-2 overflow-y-auto">
      {items.map((item) => (
        <li
          key={item.key}
          className={`flex max-w-full items-center gap-2 rounded-lg border bg-ground py-1 ps-2 pe-1 text-sm ${item.state.type === 'failed' ? 'border-bad' : 'border-line'}`}
        >
          <Picture item={item} />
          <div className="min-w-0 max-w-64">
            <p className="truncate" title={item.name}>
              {item.name}
            </p>
            <AboutFile state={item.state} name={item.name} file={item.file} />
          </div>
          {item.state.type === 'failed' && item.state.again && (
            <IconButton label={t`Upload ${item.name} again`} onClick={item.state.again}>
              <RotateCw size={14} aria-hidden />
            </IconButton>
          )}
          <IconButton label={t`Remove ${item.name}`} onClick={() => onRemove(item.key)}>
            <X size={14} aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}

function Picture({ item: { picture, state } }: { readonly item: Attachment }): ReactNode {
  if (picture !== undefined) return <img src={picture} alt="" className="size-10 shrink-0 rounded object-cover" />
  const Icon = state.type === 'ready' && state.about.kind === 'table' ? Table : FileText
  return <Icon size={18} className="shrink-0 text-soft" aria-hidden />
}

interface AboutFileProps extends Pick<Attachment, 'name' | 'file'> {
  readonly state: AttachmentState
}

function AboutFile({ state, name, file }: AboutFileProps): ReactNode {
  switch (state.type) {
    case 'uploading':
      return (
        <progress
          aria-label={t`Upload of ${name}`}
          value={state.share}
          max={1}
          className="block h-1.5 w-full accent-accent"
        />
      )
    case 'reading':
      return (
        <p role="status" className="text-xs text-soft">
          {t`Being read …`}
        </p>
      )
    case 'ready':
      return <Size about={state.about} file={file} />
    case 'failed':
      return (
        <div role="alert" className="text-xs">
          <p className="text-bad">{state.message}</p>
          <p className="text-soft">{state.hint}</p>
        </div>
      )
  }
}

type About = Extract<AttachmentState, { type: 'ready' }>['about']

/** In the tokens of the provider, as the line under the field has the whole call. */
function Size({ about, file }: { readonly about: About; readonly file: string | undefined }): ReactNode {
  const next = nextPreview.useAsked()
  const prompt = countedPrompt(next ?? {})
  if (about.kind === 'table')
    return (
      <p className="text-xs text-soft">{about.sheets.length === 1 ? t`1 sheet` : t`${about.sheets.length} sheets`}</p>
    )
  const size = about.kind === 'image' && about.width !== undefined && t`${about.width} × ${about.height ?? 0} pixels`
  if (about.tokens === undefined || prompt === undefined) return size && <p className="text-xs text-soft">{size}</p>
  const { manifest, figures } = next?.preview ?? {}
  const own = manifest && file !== undefined ? accountedFile(manifest, figures!.total, file) : undefined
  const tokens = own ?? providerTokens(about.tokens, prompt)
  return (
    <p className="text-xs text-soft" title={t`Counted here: ${about.tokens} tokens.`}>
      {size && `${size}, `}
      <Figure kind="file" call={undefined} value={tokens}>
        {t`${tokens} tokens`}
      </Figure>
    </p>
  )
}
