import type { ReactNode } from 'react'
import { t } from '../language/language.ts'

interface PreviewProps {
  readonly code: string
}

/** A drawing alone is as large as the frame at most. */
const FITTING = '<style>body > svg:only-child { max-width: 100%; max-height: 95vh }</style>'

/** What is in a text and not in its preview: scripts, and what would be loaded. */
const LEFT_OUT = /<script\b|\son[a-z]+\s*=|(?:src|href)\s*=\s*["']?(?:https?:)?\/\/|url\(\s*["']?https?:/i

/**
 * HTML or SVG of an answer as it looks, in a frame without an origin, a script and a network (`preview-frame.ts`). The policy
 * of the page keeps the frame from leading to another place.
 */
export default function Preview({ code }: PreviewProps): ReactNode {
  return (
    <>
      <iframe
        title={t`Preview`}
        src="/preview"
        sandbox="allow-scripts"
        className="block h-80 w-full resize-y border-0 bg-white"
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a frame without an origin has no other target
        onLoad={({ currentTarget }) => currentTarget.contentWindow?.postMessage(FITTING + code, '*')}
      />
      {LEFT_OUT.test(code) && (
        <p className="border-t border-line px-3 py-1 text-xs text-soft">
          {t`Scripts do not run here, and nothing is loaded from other hosts.`}
        </p>
      )}
    </>
  )
}
