import { type ReactNode, useState } from 'react'

/** A block of code with a button that copies it. */
export function CodeBlock({
  code,
  language,
}: {
  readonly code: string
  readonly language: string | undefined
}): ReactNode {
  const [copied, setCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <figure className="my-3 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between border-b border-line px-3 py-1 text-xs text-soft">
        <span>{language === undefined || language === '' ? 'text' : language}</span>
        <button type="button" className="rounded px-2 py-0.5 hover:bg-raised" onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy'}
        </button>
      </figcaption>
      <pre className="overflow-x-auto p-3 text-[13px] leading-relaxed" tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
