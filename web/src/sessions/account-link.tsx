import { CircleUser } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useCaller } from '../api/caller.ts'
import { t } from '../language/language.ts'

/** Who is signed in, where that is not the owner. */
export function AccountLink(): ReactNode {
  const person = useCaller()?.person
  if (person === undefined) return null
  return (
    <nav aria-label={t`Account`} className="px-2 pb-2 text-sm">
      <Link href="/settings/token" className="flex items-center gap-1.5 rounded-lg px-1.5 py-1.5 hover:bg-line">
        <CircleUser size={16} className="shrink-0 text-soft" aria-hidden />
        <span className="min-w-0 truncate">{t`Signed in as ${person}`}</span>
      </Link>
    </nav>
  )
}
