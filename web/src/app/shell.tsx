import { type ReactNode, useEffect, useState } from 'react'
import { Menu } from 'lucide-react'
import { useLocation } from 'wouter'
import { IconButton } from '../parts/icon-button.tsx'
import { Toasts } from '../parts/toasts.tsx'
import { SessionList } from '../sessions/session-list.tsx'

/** The frame of every page: the sessions on the left, the page beside them. On a narrow screen the sessions open over it. */
export function Shell({ children }: { readonly children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false)
  const [location] = useLocation()
  useEffect(() => setOpen(false), [location])
  return (
    <div className="flex h-full">
      <a href="#main" className="absolute -top-12 left-2 z-50 rounded bg-accent px-3 py-2 text-accent-ink focus:top-2">
        Skip to the conversation
      </a>
      <aside
        aria-label="Sessions"
        className={`${open ? 'fixed inset-y-0 left-0 z-40 flex w-72 shadow-xl' : 'hidden'} flex-col border-r border-line bg-sunken md:static md:flex md:w-72 md:shadow-none`}
      >
        <SessionList />
      </aside>
      {open && (
        <button
          type="button"
          aria-label="Close the list of sessions"
          className="fixed inset-0 z-30 bg-black/40 md:hidden"
          onClick={() => setOpen(false)}
        />
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex items-center gap-2 border-b border-line px-2 py-1 md:hidden">
          <IconButton label="Show the sessions" onClick={() => setOpen(true)}>
            <Menu size={18} aria-hidden />
          </IconButton>
          <span className="font-semibold">Foreword</span>
        </div>
        {children}
      </div>
      <Toasts />
    </div>
  )
}
