import type { SessionProgram } from '../../../src/capability.ts'
import { type ComponentType, type LazyExoticComponent, type ReactNode, Suspense } from 'react'
import { Loading } from '../api/underway.ts'
import { Spinner } from '../parts/spinner.tsx'
import type { NextCall } from './next-call.ts'

export interface Inspected {
  readonly session: string | undefined
  /** The call that is open; absent: the next one. */
  readonly call: string | undefined
  readonly next: NextCall
  /** The program that made the calls, where that is another one: then there is no next call to look at. */
  readonly program?: SessionProgram | undefined
}

interface LatePanelProps extends Inspected {
  readonly panel: LazyExoticComponent<ComponentType<Inspected>>
}

/** A page of the inspector that is loaded when it is opened. */
export function LatePanel({ panel: Panel, ...inspected }: LatePanelProps): ReactNode {
  return (
    <Suspense
      fallback={
        <Loading>
          <Spinner />
        </Loading>
      }
    >
      <Panel {...inspected} />
    </Suspense>
  )
}
