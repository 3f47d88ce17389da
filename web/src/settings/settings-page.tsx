import type { ReactNode } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { TOKEN_FACTS, type TokenFacts, useHasPage, useMay, ownRecordsPages } from '../api/caller.ts'
import { useResource } from '../api/resources.ts'
import { Spinner } from '../parts/spinner.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { pagesFor, settingsGroups, settingsPages } from './settings-pages.ts'
import { t } from '../language/language.ts'

/** The settings: a list of pages, and the chosen one beside it. */
export default function SettingsPage({ page }: { readonly page: string | undefined }): ReactNode {
  const { data, error } = useResource<TokenFacts>(TOKEN_FACTS)
  const isKnown = data !== undefined || error !== undefined
  const isOwner = useMay('admin')
  const pages = pagesFor(isOwner || !isKnown, useHasPage())
  const current = pages.find(({ id }) => id === page) ?? settingsPages.find(({ id }) => id === page) ?? pages[0]!
  const [, navigate] = useLocation()
  usePageTitle(current.title)
  // It was a page of its own.
  if (page === 'usage') return <Redirect to="/settings/costs?show=tokens" replace />
  return (
    <main id="main" tabIndex={-1} className="outline-none flex min-h-0 flex-1 flex-col md:flex-row">
      {/* On a narrow screen one line has them all. */}
      <div className="p-2 ps-12 md:hidden">
        <select
          aria-label={t`Page of the settings`}
          value={current.id}
          className="w-full rounded-lg border border-strong-line bg-ground px-2 py-1.5 text-sm"
          onChange={({ target }) => navigate(`/settings/${target.value}`)}
        >
          {settingsGroups.map((group) => (
            <optgroup key={group} label={group}>
              {pages
                .filter((each) => each.group === group)
                .map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </div>
      <nav
        aria-label={t`Settings`}
        className="flex w-52 shrink-0 flex-col gap-1 overflow-y-auto border-e border-line p-2 max-lg:pt-12 max-md:hidden"
      >
        {settingsGroups.map((group) => (
          <div key={group} role="group" aria-label={group} className="flex flex-col gap-1 pb-3">
            <span aria-hidden className="px-3 pb-0.5 text-xs font-semibold text-soft">
              {group}
            </span>
            {pages
              .filter((each) => each.group === group)
              .map(({ id, title }) => (
                <Link
                  key={id}
                  href={`/settings/${id}`}
                  ref={id === current.id ? showLink : undefined}
                  aria-current={id === current.id ? 'page' : undefined}
                  className={`rounded-lg px-3 py-1 text-sm hover:bg-line ${id === current.id ? 'bg-line font-medium' : ''}`}
                >
                  {title}
                </Link>
              ))}
          </div>
        ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto p-4">
        <div className="mx-auto max-w-3xl">
          <h1 className="mb-4 text-xl font-semibold">{current.title}</h1>
          {!isKnown ? <Spinner /> : pages.includes(current) ? <current.component /> : <OtherPage id={current.id} />}
        </div>
      </div>
    </main>
  )
}

/** In the place of a page that this browser may not use. */
function OtherPage({ id }: { readonly id: string }): ReactNode {
  return (
    <p className="text-soft">
      {ownRecordsPages.has(id)
        ? t`With your role you can use what the owner of this gateway shares, and keep none of your own.`
        : t`Only the owner of this gateway can see and change this.`}
    </p>
  )
}

/** On a low screen the list of pages is higher than the window. */
function showLink(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest' })
}
