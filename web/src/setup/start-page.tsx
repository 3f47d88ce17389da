import { type ReactNode, useState } from 'react'
import { type SetupOptions, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ModelForms } from './model-forms.tsx'

const KEY = 'foreword-rehearse'

/**
 * Shown in place of an empty conversation while no model is attached: finds local models, takes a key, or goes on with the
 * rehearsal. With a model it shows `children`.
 */
export function StartPage({ children }: { readonly children: ReactNode }): ReactNode {
  const { data } = useResource<SetupOptions>('/api/setup')
  const [rehearses, setRehearses] = useState(() => localStorage.getItem(KEY) !== null)
  if (data === undefined || data.ready || rehearses) return children

  const rehearse = (): void => {
    localStorage.setItem(KEY, 'yes')
    setRehearses(true)
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <div className="mx-auto flex max-w-2xl flex-col gap-6 py-4">
        <div>
          <h2 className="text-2xl font-semibold">Attach a model</h2>
          <p className="mt-1 text-soft">
            Foreword runs on this machine. A key is kept in a file of its own in the home, and is sent to its provider
            only.
          </p>
        </div>
        <ModelForms providers={data.providers} />
        <section aria-label="Without a model" className="border-t border-line pt-4">
          <p className="mb-2 text-sm text-soft">
            Without a model, a rehearsal answers: it shows the outline of what a model would have read.
          </p>
          <Button look="plain" onClick={rehearse}>
            Go on with the rehearsal
          </Button>
        </section>
      </div>
    </div>
  )
}
