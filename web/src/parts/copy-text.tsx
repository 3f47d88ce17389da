import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import { showToast } from './toasts.tsx'

/** Puts a text on the clipboard. Whether it is there; where the browser refuses, a note says so. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    showToast({ text: t`The browser does not allow this page to copy. Select the text and copy it yourself.` })
    return false
  }
}

export function CopyButton({ text }: { readonly text: string }): ReactNode {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return
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
