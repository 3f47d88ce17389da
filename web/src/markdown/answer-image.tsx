import { ImageOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type ApiError, request } from '../api/client.ts'
import { fileContent } from '../api/upload.ts'
import { BlobImage } from '../parts/blob-image.tsx'
import { Button } from '../parts/button.tsx'
import { safeLink } from './safe-link.ts'
import { t } from '../language/language.ts'

/** Images whose bytes are in their address, of kinds that run nothing. */
const INLINE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=]+$/

/** A file of the gateway, by its id or by its address. */
const OWN_FILE = /^(?:\/api\/files\/)?(file_\w+)(?:\/content)?$/

const LOOK = 'my-1 max-h-[60dvh] max-w-full rounded-lg border border-line'

interface AnswerImageProps {
  readonly href: string
  readonly alt: string
  /** A link to it, where its address is one of the web. */
  readonly children: ReactNode
}

/**
 * An image in an answer. Those of other hosts are loaded when a person asks for them, and by the gateway: an address could carry
 * words of the conversation, and a browser would say who asks.
 */
export function AnswerImage({ href, alt, children }: AnswerImageProps): ReactNode {
  const [wanted, setWanted] = useState(false)
  const [failure, setFailure] = useState<string>()
  const file = OWN_FILE.exec(href)?.[1]
  const url = safeLink(href)
  const fail = (error: ApiError | undefined): void => setFailure(error?.message ?? t`It cannot be drawn.`)
  if (failure !== undefined) {
    return (
      <span className="inline-flex max-w-full items-center gap-2 text-sm text-soft">
        <ImageOff size={16} aria-hidden className="shrink-0" />
        <span className="min-w-0">
          {children} {failure}
        </span>
      </span>
    )
  }
  if (INLINE.test(href)) return <img src={href} alt={alt} className={LOOK} onError={() => fail(undefined)} />
  if (file !== undefined) {
    const read = (signal: AbortSignal): Promise<Blob> => fileContent(file, signal)
    return <BlobImage read={read} name={file} alt={alt} className={LOOK} onFailure={fail} />
  }
  if (!url?.startsWith('http')) return children
  if (wanted) {
    const read = (signal: AbortSignal): Promise<Blob> =>
      request('/api/web-image', { method: 'POST', body: { url }, signal }).then((answer) => answer.blob())
    return <BlobImage read={read} name={url} alt={alt} className={LOOK} onFailure={fail} />
  }
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-2 rounded-lg border border-dashed border-strong-line px-3 py-1.5 text-sm">
      {children}
      <Button look="plain" onClick={() => setWanted(true)}>
        {t`Load from ${new URL(url).host}`}
      </Button>
    </span>
  )
}
