import type { ReactNode } from 'react'
import { formPhrase } from '../../../src/context.ts'

interface EntryFormProps {
  /** Absent: nothing is sent. */
  readonly form: string | undefined
  readonly className?: string
}

/** A form in words. Its code, which manifests and the configuration have, is the title. */
export function EntryForm({ form, className }: EntryFormProps): ReactNode {
  return (
    <span className={className} title={form}>
      {form === undefined ? 'left out' : formPhrase(form)}
    </span>
  )
}
