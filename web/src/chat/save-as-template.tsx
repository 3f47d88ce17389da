import { BookMarked } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { useMayKeepRecords } from '../api/caller.ts'
import { Loading } from '../api/underway.ts'
import { closeFloating } from '../parts/floating.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { Popover } from '../parts/popover.tsx'
import { t } from '../language/language.ts'

const SaveTemplate = lazy(() => import('./save-template.tsx'))

/** Saves a message that was sent. */
export function SaveAsTemplate({ text }: { readonly text: string }): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  if (!useMayKeepRecords()) return null
  return (
    <Popover
      label={t`Save the message`}
      trigger={
        <IconButton label={t`Save the message as a template`}>
          <BookMarked size={15} aria-hidden />
        </IconButton>
      }
    >
      <div ref={box}>
        <Suspense fallback={<Loading />}>
          <SaveTemplate text={text} autoFocus onSaved={() => closeFloating(box.current!)} />
        </Suspense>
      </div>
    </Popover>
  )
}
