import { FileText, ImageOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { fileContent } from '../api/upload.ts'
import { Dialog } from '../parts/dialog.tsx'
import { count } from '../parts/numbers.ts'
import type { Turn } from './conversation.ts'

type AttachedFile = Turn['attachments'][number]

interface AttachmentsProps {
  readonly files: readonly AttachedFile[]
  readonly label?: string
}

/** The files of a message, or images of a result: images are seen, others have their name and their tokens. */
export function Attachments({ files, label = 'Attached files' }: AttachmentsProps): ReactNode {
  if (files.length === 0) return null
  return (
    <ul aria-label={label} className="flex max-w-full flex-wrap justify-end gap-2 self-end">
      {files.map((file) => (
        <li key={file.file} className="max-w-full">
          {file.kind === 'image' ? <Picture file={file} /> : <FileName file={file} />}
        </li>
      ))}
    </ul>
  )
}

function FileName({ file: { name, kind, tokens } }: { readonly file: AttachedFile }): ReactNode {
  const note =
    kind === 'unreadable' ? 'could not be read' : tokens === undefined ? undefined : `${count(tokens)} tokens`
  return (
    <span className="flex items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 text-sm">
      <FileText size={16} aria-hidden className="shrink-0 text-soft" />
      <bdi className="min-w-0 truncate">{name}</bdi>
      {note !== undefined && <span className="shrink-0 text-xs text-soft">{note}</span>}
    </span>
  )
}

function Picture({ file: { file, name } }: { readonly file: AttachedFile }): ReactNode {
  const [large, setLarge] = useState(false)
  const [unreadable, setUnreadable] = useState(false)
  const address = useBlobAddress(file, () => setUnreadable(true))
  if (unreadable) {
    return (
      <span className="flex items-center gap-2 rounded-lg border border-line px-3 py-1.5 text-sm text-soft">
        <ImageOff size={16} aria-hidden className="shrink-0" />
        <bdi className="min-w-0 truncate">{`${name} cannot be shown`}</bdi>
      </span>
    )
  }
  const image = (className: string): ReactNode => (
    <img src={address} alt={name} className={className} onError={() => setUnreadable(true)} />
  )
  return (
    <>
      <button
        type="button"
        aria-label={`Show ${name} in full`}
        className="block size-40 overflow-hidden rounded-lg border border-line bg-sunken"
        onClick={() => setLarge(true)}
      >
        {address !== undefined && image('size-full object-cover')}
      </button>
      {large && (
        <Dialog title={name} wide onClose={() => setLarge(false)}>
          {image('mx-auto max-h-[75dvh] max-w-full object-contain')}
        </Dialog>
      )}
    </>
  )
}

/**
 * An address of the content of a file for an image element, as long as the component is shown. The gateway answers with a
 * download, so the page reads the bytes itself.
 */
function useBlobAddress(file: string, onFailure: () => void): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const controller = new AbortController()
    let made: string | undefined
    const read = async (): Promise<void> => {
      const blob = await fileContent(file, controller.signal)
      if (controller.signal.aborted) return
      made = URL.createObjectURL(blob)
      setAddress(made)
    }
    read().catch(() => controller.signal.aborted || onFailure())
    return () => {
      controller.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [file])
  return address
}
