import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../parts/button.tsx'
import { keepDraft, readDraft } from './drafts.ts'
import type { HeldDraft } from './use-draft.ts'
import { t } from '../language/language.ts'

/** The way on from a session that is not there any more. What was written for it begins the next one. */
export function GoneSession({ held }: { readonly held: HeldDraft }): ReactNode {
  const [, navigate] = useLocation()
  const goOn = (): void => {
    const { text, files } = held.current()
    const next = readDraft(undefined)
    const texts = [next.text, text].filter((each) => each.trim() !== '')
    keepDraft(undefined, { ...next, text: texts.join('\n\n'), files: [...new Set([...next.files, ...files])] })
    held.clear()
    navigate('/')
  }
  return (
    <div>
      <Button look="plain" onClick={goOn}>
        {t`Go on in a new conversation`}
      </Button>
    </div>
  )
}
