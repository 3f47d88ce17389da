import { type ReactNode, Suspense } from 'react'
import { Link, Redirect } from 'wouter'
import { Loading } from '../api/underway.ts'
import { Spinner } from '../parts/spinner.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { settingsGroups, settingsPages } from './settings-pages.ts'
import { t } from '../language/language.ts'

/** The settings: a list of pages, and the chosen one beside it. */
export default function SettingsPage({ page }: { readonly page: string | undefined }): ReactNode {
  const current = settingsPages.find(({ id }) => id === page) ?? settingsPages[0]!
  const Content = current.component
  usePageTitle(current.title)
  // It was a page of its own.
  if (page === 'usage') return <Redirect to="/settings/costs?show=tokens" replace />
  return (
    <main id="main" tabIndex={-1} className="outline-none flex min-h-0 flex-1 flex-col md:flex-row">
      <nav
        aria-label={t`Settings`}
        className="flex shrink-0 gap-1 overflow-x-auto border-line p-2 max-md:ms-12 max-md:ps-0 md:w-52 md:flex-col md:overflow-y-auto md:border-e max-lg:md:pt-12"
      >
        {settingsGroups.map((group) => (
          <div key={group} role="group" aria-label={group} className="flex gap-1 md:flex-col md:pb-3">
            <span aria-hidden className="hidden px-3 pb-0.5 text-xs font-semibold text-soft md:block">
              {group}
            </span>
            {settingsPages
              .filter((each) => each.group === group)
              .map(({ id, title }) => (
                <Link
                  key={id}
                  href={`/settings/${id}`}
                  ref={id === current.id ? showLink : undefined}
                  aria-current={id === current.id ? 'page' : undefined}
                  className={`rounded-lg px-3 py-1 text-sm hover:bg-line max-md:whitespace-nowrap ${id === current.id ? 'bg-line font-medium' : ''}`}
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
          <Suspense
            fallback={
              <Loading>
                <Spinner />
              </Loading>
            }
          >
            <Content />
          </Suspense>
        </div>
      </div>
    </main>
  )
}

/** On a narrow screen the list of pages is wider than the window. */
function showLink(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'center' })
}
