import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'

/** Something is being read. `label` is for screen readers. */
export function Spinner({ label = t`Loading` }: { readonly label?: string }): ReactNode {
  return (
    <span role="status" aria-label={label} className="inline-flex p-2 text-soft">
      <LoaderCircle size={18} className="animate-spin" aria-hidden />
    </span>
  )
}
