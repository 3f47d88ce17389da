import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'

export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" className="rounded px-2 py-0.5 hover:bg-raised" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? t`Copied` : t`Copy`}</span>
    </button>
  )
}

/** A command or a secret as one line, with a button that copies it. */
export function CopyLine({ text }: { readonly text: string }): ReactNode {
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-sunken p-2">
      <code className="min-w-0 flex-1 text-xs break-all">{text}</code>
      <CopyButton text={text} />
    </div>
  )
}
