import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { Loading } from '../api/underway.ts'
import { t } from '../language/language.ts'
import { ErrorNote } from './error-note.tsx'
import { Spinner } from './spinner.tsx'

/**
 * A component whose code is loaded when it is first shown, with `placeholder` in its place until then. It is shown as soon as its
 * code is there: `lazy` of React waits until a placeholder stood for 300 ms. Code that does not come, since the gateway is away
 * or was upgraded, leaves a note, and the rest of the page stays.
 */
export function late<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  placeholder: (props: Props) => ReactNode = () => <Spinner />,
): ComponentType<Props> {
  let Loaded: ComponentType<Props> | undefined
  return function Late(props) {
    const [state, setState] = useState<'loading' | 'loaded' | 'failed'>('loading')
    useEffect(() => {
      if (Loaded !== undefined) return
      const show = async (): Promise<void> => {
        try {
          Loaded = (await load()).default
          setState('loaded')
        } catch {
          setState('failed')
        }
      }
      void show()
    }, [])
    if (Loaded !== undefined) return <Loaded {...props} />
    if (state !== 'failed') return <Loading>{placeholder(props)}</Loading>
    return <ErrorNote error={{ message: t`This part of the page could not be loaded.`, hint: t`Reload the page.` }} />
  }
}
