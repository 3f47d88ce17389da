import { type ReactNode, useEffect, useState } from 'react'
import type { ApiError } from '../api/client.ts'

interface BlobImageProps {
  /** Reads the bytes. They are read again where `name` changes. */
  read(signal: AbortSignal): Promise<Blob>
  readonly name: string
  readonly alt: string
  readonly className?: string
  onFailure(error: ApiError | undefined): void
}

/** An image whose bytes the page reads itself: the gateway answers with a download, and for nobody without the token. */
export function BlobImage({ read, name, alt, className, onFailure }: BlobImageProps): ReactNode {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const controller = new AbortController()
    let made: string | undefined
    const show = async (): Promise<void> => {
      const blob = await read(controller.signal)
      if (controller.signal.aborted) return
      made = URL.createObjectURL(blob)
      setAddress(made)
    }
    show().catch((error: ApiError) => controller.signal.aborted || onFailure(error))
    return () => {
      controller.abort()
      if (made !== undefined) URL.revokeObjectURL(made)
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [name])
  if (address === undefined) return null
  return <img src={address} alt={alt} className={className} onError={() => onFailure(undefined)} />
}
