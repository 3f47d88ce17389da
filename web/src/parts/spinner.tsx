import { LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'

/** Something is being read. `label` is for screen readers. */
export function Spinner({ label = 'Loading' }: { readonly label?: string }): ReactNode {
  return (
    <span role="status" aria-label={label} className="inline-flex p-2 text-soft">
      <LoaderCircle size={18} className="animate-spin" aria-hidden />
    </span>
  )
}
