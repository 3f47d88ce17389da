import type { ReactNode } from 'react'
import { formWords } from './entry-words.ts'
import { t } from '../language/language.ts'

interface EntryFormProps {
  /** Absent: nothing is sent. */
  readonly form: string | undefined
  readonly className?: string
}

/** A form in words. Its code, which manifests and the configuration have, is the title. */
export function EntryForm({ form, className }: EntryFormProps): ReactNode {
  return (
    <span className={className} title={form}>
      {form === undefined ? t`left out` : formWords(form)}
    </span>
  )
}
